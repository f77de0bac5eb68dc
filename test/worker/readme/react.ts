// The types of what bundles of tests copy from the section "React" of `src/worker/README.md`.

import type { ReactNode } from "react";
import type { RemoteLive } from "../../../src/worker/index.ts";
import type { TasksShown } from "../frameworks/tasks.ts";

export declare function useLive<Result>(live: RemoteLive<Result>, rendered?: Result): Result;
export declare function App(props: Pick<TasksShown, "db">): ReactNode;
