// The hook of `src/worker/README.md`, which tests copy from there.

declare module "readme:React" {
  import type { RemoteLive } from "../../../src/worker/index.ts";

  export function useLive<Result>(live: RemoteLive<Result>, rendered?: Result): Result;
}
