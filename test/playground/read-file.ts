// Files for a session that does not run in a worker.

import { afterAll, vi } from "vitest";

/** A file that is read at once, as only workers can read. */
export class ReadFile extends File {
  readonly content: Buffer<ArrayBuffer>;

  constructor(content: Buffer<ArrayBuffer>, name: string) {
    super([content], name);
    this.content = content;
  }

  override slice(from = 0, to = this.size): Blob {
    return new ReadFile(this.content.subarray(from, to), this.name);
  }
}

/** Reads these files in all tests of a test file. */
export function readFilesAtOnce(): void {
  vi.stubGlobal(
    "FileReaderSync",
    class {
      readAsArrayBuffer({ content }: ReadFile): ArrayBuffer {
        return Uint8Array.from(content).buffer;
      }
    },
  );
  afterAll(() => vi.unstubAllGlobals());
}
