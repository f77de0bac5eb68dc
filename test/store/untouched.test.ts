// What a store and a command leave alone: stores of newer versions, targets of links, and permissions.

import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
} from "../../src/index.ts";
import {
  checkStore,
  createStore,
  openStore,
  repairStore,
  saveFile,
  schemasOf,
  StoreError,
} from "../../src/store/index.ts";
import { crc32c } from "../../src/store/checksum.ts";
import { runCommand } from "../command.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { newFolder } from "./fixtures.ts";

const Item = defineSchema({ id: int({ unique: true }) });
const items = (count: number) =>
  createCollection(
    Item,
    Array.from({ length: count }, (_, id) => ({ id })),
  );

function made(): string {
  const directory = join(newFolder(), "store");
  const store = createStore(directory, createDatabase({ items: items(1500) }));
  store.update((draft) => void (draft.items = draft.items.insert({ id: 2000 })));
  store.close();
  return directory;
}

/** Everything in a folder, by name. */
const contentOf = (directory: string) =>
  readdirSync(directory).map((name) => [name, readFileSync(join(directory, name)).toString("hex")]);

/** Opens, changes and repairs a store in every way. What it throws tells nothing here. */
function useAll(directory: string): void {
  for (const run of [
    () => {
      const store = openStore(directory, { items: Item });
      store.update((draft) => void (draft.items = draft.items.insert({ id: 3000 })));
      store.checkpoint();
      store.close();
    },
    () => repairStore(directory),
    () => createStore(directory, createService()).close(),
  ]) {
    try {
      run();
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(StoreError);
    }
  }
}

describe("a store of another version", () => {
  const named = (version: number) => {
    const text = `{"format":"tercet store","version":${version},"more":[1],"generation":7`;
    return `${text},"checksum":"${crc32c(Buffer.from(text)).toString(16).padStart(8, "0")}"}\n`;
  };

  test.each(
    ["store.json", "store.json.next"].flatMap((name) => [
      [name, 4, "was written by a newer tercet"] as const,
      [name, 2, "was written by a tercet before its first release"] as const,
    ]),
  )("is reported by everything, and not written: %s, %i", (name, version, expected) => {
    const directory = made();
    unlinkSync(join(directory, "store.json"));
    writeFileSync(join(directory, name), named(version));
    const before = contentOf(directory);
    for (const run of [
      () => openStore(directory, { items: Item }),
      () => openStore(directory),
      () => checkStore(directory),
      () => repairStore(directory),
    ]) {
      const { reason, code } = thrownBy(StoreError, run);
      expect([reason, code]).toEqual([expect.stringContaining(expected), "unsupported"]);
    }
    useAll(directory);
    expect(contentOf(directory)).toEqual(before);
    if (name !== "store.json") return;
    for (const run of [
      () => openStore(directory, { readOnly: true }),
      () => schemasOf(directory),
    ]) {
      expect(thrownBy(StoreError, run).reason).toContain(expected);
    }
  });

  test("is not what a damaged bit makes of one of this version", () => {
    const directory = made();
    const path = join(directory, "store.json");
    writeFileSync(path, readFileSync(path, "utf8").replace('"version":3', '"version":4'));
    expect(checkStore(directory).problems).toHaveLength(1);
    repairStore(directory);
    openStore(directory, { items: Item }).close();
  });
});

describe.skipIf(process.platform === "win32")("links", () => {
  test.each(["symbolic", "hard"])("to other files are not written through: %s", (kind) => {
    const directory = made();
    const victim = join(newFolder(), "victim");
    const precious = "precious\n".repeat(100);
    const link = kind === "hard" ? linkSync : symlinkSync;
    // Each name that a store has, or will have.
    const names = [
      "lock",
      "store.json.next",
      "data-2.log",
      "journal-2.log",
      "items-2.arrow",
      "data-3.log",
      "journal-3.log",
      "items-3.arrow",
    ];
    for (const name of [...names, "journal-1.log"]) {
      writeFileSync(victim, precious);
      rmSync(join(directory, name), { force: true });
      link(victim, join(directory, name));
      // A journal is written in place. One that has a second name, as in a backup by hard links, is the store's.
      if (name !== "journal-1.log" || kind === "symbolic") useAll(directory);
      expect([name, readFileSync(victim, "utf8")]).toEqual([name, precious]);
      rmSync(join(directory, name), { force: true });
      rmSync(directory, { recursive: true });
      const again = createStore(directory, createDatabase({ items: items(1500) }));
      again.close();
    }
  });

  test("at the name of saveFile, or of its temporary file, are replaced", () => {
    const folder = newFolder();
    const victim = join(folder, "victim");
    writeFileSync(victim, "precious");
    for (const name of ["a.arrow", "a.arrow.next"]) {
      rmSync(join(folder, name), { force: true });
      symlinkSync(victim, join(folder, name));
      saveFile(join(folder, "a.arrow"), items(3));
      expect(readFileSync(victim, "utf8")).toBe("precious");
      expect(lstatSync(join(folder, "a.arrow")).isFile()).toBe(true);
    }
  });
});

describe.skipIf(process.platform === "win32")("permissions", () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  test.each([0o600, 0o640, 0o664])("of files stay when these are replaced: %i", async (mode) => {
    const directory = made();
    const file = join(newFolder(), "a.arrow");
    const csv = `${file}.csv`;
    saveFile(file, items(3));
    writeFileSync(csv, "");
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), mode);
    for (const path of [file, csv]) chmodSync(path, mode);
    saveFile(file, items(4));
    const store = openStore(directory, { items: Item });
    store.update((draft) => void (draft.items = draft.items.insert({ id: 3000 })));
    store.checkpoint();
    store.close();
    writeFileSync(join(directory, "journal-2.log"), "damaged", { flag: "a" });
    openStore(directory, { items: Item }).close();
    writeFileSync(join(directory, "store.json"), "damaged");
    repairStore(directory);
    const { code } = await runCommand(["query", `${directory}/items`, "--to", csv, "--force"]);
    expect(code).toBe(0);
    const paths = [file, csv, ...readdirSync(directory).map((name) => join(directory, name))];
    expect(paths.filter((path) => modeOf(path) !== mode)).toEqual([]);
  });
});
