// The types of what bundles of tests copy from the section "Vue, Svelte and Solid" of `src/worker/README.md`.

import type { MaybeRefOrGetter, ShallowRef } from "vue";
import type { RemoteLive } from "../../../src/worker/index.ts";

export declare function useLive<Result>(
  live: MaybeRefOrGetter<RemoteLive<Result>>,
  rendered?: Result,
): ShallowRef<Result | undefined>;
export declare function createLive<Result>(
  live: () => RemoteLive<Result>,
  rendered?: Result,
): () => Result | undefined;
