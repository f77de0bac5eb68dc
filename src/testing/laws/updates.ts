// The laws of updates (rules R2, P7 and V9), for services with tercet's `update`.

import * as fc from "fast-check";
import {
  compileCriteria,
  type ContactCriteria,
  type FileCriteria,
  type FileInput,
  type ServiceDraft,
} from "../../index.ts";
import { contactRecord, files } from "../arbitraries/records.ts";
import type { Operation } from "../operations.ts";
import { expect, expectSame, keysOf } from "./compare.ts";
import { anyCriteria, anyQuery } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import type { Members } from "./members.ts";
import { type CheckedData } from "./checked.ts";
import { listIdsOf, ofService, type ServiceSetting } from "./setting.ts";
import { Table } from "./table.ts";

type Change = "set" | "remove" | "insert";

/** A change of the selected records, or an insertion. */
interface Changing {
  readonly change: Change;
  readonly criteria: readonly unknown[];
  readonly inserted: readonly FileInput[];
}

/** The field that changes set: one of a File, one of a Contact. */
const NEW = "7";

/** The inputs of a List after a change; `part` is what "set" assigns. */
type Apply = <Input>(inputs: readonly Input[], list: string, part: Partial<Input>) => Input[];

/** How the records of an operation are changed. */
interface ChangeRow {
  readonly changes: readonly Change[];
  /** With the service's own `update`. */
  readonly update: (draft: ServiceDraft, table: Table, changing: Changing) => void;
  /** The data after the change. */
  readonly changed: (setting: ServiceSetting, changing: Changing, apply: Apply) => CheckedData;
}

const rows: Readonly<Record<Operation, ChangeRow>> = {
  searchFiles: {
    changes: ["set", "remove", "insert"],
    update(draft, _, { change, criteria, inserted }) {
      const selected = criteria as FileCriteria;
      if (change === "insert") draft.files = draft.files.insert(inserted);
      else if (change === "remove") draft.files = draft.files.remove(selected);
      else draft.files = draft.files.update(selected, (file) => void (file.size = NEW));
    },
    changed: ({ data }, { change, inserted }, apply) => ({
      ...data,
      files:
        change === "insert" ? [...data.files, ...inserted] : apply(data.files, "", { size: NEW }),
    }),
  },
  getBatchContacts: {
    changes: ["set", "remove"],
    update(draft, table, { change, criteria }) {
      const batch = batchIn(draft, table);
      const selected = criteria as ContactCriteria as never;
      if (change === "remove") batch.contacts = batch.contacts.remove(selected);
      else
        batch.contacts = batch.contacts.update(
          selected,
          (contact) => void (contact.open_count = NEW),
        );
    },
    changed: ({ data, subject: [id] }, _, apply) => ({
      ...data,
      batches: data.batches.map((batch) =>
        String(batch.id) !== String(id)
          ? batch
          : {
              ...batch,
              lists: batch.lists.map((list) => ({
                ...list,
                contacts: apply(list.contacts, String(list.id), { open_count: NEW }),
              })),
            },
      ),
    }),
  },
};

function batchIn(draft: ServiceDraft, { setting: { subject } }: Table) {
  const batch = draft.batches[String(subject[0])];
  if (batch === undefined) throw new Error(`the draft has no Batch ${String(subject[0])}`);
  return batch;
}

/** The setting with the data after the change. */
function changed(table: Table, changing: Changing): ServiceSetting {
  const setting = ofService(table.setting);
  const accepts = compileCriteria(table.schema, changing.criteria);
  const selected = keysOf(table.all.filter((found) => accepts(table.valuesOf(found))));
  const apply: Apply = (inputs, list, part) => {
    const found = table.all.filter((each) => each.list === list);
    const isSelected = (index: number) => selected.has(found[index]?.key ?? "");
    return changing.change === "remove"
      ? inputs.filter((_, index) => !isSelected(index))
      : inputs.map((input, index) => (isSelected(index) ? { ...input, ...part } : input));
  };
  return { ...setting, data: rows[setting.operation].changed(setting, changing, apply) };
}

export const updateLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "after an update, queries answer from the new records",
    rules: ["R2"],
    needs: ["a function that makes it", "update"],
    generate: (setting) =>
      fc.record({
        change: fc.constantFrom(...rows[ofService(setting).operation].changes),
        criteria: anyCriteria(setting),
        inserted: files({ maxLength: 3 }).map((more) => {
          const known = new Set(ofService(setting).data.files.map(({ id }) => String(id)));
          return more.filter(({ id }) => !known.has(String(id)));
        }),
        queries: fc.array(anyQuery(setting), { minLength: 1, maxLength: 3 }),
      }),
    async holds(table, { queries, ...changing }) {
      for (const query of queries) await table.run(query); // results cached from here on may be stale
      const setting = changed(table, changing);
      await table.service.update((draft: ServiceDraft) => {
        rows[setting.operation].update(draft, table, changing);
      });
      const expected = await Table.ofModel(setting);
      const after = await Table.of(table.service, setting);
      const { change } = changing;
      expectSame(`after ${change}, all`, after.all, expected.all);
      for (const query of queries) {
        expectSame(`after ${change}`, await after.run(query), await expected.run(query));
      }
    },
  }),
  defineLaw({
    name: "a Contact that is inserted comes last, whatever its List",
    rules: ["P7"],
    about: "getBatchContacts",
    needs: ["a function that makes it", "update"],
    generate: () => fc.record({ contact: contactRecord(), pick: fc.nat() }),
    async holds(table, { contact, pick }) {
      const lists = listIdsOf(table.setting);
      const list = lists[pick % lists.length];
      if (list === undefined) return;
      const before = await table.runOneByOne({});
      await table.service.update((draft: ServiceDraft) => {
        const batch = batchIn(draft, table);
        batch.contacts = batch.contacts.insert([{ ...contact, send_id: NEW_SEND_ID, list }]);
      });
      const after = await table.runOneByOne({});
      expectSame("those before it", after.slice(0, -1), before);
      expect(after.at(-1)?.list === list, () => `the last one is not in List ${list}`);
    },
  }),
  defineLaw({
    name: "the names of a File follow the one that is changed",
    rules: ["V9"],
    about: "searchFiles",
    needs: ["a function that makes it", "update"],
    generate: () =>
      fc.record({
        pick: fc.nat(),
        change: fc.constantFrom(
          ...(["new", "new.old", ".new", "new."] as const).map((name) => ({ name })),
          ...(["new", ".new"] as const).map((basename) => ({ basename })),
          ...([".new", ".new.old"] as const).map((extension) => ({ extension })),
          { basename: "new", extension: ".old" },
        ),
      }),
    async holds(table, { pick, change }) {
      const record = table.all[pick % table.all.length]?.record;
      if (record === undefined) return;
      const { id, basename, extension } = namesOf(record);
      await table.service.update((draft: ServiceDraft) => {
        draft.files = draft.files.update([["id", "exactly", id]], (file) => {
          Object.assign(file, change);
        });
      });
      // Like a File loaded with the members that determine the others.
      const given = "name" in change ? change : { basename, extension, ...change };
      const data = { files: [{ id, folder_id: 1, ...given }], batches: [] };
      const [expected] = (await Table.ofModel({ ...ofService(table.setting), data })).all;
      const after = await table.run({ criteria: [["id", "exactly", id]] });
      for (const name of ["name", "basename", "extension"]) {
        const [found, wanted] = [after[0]?.record[name], expected?.record[name]];
        expect(
          found === wanted,
          () => `${name}: expected ${asText(wanted)}, found ${asText(found)}`,
        );
      }
    },
  }),
];

const asText = (value: unknown) => fc.stringify(value);

const namesOf = ({ id, basename, extension }: Members) => ({
  id: String(id),
  basename: String(basename),
  extension: String(extension),
});

/** Higher than the ids of the setting's Contacts. */
const NEW_SEND_ID = 1_000_000;
