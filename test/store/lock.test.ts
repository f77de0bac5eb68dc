// The lock of a store: one writer at a time, and the errors when locking is impossible.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createService } from "../../src/index.ts";
import { createStore, openStore, StoreError } from "../../src/store/index.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, makeService, newFolder } from "./fixtures.ts";

describe("one writer", () => {
  test("in the same process: the second gets an error that says who has it open", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    for (const second of [() => openStore(folder), () => createStore(folder, createService())]) {
      const error = thrownBy(second);
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({
        file: join(folder, "lock"),
        reason: expect.stringMatching(
          new RegExp(`^another writer has the store open: process ${process.pid} on `),
        ) as string,
      });
    }
    change(store, 0);
    store.close();
    openStore(folder).close();
  });

  test("whatever is in the lock file of a writer that has ended", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    // The id of a process that lives, which is no writer.
    writeFileSync(join(folder, "lock"), `process ${process.ppid} on elsewhere\n`);
    openStore(folder).close();
  });

  test("says nothing of the owner where the lock file does not", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    writeFileSync(join(folder, "lock"), "somebody");
    expect(thrownBy(() => openStore(folder))).toMatchObject({
      reason: "another writer has the store open",
    });
    store.close();
  });

  test("has let go of the lock where the store could not be opened", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    const journal = join(folder, "journal-1.log");
    const bytes = readFileSync(journal);
    writeFileSync(journal, "");
    for (let i = 0; i < 2; i++) {
      expect(thrownBy(() => openStore(folder))).toMatchObject({ file: journal });
    }
    writeFileSync(journal, bytes);
    openStore(folder).close();
  });

  test("lock: false takes none, and makes no lock file", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService(), { lock: false });
    openStore(folder, { lock: false }).close();
    expect(existsSync(join(folder, "lock"))).toBe(false);
    store.close();
  });

  test("if no command can lock, the error says what to do", () => {
    vi.stubEnv("PATH", "/nowhere");
    try {
      expect(thrownBy(() => createStore(newFolder(), makeService()))).toMatchObject({
        reason: expect.stringMatching(/by the command flock: .*ENOENT; .* lock: false/) as string,
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
