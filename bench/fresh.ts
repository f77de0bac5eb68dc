// Runs inside a fresh process and does what few.ts describes. A separate bundle, because it may import tercet only when
// that is measured.

import { fewTasks } from "./few.ts";
import { answerCalls } from "./host.ts";

export type FreshTasks = typeof fewTasks;

answerCalls(fewTasks);
