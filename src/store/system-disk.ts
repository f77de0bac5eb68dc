// The disk of paths that are strings. In browsers there is none: `build.ts` makes this module the target of `#disk`, which
// has another target under the condition `browser`.

import type { Disk } from "./disk.ts";
import { nodeDisk } from "./node-disk.ts";

export const systemDisk: Disk | undefined = nodeDisk;
