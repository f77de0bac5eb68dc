// How the command handles stores: it searches, queries, checks, repairs and copies them.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  int,
} from "../../src/index.ts";
import { createStore } from "../../src/store/index.ts";
import { bundleCommand } from "../command.ts";
import { change, contact, makeService, newFolder } from "./fixtures.ts";

const place = newFolder();
const command = join(place, "tercet.mjs");

beforeAll(() => bundleCommand(command));

function tercet(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...parameters], {
    cwd: place,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** A store with changes in its journal, closed. */
function makeStore(changes = 3): string {
  const folder = newFolder();
  const store = createStore(folder, makeService());
  for (let n = 0; n < changes; n++) change(store, n);
  store.close();
  return folder;
}

test("`tercet files` searches the Files of a store, and writes nothing there", () => {
  const folder = makeStore(2);
  const before = readdirSync(folder);
  const query = ["--criteria", '[["folder_id","less_than",8]]', "--json", "--sort-by", "id"];
  const { stdout, status } = tercet("files", folder, ...query);
  const files = JSON.parse(stdout) as { id: string }[];
  expect(files.map(({ id }) => id)).toEqual(["1001", "1000", "2", "1"]);
  expect(status).toBe(0);
  expect(readdirSync(folder)).toEqual(before);
});

test("a folder with a file called store.json is a folder", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "store.json"), "[]");
  const files = JSON.parse(tercet("files", folder, "--json").stdout) as { name: string }[];
  expect(files.map(({ name }) => name)).toEqual(["store.json"]);
});

test("`tercet contacts` searches a Batch of a store: the only one, or the one that is named", () => {
  const folder = makeStore(0);
  const ids = ({ stdout }: { stdout: string }) =>
    Object.values(JSON.parse(stdout) as Record<string, { send_id: string }[]>)
      .flat()
      .map(({ send_id }) => Number(send_id));
  expect(ids(tercet("contacts", folder, "--json")).sort((a, b) => a - b)).toEqual([1, 2, 3]);
  const several = newFolder();
  const batches = [3, 12].map((id) => ({ id, lists: [{ id: 1, contacts: [contact(id)] }] }));
  createStore(several, createService({ batches })).close();
  expect(ids(tercet("contacts", several, "--batch", "12", "--json"))).toEqual([12]);
  expect(tercet("contacts", several)).toEqual({
    status: 2,
    stdout: "",
    stderr: "tercet: --batch: must be given; use 3, 12\n",
  });
  expect(tercet("contacts", several, "--batch", "4").stderr).toBe(
    "tercet: --batch: there is no Batch 4; use 3, 12\n",
  );
});

test.each(["contacts", "export"])(
  "`tercet %s` of a store without Batches says how to read its collections",
  (name) => {
    const folder = newFolder();
    const Ticket = defineSchema({ id: int({ unique: true }) });
    const tickets = createCollection(Ticket, [{ id: 1 }]);
    createStore(folder, createDatabase({ tickets })).close();
    const options = name === "export" ? ["--to", "tickets.csv"] : [];
    expect(tercet(name, folder, ...options)).toEqual({
      status: 2,
      stdout: "",
      stderr: `tercet: ${folder}: has no Batches; for its collections (tickets) use tercet query ${folder}/tickets\n`,
    });
  },
);

test("`tercet rpc --store` answers from a store as it is when a request is read", async () => {
  const folder = newFolder();
  const store = createStore(folder, makeService());
  const server = spawn(process.execPath, [command, "rpc", "--store", folder], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  const count = async () => {
    server.stdin.write('{"id":1,"method":"searchFiles","params":["key"]}\n');
    const { value } = (await lines.next()) as { value: string };
    return (JSON.parse(value) as { result: unknown[] }).result.length;
  };
  expect(await count()).toBe(3);
  change(store, 0);
  expect(await count()).toBe(4);
  store.checkpoint();
  change(store, 1);
  expect(await count()).toBe(5);
  const closed = once(server, "close");
  server.stdin.end();
  expect(await closed).toEqual([0, null]);
  store.close();
  expect(tercet("rpc", "--store", folder, "--files", place).stderr).toBe(
    "tercet: --store: can't be combined with --files or --batch\n",
  );
  expect(tercet("rpc", "--store", place)).toMatchObject({
    status: 2,
    stderr: `tercet: ${join(place, "store.json")}: can't be read: no such file or directory\n`,
  });
});

test("`tercet store check` and `repair`: what is wrong, what was done, and exit codes", () => {
  const folder = makeStore();
  const journal = join(folder, "journal-1.log");
  expect(tercet("store", "check", folder)).toEqual({
    status: 0,
    stdout: "3 complete changes since the last checkpoint\nThe store is intact.\n",
    stderr: "",
  });
  expect(tercet("store", "repair", folder)).toEqual({
    status: 0,
    stdout: "The store is intact; nothing to do.\n",
    stderr: "",
  });
  const bytes = readFileSync(journal);
  bytes[bytes.indexOf('"op"')] = 0;
  writeFileSync(journal, bytes);
  const checked = tercet("store", "check", folder);
  expect(checked).toMatchObject({ status: 1, stderr: "" });
  expect(checked.stdout).toMatch(
    /^journal-1.log: at byte \d+: \d+ bytes are damaged\n0 complete changes since the last checkpoint\nThe store is damaged.\n$/,
  );
  const repaired = tercet("store", "repair", folder);
  expect(repaired).toMatchObject({ status: 0, stderr: "" });
  expect(repaired.stdout).toMatch(
    /^journal-1.log: at byte \d+: \d+ bytes are damaged\nkept: journal-1.log.kept\nfiles: records may be missing, removed records may be back, records may have earlier values\nbatches\/5: .*\nThe store is repaired, with 0 changes from its journal.\n$/,
  );
  expect(tercet("store", "check", folder).status).toBe(0);
  expect(tercet("store", "repair", place)).toMatchObject({ status: 2, stdout: "" });
});

test("`tercet store backup` copies a store beside its writer, and refuses a folder that is in use", () => {
  const folder = newFolder();
  const store = createStore(folder, makeService());
  for (let n = 0; n < 3; n++) change(store, n);
  const copy = join(newFolder(), "copy");
  expect(tercet("store", "backup", folder, copy)).toEqual({
    status: 0,
    stdout: "The store is copied, as of change 3.\n",
    stderr: "",
  });
  change(store, 3);
  store.close();
  expect(tercet("store", "check", copy)).toMatchObject({
    status: 0,
    stdout: "3 complete changes since the last checkpoint\nThe store is intact.\n",
  });
  expect(tercet("store", "backup", folder, copy)).toEqual({
    status: 2,
    stdout: "",
    stderr: `tercet: ${copy}: is already a store\n`,
  });
  expect(tercet("store", "backup", copy, place)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`tercet: ${place}: is not empty: there is `) as string,
  });
  expect(tercet("store", "backup", join(place, "nowhere"), copy)).toMatchObject({ status: 2 });
});

test("`tercet store check` reports an unfinished change", () => {
  const folder = makeStore();
  const journal = join(folder, "journal-1.log");
  writeFileSync(journal, readFileSync(journal).subarray(0, -1));
  const { stdout, status } = tercet("store", "check", folder);
  expect(stdout).toMatch(/^\d+ bytes of an unfinished change; opening removes them\n2 /);
  expect(status).toBe(0);
});
