// Shrinks the data of a failing case, keeping the queries. fast-check can't do that, because it would generate new
// queries for data that it has shrunk.

import { isComputed } from "../arbitraries/computed.ts";
import {
  boolean,
  defineSchema,
  float,
  int,
  json,
  string,
  strings,
  time,
  type Field,
  type FieldType,
  type InputOf,
  type Schema,
} from "../../index.ts";
import { asText } from "./report.ts";
import type { ArrayBatch } from "../arbitraries/batch.ts";
import {
  distinguishable,
  modelOf,
  poolOf,
  type CollectionSetting,
  type Related,
  type RelatedSetting,
  type Setting,
} from "./setting.ts";

/**
 * Removes records, and then members of records, while the case still fails. A required member gets the simplest value
 * with which the case fails. In generated schemas, unused fields and unused options of the others are removed too.
 */
export async function makeSmaller(
  setting: Setting,
  generated: unknown,
  fails: (setting: Setting) => Promise<boolean>,
): Promise<Setting> {
  let smallest = setting;
  async function attempt(next: Setting | undefined): Promise<boolean> {
    if (next === undefined || !isValid(next) || !(await fails(next))) return false;
    smallest = next;
    return true;
  }

  async function reduce<Item extends object>(
    items: readonly Item[],
    placed: (items: Item[]) => Setting | undefined,
  ): Promise<Item[]> {
    let left = [...items];
    for (let i = left.length - 1; i >= 0; i--) {
      const next = left.toSpliced(i, 1);
      if (await attempt(placed(next))) left = next;
    }
    for (let i = 0; i < left.length; i++) {
      for (const [name, value] of Object.entries(left[i] ?? {})) {
        const plain = PLAIN.indexOf(value);
        for (const plainer of [undefined, ...PLAIN.slice(0, plain < 0 ? undefined : plain)]) {
          const next = left.map((item, at) => (at === i ? withMember(item, name, plainer) : item));
          if (!(await attempt(placed(next)))) continue;
          left = next;
          break;
        }
      }
    }
    return left;
  }

  if (setting.operation === "query" && setting.database !== undefined) {
    let related = setting.database;
    const place = async (make: () => Partial<Related>) => {
      const next = settingOf(related, make);
      if (await attempt(next)) related = next?.database ?? related;
    };
    const text = asText(generated);
    for (const path of related.paths) {
      if (path === "id" || text.includes(JSON.stringify(path))) continue;
      await place(() => ({ paths: related.paths.filter((other) => other !== path) }));
    }
    for (const [name, { fields }] of Object.entries(related.schemas)) {
      const without = <Value>(all: Readonly<Record<string, Value>>) =>
        withMember(all, name, undefined);
      const { schemas, records } = related;
      if (name !== related.name) {
        await place(() => ({ schemas: without(schemas), records: without(records) }));
      }
      for (const field of Object.keys(fields)) {
        if (field !== "id") await place(() => withoutField(related, name, field));
      }
    }
    for (const name of Object.keys(related.schemas)) {
      const withRecords = (fewer: InputOf<Schema>[]) =>
        settingOf(related, () => ({ records: { ...related.records, [name]: fewer } }));
      const left = await reduce(related.records[name] ?? [], withRecords);
      related = withRecords(left)?.database ?? related;
    }
    return smallest;
  }
  if (setting.operation === "query") {
    let { schema, data } = setting;
    const text = asText(generated);
    const bare = { ...setting, schema: defineSchema(schema.fields) };
    if (!setting.isGiven && schema.unique.length > 0 && (await attempt(bare))) ({ schema } = bare);
    for (const [name, { type, unique }] of Object.entries(schema.fields)) {
      if (setting.isGiven || unique) continue; // unique values distinguish records
      const fields = Object.entries(schema.fields);
      const without = fields.filter(([other]) => other !== name);
      const plain = fields.map(
        ([other, field]) => [other, other === name ? FIELDS[type] : field] as const,
      );
      const isNamed = text.includes(JSON.stringify(name));
      const isRead = fields.some(([, { path }]) => path?.[0] === name);
      const isNeeded = isNamed || isRead || without.length === 0;
      // A computed field has no values that a plain one could be given.
      const smaller = isComputed(schema.fields[name] ?? {}) ? [] : [plain];
      for (const left of isNeeded ? smaller : [without, ...smaller]) {
        const next = {
          ...setting,
          schema: defineSchema(Object.fromEntries(left), { unique: combinedOf(schema, left) }),
          data: left === plain ? data : data.map((record) => withMember(record, name, undefined)),
        };
        if (!(await attempt(next))) continue;
        ({ schema, data } = next);
        break;
      }
    }
    await reduce(data, (records) => ({ ...setting, schema, data: records }));
    return smallest;
  }
  let { data } = setting;
  data = {
    ...data,
    files: await reduce(data.files, (files) => ({ ...setting, data: { ...data, files } })),
  };
  data = {
    ...data,
    batches: await reduce(data.batches, (batches) => ({ ...setting, data: { ...data, batches } })),
  };
  for (let b = 0; b < data.batches.length; b++) {
    const withLists = (lists: ArrayBatch["lists"]) => ({
      ...data,
      batches: data.batches.map((batch, i) => (i === b ? { ...batch, lists } : batch)),
    });
    const listsOf = () => data.batches[b]?.lists ?? [];
    const reduceLists = async () =>
      withLists(await reduce(listsOf(), (lists) => ({ ...setting, data: withLists(lists) })));
    data = await reduceLists();
    for (const [l, { contacts }] of listsOf().entries()) {
      const withContacts = (fewer: typeof contacts) =>
        withLists(listsOf().map((list, i) => (i === l ? { ...list, contacts: fewer } : list)));
      data = withContacts(
        await reduce(contacts, (fewer) => ({ ...setting, data: withContacts(fewer) })),
      );
    }
    // Without the values of its Contacts, a List may need no fields.
    data = await reduceLists();
  }
  const [id] = setting.subject;
  const batches = data.batches.map((each) =>
    String(each.id) === String(id) ? { ...each, id: 0 } : each,
  );
  if (id !== undefined) await attempt({ ...setting, subject: [0], data: { ...data, batches } });
  return smallest;
}

/**
 * Of several queries, requests or other items that a law tries one after the other, one that fails alone; otherwise all
 * of them. fast-check removes items from the start of a list only.
 */
export async function aloneIn<Generated>(
  generated: Generated,
  fails: (part: Generated) => Promise<boolean>,
): Promise<Generated> {
  if (!Array.isArray(generated) || generated.length < 2) return generated;
  for (const item of generated as unknown[]) {
    const alone = [item] as Generated;
    if (await fails(alone)) return alone;
  }
  return generated;
}

/** `undefined` if there is no such database. */
function settingOf(
  related: RelatedSetting,
  make: () => Partial<Related>,
): CollectionSetting | undefined {
  try {
    return related.with(make());
  } catch {
    return undefined;
  }
}

/** The same database without a field of a collection, if it has it and others. */
function withoutField(related: Related, name: string, field: string): Partial<Related> {
  const { schemas, records } = related;
  const schema = schemas[name];
  if (schema === undefined) return related;
  const left = Object.entries(schema.fields).filter(([other]) => other !== field);
  const smaller = defineSchema(Object.fromEntries(left), { unique: combinedOf(schema, left) });
  const fewer = (records[name] ?? []).map((record) => withMember(record, field, undefined));
  return {
    schemas: { ...schemas, [name]: smaller },
    records: { ...records, [name]: fewer },
  };
}

/** The unique combinations of the remaining fields. */
function combinedOf({ unique }: Schema, left: readonly (readonly [string, Field])[]) {
  const names = new Set(left.map(([name]) => name));
  return unique.filter((each) => each.every((name) => names.has(name)));
}

/** Simpler fields to replace others with. */
const FIELDS: Readonly<Record<FieldType, Field>> = {
  int: int(),
  float: float(),
  boolean: boolean(),
  string: string(),
  strings: strings(),
  json: json(),
  time: time(),
};

/** Values to replace members with, simplest first; the field decides which it accepts. */
const PLAIN: readonly unknown[] = [0, 1, 2, "", "a", "b", false, [], ["a"]];

/** The item with that member, or without it if the value is `undefined`. */
function withMember<Item extends object>(item: Item, name: string, value: unknown): Item {
  const copy = { ...item, [name]: value };
  if (value === undefined) Reflect.deleteProperty(copy, name);
  return copy;
}

function isValid(setting: Setting): boolean {
  try {
    modelOf(setting);
    poolOf(setting); // needs the Batch that is asked about
    if (setting.operation !== "query") return true;
    return distinguishable(setting.schema, setting.data).length === setting.data.length;
  } catch {
    return false;
  }
}
