// Batches, Lists and List Fields are added and removed. At every step, the service agrees with one
// made from plain data that changed in the same way, and with one that is updated by patches. Then
// everything is undone.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createBatch,
  createService,
  type ContactInput,
  type Patch,
  type Service,
  type ServiceDraft,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { contact } from "./fixtures.ts";

interface ListData {
  readonly id: number;
  readonly fields: Record<string, "string">;
  readonly contacts: ContactInput[];
}
type Data = Map<number, ListData[]>;

interface Change {
  readonly batch: number;
  readonly list: number;
  readonly field: "A" | "B" | "__proto__";
  readonly kind: (typeof KINDS)[number];
}

const KINDS = [
  "add Batch",
  "remove Batch",
  "add List",
  "remove List",
  "add field",
  "remove field",
  "insert",
  "set",
  "remove",
] as const;

/** The contacts that come with a change, told from all others by its number. */
const given = (n: number, fields: ListData["fields"]): ContactInput[] =>
  [2 * n, 2 * n + 1].map((id) => ({
    ...contact(id),
    fields: Object.fromEntries(Object.keys(fields).map((name) => [name, `${name}${id}`])),
  }));

const without = (fields: object, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([other]) => other !== name)) as never;

/** Changes the draft and the data, where that can be. */
function change(draft: ServiceDraft, data: Data, { batch, list, field, kind }: Change, n: number) {
  const id = String(batch);
  const lists = data.get(batch);
  const fields = { A: "string" } as const;
  if (kind === "add Batch") {
    const added = [{ id: list, fields, contacts: given(n, fields) }];
    draft.batches[id] = createBatch({ id: batch, lists: added });
    data.set(batch, added);
    return;
  }
  const drafted = draft.batches[id];
  if (lists === undefined || drafted === undefined) return;
  if (kind === "remove Batch") {
    Reflect.deleteProperty(draft.batches, id);
    data.delete(batch);
    return;
  }
  const at = lists.findIndex((each) => each.id === list);
  const found = lists[at];
  if (found === undefined) {
    const added = { id: list, fields, contacts: given(n, fields) };
    drafted.addList(added);
    lists.push(added);
    return;
  }
  const has = Object.hasOwn(found.fields, field);
  const put = (next: Partial<ListData>) => void lists.splice(at, 1, { ...found, ...next });
  if (kind === "remove List") {
    drafted.removeList(list);
    lists.splice(at, 1);
  } else if (kind === "add field" && !has) {
    drafted.addListField(list, field);
    put({ fields: Object.fromEntries([...Object.entries(found.fields), [field, "string"]]) });
  } else if (kind === "remove field" && has) {
    drafted.removeListField(list, field);
    put({
      fields: without(found.fields, field),
      contacts: found.contacts.map((each) => ({
        ...each,
        fields: without(each.fields ?? {}, field),
      })),
    });
  } else if (kind === "insert") {
    const added = given(n, found.fields);
    drafted.contacts = drafted.contacts.insert(added.map((each) => ({ ...each, list })));
    put({ contacts: [...found.contacts, ...added] });
  } else if (kind === "set" || kind === "remove") {
    const chosen = found.contacts[0]?.send_id ?? -1;
    const criteria = [["send_id", "exactly", String(chosen)]] as const;
    if (kind === "remove") {
      drafted.contacts = drafted.contacts.remove(criteria);
      put({ contacts: found.contacts.slice(1) });
    } else {
      drafted.contacts = drafted.contacts.update(criteria, (each) => {
        each.open_count = n;
      });
      const [first, ...rest] = found.contacts;
      if (first !== undefined) put({ contacts: [{ ...first, open_count: n }, ...rest] });
    }
  }
}

function answersOf(service: Service): unknown {
  return Object.keys(service.batches).map((id) => [
    id,
    service.getBatchContacts(id),
    ["A", "B", "__proto__"].map((name) => {
      const isThere = Object.hasOwn(service.batches[id]?.contacts.schema.fields ?? {}, name);
      return isThere && service.getBatchContacts(id, [[name, "contains", "1"]]);
    }),
  ]);
}

const made = (data: Data) =>
  createService({ batches: Array.from(data, ([id, lists]) => ({ id, lists })) });

const changes = fc.array(
  fc.array(
    fc.record<Change>({
      batch: fc.integer({ min: 1, max: 2 }),
      list: fc.integer({ min: 1, max: 3 }),
      field: fc.constantFrom("A", "B", "__proto__"),
      kind: fc.constantFrom(...KINDS),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  { maxLength: 12 },
);

test("Batches, Lists and List Fields that come and go leave what plain data says", () => {
  fc.assert(
    fc.property(changes, (steps) => {
      const data: Data = new Map();
      const [service, twin] = [createService(), createService()];
      const undo: { readonly before: unknown; readonly patches: readonly Patch[] }[] = [];
      let n = 0;
      for (const step of steps) {
        const before = answersOf(service);
        const { patches, inversePatches } = service.update((draft) => {
          for (const each of step) change(draft, data, each, n++);
        });
        expect(answersOf(service)).toEqual(answersOf(made(data)));
        twin.applyPatches(JSON.parse(JSON.stringify(patches)) as Patch[]);
        expect(answersOf(twin)).toEqual(answersOf(service));
        undo.push({ before, patches: JSON.parse(JSON.stringify(inversePatches)) as Patch[] });
      }
      for (const { before, patches } of undo.reverse()) {
        for (const each of [service, twin]) {
          each.applyPatches(patches);
          expect(answersOf(each)).toEqual(before);
        }
      }
    }),
    settings(30),
  );
});
