// A string too long to be read back is refused before anything is written.

import { afterEach, expect, test, vi } from "vitest";
import { createService, type Patch } from "../../src/index.ts";
import { journalOn } from "../../src/store/journal.ts";
import { checkedLinesOf } from "../../src/store/patches.ts";
import { Log } from "../../src/store/log.ts";
import { createStoreOn } from "../../src/store/store.ts";
import { tuned } from "../tuned.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { stateOf } from "./fixtures.ts";
import { SimulatedDisk } from "./simulated-disk.ts";

const PATH = "/journal-1.log";

afterEach(() => {
  vi.restoreAllMocks();
});

const replacing = (name: string): Patch => ({
  op: "replace",
  path: ["files", 7, "name"],
  value: name,
});
const bytesOf = (patch: Patch) => Buffer.byteLength(JSON.stringify(patch));

test.each([
  ["plain", "a"],
  ["of three bytes", "\u2028"],
  ["of four bytes", "\u{1f600}"],
  ["escaped by one character", '"'],
  ["escaped by five", "\u0000"],
  ["half of a pair, escaped", "\ud800"],
])("up to the last byte that is allowed, of characters %s", (_, character) => {
  const patch = replacing(character.repeat(50));
  const disk = new SimulatedDisk();
  const log = new Log(disk, PATH, "w+");
  const journal = journalOn(log, log.write(0, 0, []), true, () => undefined);
  using _tooFew = tuned({ longestLine: bytesOf(patch) - 1 });
  const before = disk.operations;
  const append = (...patches: Patch[]) => journal.append([checkedLinesOf(patches, PATH)]);
  expect(thrownBy(() => append(replacing("a"), patch))).toMatchObject({
    name: "StoreError",
    file: PATH,
    reason: `accepts at most ${bytesOf(patch) - 1} bytes of JSON for a record; ["files",7,"name"] has more`,
  });
  expect(disk.operations).toBe(before);
  // It takes others, and with a byte more this one.
  append(replacing("a"));
  expect(journal.last().number).toBe(1);
  const { end: bytes } = journal.last();
  using _enough = tuned({ longestLine: bytesOf(patch) });
  append(patch);
  const entry = log.entryAt(bytes);
  expect(entry && [...log.values(entry)]).toEqual([patch]);
});

test("a change that JSON.stringify can't put into a string is a StoreError, and not made", () => {
  const disk = new SimulatedDisk();
  const service = createService({ files: [{ id: 1, folder_id: 7, name: "a" }] });
  const store = createStoreOn(disk, "/store", service, { lock: false });
  const state = stateOf(store);
  // As with a text that JSON makes too long, without its memory.
  const { stringify } = JSON;
  vi.spyOn(JSON, "stringify").mockImplementation((value: unknown) => {
    if (typeof value !== "object" || value === null || !("op" in value)) return stringify(value);
    throw new RangeError("Invalid string length");
  });
  const change = () =>
    store.update((draft) => {
      draft.files = draft.files.update([], (file) => void (file.name = "b"));
    });
  const error = thrownBy(change);
  const other = new SimulatedDisk();
  const made = thrownBy(() =>
    createStoreOn(other, "/store", createService({ files: [{ id: 1, folder_id: 7, name: "a" }] }), {
      lock: false,
    }),
  );
  vi.restoreAllMocks();
  const reason = expect.stringMatching(/bytes of JSON for a record; \["files",0/) as string;
  expect(error).toMatchObject({ name: "StoreError", file: "/store/journal-1.log", reason });
  expect(stateOf(store)).toEqual(state);
  change();
  expect(store.files.at(0)?.name).toBe("b");
  expect(made).toMatchObject({ name: "StoreError", file: "/store/data-1.log", reason });
  expect(other.names()).toEqual(["/"]);
});
