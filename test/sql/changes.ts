// Changes of an in-memory service, and whether an engine to which their patches are written gives the same results.

import fc from "fast-check";
import { expect } from "vitest";
import {
  Contact,
  createBatch,
  createService,
  File,
  type BatchContactInput,
  type ContactInput,
  type FileInput,
  type Schema,
  type Service,
  type ServiceDraft,
} from "../../src/index.ts";
import type { ServiceTables } from "../../src/sql/index.ts";
import { batch, contactRecord, fileRecord, files } from "../../src/testing/index.ts";
import {
  change as write,
  isStorable,
  rowsOf,
  type ClusterEngine,
  type Engine,
} from "../engines/engine.ts";
import { settings } from "../property.ts";
import { serviceOn } from "./load.ts";

/** One of the things that a recipe does; `pick` chooses of what there is. */
interface Step {
  readonly kind: keyof typeof steps;
  readonly pick: number;
  readonly file: FileInput;
  readonly contact: ContactInput;
  readonly text: string;
}

type Do = (draft: ServiceDraft, step: Step) => void;

const NAMES = ["Email", "Age", "0", "__proto__", "a'b"];
const of = <Item>(items: readonly Item[], pick: number) => items[pick % items.length];
const batchOf = (draft: ServiceDraft, { pick }: Step) =>
  draft.batches[of(Object.keys(draft.batches), pick) ?? ""];
const freeId = ({ files }: ServiceDraft) =>
  files.query().reduce((most, { id }) => Math.max(most, Number(id)), 0) + 1;

const steps = {
  insertFile(draft, { file }) {
    const id = freeId(draft);
    if (Number.isSafeInteger(id)) draft.files = draft.files.insert([{ ...file, id }]);
  },
  changeFiles(draft, { pick, text }) {
    draft.files = draft.files.update([["id", "greater_than", pick % 12]], (file) => {
      file.size = pick;
      file.url = text;
    });
  },
  renameFiles(draft, { text }) {
    draft.files = draft.files.update([["size", "exactly", "0"]], (file) => {
      file.name = `${text}.x`;
    });
  },
  /** Two Files or more give their ids to each other. */
  moveIds(draft, { pick }) {
    const ids = draft.files.query().map(({ id }) => id);
    const next = new Map(ids.map((id, i) => [id, ids[(i + 1 + (pick % ids.length)) % ids.length]]));
    draft.files = draft.files.update([], (file) => {
      file.id = Number(next.get(String(file.id)));
    });
  },
  /** A File gets the id of one that goes. */
  takeId(draft, { pick }) {
    const ids = draft.files.query().map(({ id }) => id);
    const [gone, heir] = [of(ids, pick), of(ids, pick + 1)];
    if (gone === undefined || heir === undefined || gone === heir) return;
    draft.files = draft.files
      .remove([["id", "exactly", gone]])
      .update([["id", "exactly", heir]], (file) => void (file.id = Number(gone)));
  },
  removeFiles(draft, { pick }) {
    draft.files = draft.files.remove([["id", "less_than", pick % 12]]);
  },
  addBatch(draft, { pick, contact }) {
    const id = 100 + (pick % 5);
    if (draft.batches[id] !== undefined) return;
    const lists = [
      { id: 1, fields: { Email: "string", Age: "int" } as const, contacts: [contact] },
    ];
    draft.batches[id] = createBatch({ id, lists });
  },
  removeBatch(draft, step) {
    const found = batchOf(draft, step);
    if (found !== undefined) Reflect.deleteProperty(draft.batches, found.id);
  },
  insertContact(draft, step) {
    const found = batchOf(draft, step);
    const list = found && of(found.lists, step.pick);
    if (found === undefined || list === undefined) return;
    const input: BatchContactInput = { ...step.contact, fields: {}, list };
    found.contacts = found.contacts.insert([input]);
  },
  changeContacts(draft, step) {
    const found = batchOf(draft, step);
    if (found === undefined) return;
    found.contacts = found.contacts.update([["send_id", "less_than", 5]], (contact) => {
      contact.contact_email = step.text;
      contact.open_country = step.pick % 2 === 0 ? null : step.text;
      contact.open_count = step.pick;
      for (const name of Object.keys(contact.fields ?? {})) {
        const isText = !Number.isInteger(Number(contact.fields?.[name] ?? "x"));
        const value = isText && name === "Email" ? step.text : null;
        contact.fields = { ...contact.fields, [name]: value };
      }
    });
  },
  moveContacts(draft, step) {
    const found = batchOf(draft, step);
    const list = found && of(found.lists, step.pick);
    if (found === undefined || list === undefined) return;
    found.contacts = found.contacts.update([["send_id", "greater_than", 5]], (contact) => {
      contact.list = list;
      contact.fields = {};
    });
  },
  removeContacts(draft, step) {
    const found = batchOf(draft, step);
    if (found === undefined) return;
    found.contacts = found.contacts.remove([["contact_id", "less_than", step.pick % 7]]);
  },
  addList(draft, step) {
    const found = batchOf(draft, step);
    const id = String(500 + (step.pick % 3));
    if (found === undefined || found.lists.includes(id)) return;
    found.addList({ id, contacts: [{ ...step.contact, fields: {} }] });
  },
  removeList(draft, step) {
    const found = batchOf(draft, step);
    const list = found && of(found.lists, step.pick);
    if (list !== undefined) found?.removeList(list);
  },
  addListField(draft, step) {
    const found = batchOf(draft, step);
    const list = found && of(found.lists, step.pick);
    if (list === undefined) return;
    try {
      const name = of(NAMES, step.pick) ?? "";
      // What changes Contacts gives this one a text.
      const type = step.text.length % 2 === 0 && name !== "Email" ? "int" : "string";
      found?.addListField(list, name, type);
    } catch {
      // There is one of that name.
    }
  },
  removeListField(draft, step) {
    const found = batchOf(draft, step);
    for (const list of found?.lists ?? []) {
      try {
        found?.removeListField(list, of(NAMES, step.pick) ?? "");
      } catch {
        // There is none of that name.
      }
    }
  },
} as const satisfies Readonly<Record<string, Do>>;

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
  pick: fc.nat({ max: 60 }),
  file: fileRecord(),
  contact: contactRecord().map((contact) => ({ ...contact, fields: {} })),
  text: fc.constantFrom("a", "", "b'\\", "é😀", "\ufeff"),
});

/** Either service, as it is asked here. */
interface Asked {
  readonly searchFiles: () => unknown;
  readonly getBatchContacts: (
    id: string,
    criteria: [],
    limit: "",
    offset: "",
    by: string,
  ) => unknown;
}

/** Whatever there is to be seen of what a service in memory has. */
async function everything(service: Asked, { batches }: Service): Promise<unknown[]> {
  const seen: unknown[] = [service.searchFiles()];
  for (const [id, { contacts }] of Object.entries(batches)) {
    for (const name of ["", "open_count", ...Object.keys(contacts.schema.fields).slice(24)]) {
      seen.push(service.getBatchContacts(id, [], "", "", name));
    }
  }
  return Promise.all(seen);
}

/** Columns named like those of results, and tables like what statements name themselves. */
const columnsOf = ({ fields }: Schema) =>
  Object.fromEntries(Object.keys(fields).map((name, i) => [name, i < 9 ? `tercet_${i}` : name]));
const ODD_TABLES: ServiceTables = {
  files: { name: "changed", columns: columnsOf(File), position: "tercet_9" },
  contacts: {
    ...{ name: "page", columns: columnsOf(Contact), position: "tercet_9" },
    ...{ batch: "tercet_10", list: "tercet_11", listFields: "tercet_12" },
  },
  lists: {
    ...{ name: "positions", batch: "tercet_0", list: "tercet_1" },
    ...{ position: "tercet_2", fields: "tercet_3" },
  },
};

/** How many rows the tables have: no result shows those of Contacts whose List or Batch is gone. */
async function rowCounts(engine: Engine, isOdd: boolean): Promise<number[]> {
  const counts: number[] = [];
  for (const table of isOdd ? ["changed", "page"] : ["tercet_files", "tercet_contacts"]) {
    const [row] = await rowsOf(engine, `SELECT count(*) AS n FROM ${table}`);
    counts.push(Number(Object.values(row ?? {})[0]));
  }
  return counts;
}

async function generationOf(engine: Engine): Promise<number> {
  const [row] = await rowsOf(engine, "SELECT generation FROM tercet_state");
  return Number(Object.values(row ?? {})[0]);
}

const cases = fc.tuple(
  files({ maxLength: 6 }),
  batch({ id: 7, maxContacts: 4 }),
  fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 }),
  fc.boolean(),
);

/** Fails where the answers are not those of memory after each change, made once or twice. */
export async function expectChangesWritten(engine: Engine | ClusterEngine): Promise<void> {
  const { dialect } = engine;
  const cluster = "shards" in engine ? { servers: engine.servers } : undefined;
  await fc.assert(
    fc.asyncProperty(cases, async ([files, batch, updates, drawnOdd]) => {
      const data = { files, batches: [batch] };
      const memory = createService(data);
      fc.pre(isStorable(engine, [data, updates]));
      // Those of a cluster are the tables of several servers.
      const isOdd = drawnOdd && engine.createTables === undefined;
      const tables = isOdd ? ODD_TABLES : undefined;
      const service = await serviceOn(engine, data, { tables });
      let generation = await generationOf(engine);
      let changes = 0;
      for (const update of updates) {
        const change = memory.update((draft) => {
          for (const each of update) steps[each.kind](draft, each);
        });
        changes += change.patches.length;
        generation++;
        await write(engine, change, { tables, cluster, generation });
        // Where there are no transactions, rows would be there twice.
        const isRepeatable = dialect !== "clickhouse";
        if (isRepeatable) await write(engine, change, { tables, cluster, generation });
        const [here, there] = [await everything(memory, memory), await everything(service, memory)];
        expect(there, JSON.stringify(change)).toEqual(here);
        const contacts = Object.values(memory.batches).map((each) => each.contacts.size);
        const counts = [memory.files.size, contacts.reduce((sum, each) => sum + each, 0)];
        expect(await rowCounts(engine, isOdd), JSON.stringify(change)).toEqual(counts);
      }
      // A case in which nothing is changed counts as none.
      fc.pre(changes > 0);
    }),
    settings(5),
  );
}
