import type { Disk } from "./disk.ts";

/** The path of a file or folder that is private to the origin of a page, made by `openPrivateFiles`. */
export class PrivatePath {
  readonly path: string;
  /** @internal */
  readonly disk: Disk;

  /** @internal */
  constructor(disk: Disk, path: string) {
    this.disk = disk;
    this.path = path;
  }
}
