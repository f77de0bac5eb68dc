// A folder for temporary files of tests, which is removed at the end: Vitest's `globalSetup`, also
// for mutation runs, whose processes are ended during tests.

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** @returns removes it */
export default function setUp(): () => void {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "tercet-tests-"));
  // Servers run as another user, who must reach their folders in it.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A server that ends may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
}
