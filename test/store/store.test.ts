// A durable service: its changes are still there after reopening.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { createBatch, createService, InputError, type Service } from "../../src/index.ts";
import {
  checkStore,
  createStore,
  isStore,
  openFile,
  openStore,
  repairStore,
  saveFile,
  StoreError,
} from "../../src/store/index.ts";
import { thrownBy } from "../updates/fixtures.ts";
import { change, contact, makeService, newFolder, stateOf } from "./fixtures.ts";

const filesIn = (folder: string) => readdirSync(folder).sort();

/** A service as it is after so many changes. */
function changed(count: number): Service {
  const service = makeService();
  for (let n = 0; n < count; n++) change(service, n);
  return service;
}

describe("a service that lasts", () => {
  test("is there again with all that was changed", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    for (let n = 0; n < 24; n++) change(store, n);
    store.close();
    const again = openStore(folder);
    expect(again.found).toEqual({ replayed: 24, cutOff: undefined });
    expect(stateOf(again)).toEqual(stateOf(changed(24)));
    again.close();
  });

  test("goes on where it was, by the same keys, with and without a checkpoint between", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    for (let n = 0; n < 24; n++) {
      const store = openStore(folder);
      expect(store.found.replayed).toBe(n % 5);
      change(store, n);
      if (n % 5 === 4) store.checkpoint();
      store.close();
    }
    const store = openStore(folder);
    expect(stateOf(store)).toEqual(stateOf(changed(24)));
    store.close();
  });

  test("answers, tells and undoes as any other", () => {
    const store = createStore(newFolder(), makeService());
    const reported = vi.fn();
    store.subscribe(reported);
    const before = stateOf(store);
    const { inversePatches } = store.update((draft) => {
      draft.files = draft.files.remove([]);
      Reflect.deleteProperty(draft.batches, "5");
    });
    expect(reported).toHaveBeenCalledTimes(1);
    expect(store.dispatchJson('{"id":1,"method":"searchFiles","params":["key"]}')).toBe(
      '{"id":1,"result":[],"error":null}',
    );
    store.applyPatches(inversePatches);
    expect(stateOf(store)).toEqual(before);
    store.close();
  });

  test("lasts whichever of the two one changes: the store, or the service that it was made of", () => {
    const folder = newFolder();
    const service = makeService();
    const store = createStore(folder, service);
    change(service, 0);
    change(store, 1);
    expect(stateOf(service)).toEqual(stateOf(store));
    store.close();
    const again = openStore(folder);
    expect(stateOf(again)).toEqual(stateOf(changed(2)));
    again.close();
  });

  test("a large Batch is there as it was added, each Contact with its key", () => {
    const folder = newFolder();
    const store = createStore(folder, createService());
    const contacts = Array.from({ length: 3000 }, (_, id) => contact(id));
    const half = { id: 1, fields: ["a"], contacts: contacts.slice(0, 1500) };
    const rest = { id: 2, contacts: contacts.slice(1500) };
    store.update((draft) => {
      draft.batches[9] = createBatch({ id: 9, lists: [half, rest] });
    });
    const before = stateOf(store);
    store.close();
    const again = openStore(folder);
    expect(stateOf(again)).toEqual(before);
    again.close();
  });

  test("a change that changes nothing writes nothing", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    const size = () => statSync(join(folder, "journal-1.log")).size;
    const before = size();
    store.update((draft) => {
      draft.files = draft.files.remove([["id", "exactly", 99]]);
    });
    expect(size()).toBe(before);
    store.close();
  });

  test("takes options of a service when it is opened", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    const store = openStore(folder, {
      authenticate: (key) => key === "secret",
      limits: { rows: 1 },
      durability: "os",
    });
    const ask = (key: string) => store.dispatch({ id: 1, method: "searchFiles", params: [key] });
    expect(ask("other").error).toMatchObject({ code: 300 });
    expect(ask("secret").error).toMatchObject({ code: 310 });
    store.close();
  });
});

describe("a checkpoint", () => {
  test("leaves the files of one generation, and an empty journal", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    for (let n = 0; n < 12; n++) change(store, n);
    store.checkpoint();
    expect(filesIn(folder)).toEqual(["data-2.log", "journal-2.log", "lock", "store.json"]);
    store.close();
    const again = openStore(folder);
    expect(again.found.replayed).toBe(0);
    expect(stateOf(again)).toEqual(stateOf(changed(12)));
    again.close();
  });

  test("happens by itself when the journal has outgrown the data", () => {
    const folder = newFolder();
    const store = createStore(folder, createService(), { durability: "os", checkpointRatio: 3 });
    const url = "u".repeat(100_000);
    const add = (id: number) =>
      store.update((draft) => {
        draft.files = draft.files.insert([{ id, folder_id: 1, name: "x", url }]);
      });
    const generationAfter = (count: number) => {
      for (let i = 0; i < count; i++) add(++id);
      return filesIn(folder)[0];
    };
    let id = 0;
    // The journal is larger than 1 MiB, and three times the data are next to nothing.
    expect(generationAfter(11)).toBe("data-1.log");
    expect(generationAfter(1)).toBe("data-2.log");
    // Now they are 3.3 MB.
    expect(generationAfter(32)).toBe("data-2.log");
    expect(generationAfter(2)).toBe("data-3.log");
    store.close();
  });

  test("never happens by itself where the ratio is Infinity", () => {
    const folder = newFolder();
    const store = createStore(folder, createService(), {
      durability: "os",
      checkpointRatio: Infinity,
    });
    const url = "u".repeat(1_000_000);
    for (let id = 0; id < 5; id++) {
      store.update((draft) => {
        draft.files = draft.files.insert([{ id, folder_id: 1, name: "x", url }]);
      });
    }
    expect(existsSync(join(folder, "journal-1.log"))).toBe(true);
    store.close();
  });

  test("an interrupted one leaves files that are removed when the store is opened", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    for (const name of ["data-2.log", "journal-2.log", "store.json.next"]) {
      writeFileSync(join(folder, name), "half of it");
    }
    openStore(folder).close();
    expect(filesIn(folder)).toEqual(["data-1.log", "journal-1.log", "lock", "store.json"]);
  });
});

test("a key is given to one row, ever: an undo of before finds no other row in its place", () => {
  const folder = newFolder();
  const insert = (service: Service, id: number) =>
    service.update((draft) => {
      draft.files = draft.files.insert([{ id, folder_id: 1, name: "x" }]);
    });
  const store = createStore(folder, makeService());
  const { inversePatches } = insert(store, 10);
  store.applyPatches(inversePatches);
  store.checkpoint();
  store.close();
  const again = openStore(folder);
  insert(again, 11);
  expect(() => again.applyPatches(inversePatches)).toThrow('there is no record with the id "10"');
  expect(again.searchFiles([["id", "exactly", 11]])).toHaveLength(1);
  again.close();
});

describe("a typed error", () => {
  const expectStoreError = (run: () => unknown, file: string, reason: RegExp | string) => {
    const error = thrownBy(run);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ file, reason: expect.stringMatching(reason) as string });
  };

  test("where the store is closed; it answers on", () => {
    const folder = newFolder();
    const store = createStore(folder, makeService());
    store.close();
    store.close();
    const before = stateOf(store);
    expectStoreError(() => change(store, 0), folder, "is closed");
    expectStoreError(() => store.checkpoint(), folder, "is closed");
    expect(stateOf(store)).toEqual(before);
  });

  test("in a folder without a store; nothing is left there", () => {
    const folder = newFolder();
    const reason = /^can't be read: no such file/;
    expectStoreError(() => openStore(folder), join(folder, "store.json"), reason);
    expect(filesIn(folder)).toEqual([]);
    const nowhere = join(folder, "nowhere");
    expectStoreError(() => openStore(nowhere), join(nowhere, "store.json"), reason);
    expect(existsSync(nowhere)).toBe(false);
  });

  test("where a store is to be made in a folder that is in use", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    expectStoreError(() => createStore(folder, makeService()), folder, "is already a store");
    const other = newFolder();
    writeFileSync(join(other, "notes.txt"), "");
    const reason = "is not empty: there is notes.txt";
    expectStoreError(() => createStore(other, makeService()), other, reason);
    const file = join(other, "notes.txt");
    expectStoreError(() => createStore(file, makeService()), file, /^can't be made: file already/);
  });

  test("where making a store was broken off it can be made again, but not over changes", () => {
    const folder = newFolder();
    const other = newFolder();
    createStore(other, makeService()).close();
    // It was begun, and not finished.
    copyFileSync(join(other, "store.json"), join(folder, "store.json.new"));
    writeFileSync(join(folder, "data-1.log"), "half");
    writeFileSync(join(folder, "journal-1.log"), "");
    createStore(folder, makeService()).close();
    const store = openStore(folder);
    change(store, 0);
    store.close();
    renameSync(join(folder, "store.json"), join(folder, "store.json.next"));
    const reason = "holds a store without its store.json; tercet store repair writes a new one";
    expectStoreError(() => createStore(folder, makeService()), folder, reason);
    expectStoreError(() => openStore(folder), join(folder, "store.json"), /^can't be read/);
    expect(repairStore(folder).changes).toBe(1);
  });

  test("where the name of a store is lost: nothing else of it is then lost", () => {
    const folder = newFolder();
    createStore(folder, makeService()).close();
    const before = filesIn(folder).filter((name) => name !== "store.json" && name !== "lock");
    rmSync(join(folder, "store.json"));
    const reason = "holds a store without its store.json; tercet store repair writes a new one";
    expectStoreError(() => createStore(folder, makeService()), folder, reason);
    expectStoreError(() => openStore(folder), join(folder, "store.json"), /^can't be read/);
    expect(filesIn(folder)).toEqual(before);
  });

  test("where a service can't be kept", () => {
    const service = makeService();
    const store = createStore(newFolder(), service);
    const isTaken = "is in a store already";
    const isCopy = "must be made by createService() or createDatabase(), not an object";
    for (const [other, reason] of [
      [service, isTaken],
      [store, isTaken],
      [{ ...createService() }, isCopy],
    ] as const) {
      expect(thrownBy(() => createStore(newFolder(), other))).toMatchObject({
        name: "InputError",
        path: "service",
        reason,
      });
    }
    store.close();
  });

  test.each([
    [{ durability: "fsync" }, 'options.durability: must be "sync" or "os", not "fsync"'],
    [{ checkpointRatio: -1 }, "options.checkpointRatio: must be a non-negative number, not -1"],
    [{ checkpointRatio: NaN }, "options.checkpointRatio: must be a non-negative number, not NaN"],
    [{ lock: 1 }, "options.lock: must be true or false, not 1"],
    [{ files: [] }, 'options: has no member "files"'],
  ])("where an option is not valid: %o", (options, message) => {
    const folder = newFolder();
    // @ts-expect-error the option is not valid
    const created = thrownBy(() => createStore(folder, makeService(), options));
    // @ts-expect-error the option is not valid
    const opened = thrownBy(() => openStore(folder, options));
    for (const error of [created, opened]) {
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ message: expect.stringContaining(message) as string });
    }
    expect(filesIn(folder)).toEqual([]);
  });
});

test("a folder is a store if it has the name of one, damaged or not", () => {
  const folder = newFolder();
  expect(isStore(folder)).toBe(false);
  expect(isStore(join(folder, "nowhere"))).toBe(false);
  createStore(folder, makeService()).close();
  expect(isStore(folder)).toBe(true);
  const name = join(folder, "store.json");
  const text = readFileSync(name, "utf8");
  writeFileSync(name, text.slice(0, -20));
  expect(isStore(folder)).toBe(true);
  writeFileSync(name, text.slice(1));
  expect(isStore(folder)).toBe(false);
});

test("an argument that is not a path or a service is an InputError, and nothing is made", () => {
  const calls: [string, (given: never) => unknown][] = [
    ["directory", (given) => createStore(given, makeService())],
    ["directory", (given) => openStore(given)],
    ["directory", (given) => openStore(given, { readOnly: true })],
    ["directory", (given) => isStore(given)],
    ["directory", (given) => checkStore(given)],
    ["directory", (given) => repairStore(given)],
    ["path", (given) => openFile(given)],
    ["path", (given) => saveFile(given, makeService().files)],
  ];
  for (const [path, call] of calls) {
    for (const given of [5, "", undefined, null, {}, Buffer.from("folder")]) {
      expect(thrownBy(() => call(given as never))).toMatchObject({
        name: "InputError",
        path,
        reason: expect.stringMatching(
          /^must be a path, not (5|""|undefined|null|an object)$/,
        ) as string,
      });
    }
  }
  const folder = newFolder();
  for (const given of [null, 5, { lock: 1 }, { durability: "os" }]) {
    // @ts-expect-error the options are not valid
    expect(thrownBy(() => repairStore(folder, given))).toBeInstanceOf(InputError);
  }
  for (const given of [undefined, null, 5, {}]) {
    // @ts-expect-error it is no service
    expect(thrownBy(() => createStore(folder, given))).toMatchObject({ path: "service" });
  }
  expect(filesIn(folder)).toEqual([]);
  expect(thrownBy(() => openStore("\0"))).toBeInstanceOf(StoreError);
});

test("a store of another version or of another program is refused", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "store.json"), '{"name":"x"}');
  expect(thrownBy(() => openStore(folder))).toMatchObject({
    file: join(folder, "store.json"),
    reason: "is damaged, or not the file of a store",
  });
});
