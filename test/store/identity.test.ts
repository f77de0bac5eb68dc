// A store knows its own files, its folder and its kind: no part of another store is taken for its own, an open writer
// leaves alone what was put at its path, and nothing opens as what it is not.

import {
  cpSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
  string,
} from "../../src/index.ts";
import {
  checkStore,
  createStore,
  importCollection,
  importStore,
  openStore,
  repairStore,
  StoreError,
} from "../../src/store/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { newFolder } from "./fixtures.ts";

const Note = defineSchema({ id: int({ unique: true }), owner: string() });
const schemas = { notes: Note };

const notesOf = (owner: string, count: number) =>
  createDatabase({
    notes: createCollection(
      Note,
      Array.from({ length: count }, (_, id) => ({ id, owner })),
    ),
  });

type Notes = ReturnType<typeof openNotes>;
const openNotes = (folder: string) => openStore(folder, schemas);

const insert = (id: number, owner: string) => (draft: { notes: Notes["notes"] }) =>
  void (draft.notes = draft.notes.insert({ id, owner }));

/** A store with some records in its data, and three in its journal. */
function made(folder: string, owner: string, count: number): string {
  const store = createStore(folder, notesOf(owner, count));
  for (let id = 1000; id < 1003; id++) store.update(insert(id, owner));
  store.close();
  return folder;
}

const ownersIn = (folder: string) => {
  const store = openNotes(folder);
  const owners = store.notes.query().map(({ owner }) => owner);
  store.close();
  return owners;
};

/** Everything in a folder, by name. */
const contentOf = (folder: string) =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString("hex")]);

describe("a file of another store", () => {
  const kinds = ["another store", "a copy that went on", "a backup"] as const;
  test.each(kinds.flatMap((kind) => [0, 3].map((count) => [kind, count] as const)))(
    "of %s, with %i records, is refused, found and kept apart",
    async (kind, count) => {
      using _ = tuned({ fewInData: 1 });
      const own = made(join(newFolder(), "ann"), "ann", count);
      const other = join(newFolder(), "bob");
      if (kind === "another store") made(other, "bob", count);
      else if (kind === "a backup") {
        const store = openNotes(own);
        await store.backup(other);
        store.close();
      } else {
        cpSync(own, other, { recursive: true });
        for (const each of [own, other]) {
          const store = openNotes(each);
          store.checkpoint();
          store.update(insert(2000, each === own ? "ann" : "bob"));
          store.close();
        }
      }
      const expected = ownersIn(own);
      for (const name of readdirSync(own)) {
        if (name === "lock") continue;
        const folder = join(newFolder(), "store");
        cpSync(own, folder, { recursive: true });
        copyFileSync(join(other, name), join(folder, name));
        // The file of a collection is the same in a copy.
        const isSame = readFileSync(join(own, name)).equals(readFileSync(join(other, name)));
        if (isSame) continue;
        for (const options of [{}, { readOnly: true } as const]) {
          const error = thrownBy(StoreError, () => openStore(folder, schemas, options as object));
          expect([name, error.code]).toEqual([name, "damaged"]);
          expect(error.reason).toMatch(/belong/);
        }
        const problems = checkStore(folder).problems.map((each) => each.file);
        expect(problems).toEqual([join(folder, name)]);
        const { kept } = repairStore(folder);
        expect(kept).toContain(join(folder, `${name}.kept`));
        expect(checkStore(folder).problems).toEqual([]);
        const owners = ownersIn(folder);
        expect(owners).not.toContain("bob");
        if (name === "store.json") expect(owners).toEqual(expected);
      }
    },
  );
});

describe("a folder that was replaced under an open writer", () => {
  const changes = (store: Notes) => [
    () => store.update(insert(5000, "lost")),
    () => store.updateAsync(insert(5001, "lost")),
    () => store.checkpoint(),
    () => store.backup(join(newFolder(), "copy")),
    () =>
      store.applyPatches([
        { op: "add", path: ["notes", 5002], value: { id: 5002, owner: "lost" } },
      ]),
  ];

  const disasters: Record<string, (live: string, other: string) => void> = {
    "by another store": (live, other) => {
      renameSync(live, `${live}-old`);
      renameSync(other, live);
    },
    "by a copy of itself": (live) => {
      renameSync(live, `${live}-old`);
      cpSync(`${live}-old`, live, { recursive: true });
    },
    "by the files of another store": (live, other) => {
      for (const name of readdirSync(live)) rmSync(join(live, name));
      cpSync(other, live, { recursive: true });
    },
    "by nothing": (live) => rmSync(live, { recursive: true }),
    "by nothing, moved away": (live) => renameSync(live, `${live}-old`),
    "in its lock": (live) => unlinkSync(join(live, "lock")),
  };

  test.each(Object.keys(disasters))(
    "%s takes no change, whichever is tried first",
    async (name) => {
      using _ = tuned({ fewInData: 1 });
      for (let first = 0; first < 5; first++) {
        const top = newFolder();
        const live = join(top, "live");
        const store = createStore(live, notesOf("ann", 5));
        store.update(insert(1000, "ann"));
        const other = made(join(top, "other"), "bob", 5);
        const before = store.notes.query();
        disasters[name]?.(live, other);
        const there = () => (readdirSync(top).includes("live") ? contentOf(live) : []);
        const expected = there();
        const all = changes(store);
        for (const change of [...all.slice(first), ...all.slice(0, first)]) {
          const thrown = await Promise.resolve()
            .then(change)
            .then(
              () => "nothing was thrown",
              (error: unknown) => error,
            );
          expect(thrown).toBeInstanceOf(StoreError);
          expect((thrown as StoreError).reason).toContain("accepts no more changes");
          expect(["conflict", "not_found"]).toContain((thrown as StoreError).code);
        }
        expect(store.notes.query()).toEqual(before);
        store.close();
        expect(there()).toEqual(expected);
      }
    },
  );

  test("leaves alone what was put at the path of a store that is being made", async () => {
    const top = newFolder();
    const live = join(top, "live");
    const other = made(join(top, "other"), "bob", 3);
    const expected = contentOf(other);
    const making = importStore(live, () => {
      renameSync(live, `${live}-old`);
      renameSync(other, live);
      return notesOf("ann", 3);
    });
    await expect(making).rejects.toBeInstanceOf(StoreError);
    expect(contentOf(live)).toEqual(expected);
  });
});

describe("a reader", () => {
  test("keeps its records if another store is put at its path, and says so", () => {
    const live = made(join(newFolder(), "live"), "ann", 2);
    const reader = openStore(live, schemas, { readOnly: true });
    renameSync(live, `${live}-old`);
    expect(thrownBy(StoreError, () => reader.refresh()).code).toBe("not_found");
    made(live, "bob", 2);
    const { code, reason } = thrownBy(StoreError, () => reader.refresh());
    expect([code, reason]).toEqual(["conflict", expect.stringContaining("was replaced")]);
    expect(reader.notes.count([["owner", "exactly", "ann"]])).toBe(5);
    rmSync(live, { recursive: true });
    renameSync(`${live}-old`, live);
    expect(reader.refresh()).toBe(0);
    reader.close();
  });

  test.each(["folder", "journal"])("follows a copy of its store in place of the %s", (what) => {
    const live = made(join(newFolder(), "live"), "ann", 2);
    const reader = openStore(live, schemas, { readOnly: true });
    cpSync(live, `${live}-copy`, { recursive: true });
    if (what === "folder") renameSync(live, `${live}-old`);
    else rmSync(join(live, "journal-1.log"));
    if (what === "folder") renameSync(`${live}-copy`, live);
    else copyFileSync(join(`${live}-copy`, "journal-1.log"), join(live, "journal-1.log"));
    const store = openNotes(live);
    store.update(insert(2000, "ann"));
    expect([reader.refresh(), reader.notes.size]).toEqual([1, 6]);
    store.update(insert(2001, "ann"));
    expect([reader.refresh(), reader.notes.size]).toEqual([1, 7]);
    store.close();
    reader.close();
  });
});

describe("a store opens as what it is", () => {
  const inFolder = () => join(newFolder(), "store");

  test("one of collections not as a service; the error has their names", () => {
    for (const database of [notesOf("ann", 0), notesOf("ann", 2), createDatabase({})]) {
      const folder = inFolder();
      createStore(folder, database).close();
      const before = contentOf(folder);
      for (const options of [undefined, { readOnly: true } as const]) {
        const error = thrownBy(StoreError, () => openStore(folder, options as object));
        expect([error.code, error.reason]).toEqual([
          "conflict",
          expect.stringMatching(
            /is a store of collections.*openStore\(directory, \{ "\w+": schema \}/,
          ),
        ]);
      }
      expect(contentOf(folder).filter(([name]) => name !== "lock")).toEqual(
        before.filter(([name]) => name !== "lock"),
      );
      openStore(folder, schemas).close();
      openStore(folder, {}, {}).close();
    }
  });

  test("one of a service not as a database, also after a repair", () => {
    for (const files of [[], [{ id: 1, folder_id: 1, name: "a" }]]) {
      const folder = inFolder();
      createStore(folder, createService({ files })).close();
      for (let round = 0; round < 2; round++) {
        for (const options of [{}, { readOnly: true } as const]) {
          const error = thrownBy(StoreError, () => openStore(folder, schemas, options as object));
          expect(error).toMatchObject({ code: "conflict", reason: /of a service/ });
        }
        const store = openStore(folder);
        expect(store.files.size).toBe(files.length);
        store.close();
        unlinkSync(join(folder, "store.json"));
        repairStore(folder);
      }
    }
  });

  test("one that is both either way", async () => {
    const folder = inFolder();
    createStore(folder, createService()).close();
    await importCollection(folder, "notes", () =>
      createCollection(Note, [{ id: 1, owner: "ann" }]),
    );
    openStore(folder).close();
    const store = openNotes(folder);
    expect(store.notes.size).toBe(1);
    store.close();
    const other = inFolder();
    createStore(other, notesOf("ann", 1)).close();
    const database = openNotes(other);
    const service = createService({ database });

    service.update((draft) => {
      draft.files = draft.files.insert([{ id: 1, folder_id: 1, name: "a" }]);
    });
    database.close();
    const opened = openStore(other);
    expect(opened.files.size).toBe(1);
    opened.close();
  });
});
