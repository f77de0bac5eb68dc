// The statements that applyPatchesSql makes from a change. test/differential runs them on engines.

import { expect, test } from "vitest";
import { createService, InputError, type DatabaseChange } from "../../src/index.ts";
import { applyPatchesSql, type DialectName } from "../../src/sql/index.ts";
import { like } from "../likeness.ts";

const statementsOf = (change: DatabaseChange, dialect: DialectName = "sqlite") => [
  ...applyPatchesSql(change, { dialect }),
];
const RAISE = 'UPDATE "tercet_state" SET "generation" = "generation" + 1 WHERE 1 = 1';

test("records in which the same columns are changed are one statement, and so are those that go, and those that come", () => {
  const service = createService({ files: [1, 2, 3, 4, 5, 6].map(file) });
  const change = service.update((draft) => {
    draft.files = draft.files
      .update([], (each) => {
        each.size = each.id;
        if (Number(each.id) < 3) each.url = "u";
      })
      .remove([["id", "greater_than", 3]])
      .insert([7, 8].map(file));
  });
  const from = `FROM (SELECT (r ->> 0)::bigint AS tercet_0, (r ->> 1)::bigint AS tercet_1, (r ->> 2) AS tercet_2 FROM jsonb_array_elements($1::jsonb) AS r) AS changed`;
  expect(
    statementsOf(change, "postgres").map(({ text, parameters }) => [
      text.replace(/(INSERT INTO "tercet_files").*/, "$1"),
      ...(text.startsWith("INSERT") ? [] : parameters),
    ]),
  ).toEqual([
    [RAISE],
    [`DELETE FROM "tercet_files" WHERE "id" = ANY($1::bigint[])`, [4, 5, 6]],
    [
      `UPDATE "tercet_files" SET "size" = tercet_1, "url" = tercet_2 ${from} WHERE "id" = ANY($2::bigint[]) AND "id" = tercet_0`,
      '[["1","1","u"],["2","2","u"]]',
      [1, 2],
    ],
    ['UPDATE "tercet_files" SET "size" = $1::bigint WHERE "id" = $2::bigint', 3, 3],
    ['INSERT INTO "tercet_files"'],
  ]);
  // Some have no such statement: each record is changed by its own, and those that go are one.
  expect(statementsOf(change, "clickhouse").map(({ text }) => text.slice(0, 33))).toEqual([
    "ALTER TABLE `tercet_state` UPDATE",
    "ALTER TABLE `tercet_files` DELETE",
    "ALTER TABLE `tercet_files` UPDATE",
    "ALTER TABLE `tercet_files` UPDATE",
    "ALTER TABLE `tercet_files` UPDATE",
    "INSERT INTO `tercet_files` (`posi",
  ]);
  expect(statementsOf(change)).toHaveLength(6);
});

test("Contacts go with their List, and with their Batch", () => {
  const contact = { send_id: 1, contact_id: 1, contact_email: "a" };
  const lists = [
    { id: 10, contacts: [contact] },
    { id: 20, contacts: [{ ...contact, send_id: 2 }] },
  ];
  const service = createService({ batches: [{ id: 7, lists }] });
  const isOfContacts = ({ text }: { readonly text: string }) => text.includes("tercet_contacts");
  const ofList = service.update((draft) => draft.batches["7"]?.removeList(10));
  expect(statementsOf(ofList).filter(isOfContacts)).toEqual([
    {
      text: 'DELETE FROM "tercet_contacts" WHERE `batch_id` = ? AND `list_id` = ?',
      parameters: [7, 10],
    },
  ]);
  const ofBatch = service.update((draft) => {
    delete draft.batches["7"];
  });
  expect(statementsOf(ofBatch).filter(isOfContacts)).toEqual([
    { text: 'DELETE FROM "tercet_contacts" WHERE `batch_id` = ?', parameters: [7] },
  ]);
});

const file = (id: number) => ({ id, folder_id: 1, name: `${id}.txt` });

test("ids that Files give each other are free before they are given", () => {
  const service = createService({ files: [1, 2, 3].map(file) });
  const swapped = service.update((draft) => {
    draft.files = draft.files.update([["id", "in", [1, 3]]], (each) => {
      each.id = each.id === "1" ? "3" : "1";
    });
  });
  const moved = service.update((draft) => {
    draft.files = draft.files.remove([["id", "exactly", 3]]).insert([file(3)]);
  });
  for (const change of [swapped, moved]) {
    expect(statementsOf(change).map(({ text }) => text.slice(0, 6))).toEqual([
      "UPDATE",
      "DELETE",
      "INSERT",
    ]);
  }
  const [, , inserted] = statementsOf(swapped);
  // The positions stay, and the ids change places.
  expect(inserted?.parameters[0]).toMatch(/^\[\["0","3",.*\["2","1",/);
});

test("ClickHouse changes and removes rows on all servers of a cluster, PostgreSQL where they are asked", () => {
  const service = createService({ files: [1, 2].map(file) });
  const change = service.update((draft) => {
    draft.files = draft.files
      .remove([["id", "exactly", 1]])
      .update([], (each) => void (each.size = "9"))
      .insert([file(5)]);
  });
  const cluster = { servers: ["shop"], tables: { files: ["parts", "tercet_files"] } };
  const writtenIn = (dialect: DialectName) =>
    [...applyPatchesSql(change, { dialect, cluster })].map(({ text }) =>
      /["`].*?["`](?: ON CLUSTER \S+)? /.exec(text)?.[0].trim(),
    );
  const part = "`parts`.`tercet_files` ON CLUSTER `shop`";
  expect(writtenIn("clickhouse")).toEqual(["`tercet_state`", part, part, "`tercet_files`"]);
  const table = '"tercet_files"';
  expect(writtenIn("postgres")).toEqual(['"tercet_state"', table, table, table]);
  expect(() => writtenIn("duckdb")).toThrow(
    "options.cluster: is for PostgreSQL and ClickHouse, not for duckdb",
  );
});

test("a change whose members can't be read is refused", () => {
  const change = {
    inversePatches: [],
    get patches(): [] {
      throw new Error("unreadable");
    },
  };
  expect(() => applyPatchesSql(change, { dialect: "sqlite" })).toThrow(
    like(new InputError("change", "could not be read")),
  );
});

test("a patch that leads nowhere, or whose value is not one, is refused with its number", () => {
  const refused = (path: (string | number)[], value: unknown, op = "replace" as const) =>
    expect(() => statementsOf({ patches: [{ op, path, value }], inversePatches: [] }, "postgres"));
  refused(["x"], 1).toThrow('patches[0].path: must start with "files" or "batches"');
  refused(["files", "x"], 1).toThrow("patches[0].path: does not point to a File");
  refused(["files", 0, "sise"], "1").toThrow("patches[0].path: does not point to a File");
  refused(["files", 0, "size", "x"], "1").toThrow("patches[0].path: does not point to a File");
  refused(["files", 0, "size"], "x").toThrow("patches[0].value: must be an integer");
  refused(["files", 0, "name"], "a\0b").toThrow(
    "patches[0].value: contains U+0000, which strings of postgres can't",
  );
  refused(["files", 1], file(1), "add" as never).toThrow("patches[0].key: is missing");
  refused(["files", 0], { id: 1 }).toThrow("patches[0].value.folder_id: is missing");
  refused(["batches", "x"], 1).toThrow("patches[0].path: does not point to");
  refused(["batches", "7", "contacts", 0, "fields", "Email"], 7).toThrow(
    'patches[0].value: must be a string, not 7; write "7"',
  );
  refused(["batches", "7", "contacts", 0, "list"], "x").toThrow("must be the id of a List");
  refused(["batches", "7", "lists"], []).toThrow("do not say which Lists Batch 7 had");
});
