// Collections of records that refer to each other, and paths between them.

import * as fc from "fast-check";
import {
  defineSchema,
  int,
  string,
  type Field,
  type FieldType,
  type OnRemove,
  type Schema,
} from "../../index.ts";
import { referencesIn, type RecordsByName, type Schemas } from "../reference-database.ts";
import { inputRecords, type OfTexts } from "./records.ts";
import { ownSchema } from "./schema.ts";
import { comparedForm, textFormFor } from "./values.ts";

const NAMES = ["orders", "customers", "regions"] as const;
const ODD_NAMES = ["0", "__proto__", "constructor", "a.b", "Orders"] as const;
const REFERENCES = ["customer", "boss", "region", "0", "__proto__", "a.b", ""] as const;

/** A field that reads like a path, and is none. */
const LIKE_A_PATH = "customer.id";

interface Drawn {
  readonly name: string;
  readonly fields: Map<string, Field>;
  readonly unique: Schema["unique"];
  readonly keys: string[];
}

/**
 * Schemas of one to three collections whose records refer to each other or to their own kind, by two to four fields, of
 * which several may lead to one collection, some may be null, and some are unique. Each is one of {@link ownSchema} with
 * these fields.
 */
export function relatedSchemas(): fc.Arbitrary<Schemas> {
  const drawn = fc.record({
    schema: ownSchema({ isComputed: true }),
    code: fc.option(
      fc.record({ nullable: fc.boolean(), ignoreCase: fc.constantFrom(true, true, false) }),
    ),
    isLikeAPath: fc.nat({ max: 3 }).map((number) => number === 3),
  });
  const reference = fc.record({
    from: fc.nat(),
    to: fc.nat(),
    key: fc.nat(),
    name: fc.nat(),
    nullable: fc.constantFrom(true, true, false),
    unique: fc.constantFrom(false, false, false, true),
    onRemove: fc.constantFrom<OnRemove[]>("null", "remove", "refuse"),
  });
  return fc
    .record({
      names: fc.oneof(
        { weight: 3, arbitrary: fc.constant<readonly string[]>(NAMES) },
        { weight: 1, arbitrary: fc.shuffledSubarray([...ODD_NAMES], { minLength: 3 }) },
      ),
      all: fc.array(drawn, { minLength: 1, maxLength: 3, size: "max" }),
      references: fc.array(reference, { minLength: 2, maxLength: 4, size: "max" }),
    })
    .map(({ names, all, references }) => {
      const tables = all.map(({ schema, code, isLikeAPath }, i): Drawn => {
        const fields = new Map<string, Field>(Object.entries(schema.fields));
        if (code !== null) fields.set("code", string({ ...code, unique: true }));
        if (isLikeAPath) fields.set(LIKE_A_PATH, string({ nullable: true }));
        const keys = code === null ? ["id"] : ["id", "code"];
        return { name: names[i] ?? "", fields, unique: schema.unique, keys };
      });
      for (const each of references) addReference(tables, each);
      const schemas = tables.map(({ name, fields, unique }): [string, Schema] => [
        name,
        defineSchema(Object.fromEntries(fields), { unique }),
      ]);
      return Object.fromEntries(schemas);
    });
}

interface DrawnReference {
  readonly from: number;
  readonly to: number;
  readonly key: number;
  readonly name: number;
  readonly nullable: boolean;
  readonly unique: boolean;
  readonly onRemove: OnRemove;
}

function addReference(tables: readonly Drawn[], drawn: DrawnReference): void {
  const from = tables[drawn.from % tables.length];
  const to = tables[drawn.to % tables.length];
  const free = REFERENCES.filter((name) => from?.fields.has(name) === false);
  const name = free[drawn.name % free.length];
  if (from === undefined || to === undefined || name === undefined) return;
  const key = to.keys[drawn.key % to.keys.length] ?? "id";
  const { type, ignoreCase } = to.fields.get(key) ?? int();
  const { nullable, unique } = drawn;
  const onRemove = drawn.onRemove === "null" && !nullable ? "remove" : drawn.onRemove;
  const options = { nullable, unique, onRemove, references: [to.name, key] } as const;
  from.fields.set(name, type === "int" ? int(options) : string({ ...options, ignoreCase }));
  if (unique) from.keys.push(name);
}

/** The schema of drafts, in which references are numbers. */
export function unrelated({ fields, unique }: Schema): Schema {
  const plain = Object.entries(fields).map(([name, field]): [string, Field] => [
    name,
    field.references === undefined ? field : int({ nullable: field.nullable }),
  ]);
  return defineSchema(Object.fromEntries(plain), { unique });
}

type Draft = Readonly<Record<string, unknown>>;

/**
 * Input records of collections that refer to each other: each reference names a record that is there.
 *
 * @param options `maxLength`: the maximum number of records of each; default 12. `texts`: the values of string fields
 */
export function relatedRecords(
  schemas: Schemas,
  options: OfTexts & { readonly maxLength?: number } = {},
): fc.Arbitrary<RecordsByName> {
  const each = Object.entries(schemas).map(([name, schema]) =>
    inputRecords(unrelated(schema), options).map((records) => [name, records as Draft[]] as const),
  );
  return fc.tuple(...each).map((drawn) => {
    const linked = settled(schemas, linkedIn(schemas, new Map(drawn)));
    return Object.fromEntries(linked) as RecordsByName;
  });
}

type Drafts = ReadonlyMap<string, readonly Draft[]>;

const memberOf = (record: Draft, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** With the keys of others in place of their numbers. */
function linkedIn(schemas: Schemas, drawn: Drafts): Drafts {
  const records = new Map(drawn);
  let pending = referencesIn(schemas);
  while (pending.length > 0) {
    // A key may be a reference itself.
    const isPending = (collection: string, name: string) =>
      pending.some(({ from, field }) => from === collection && field === name);
    const next = pending.find(({ to, key }) => !isPending(to, key)) ?? pending[0];
    if (next === undefined) break;
    pending = pending.filter((each) => each !== next);
    const { from, field, to, key } = next;
    const keys = (records.get(to) ?? []).map((record) => memberOf(record, key) ?? null);
    const present = keys.filter((value) => value !== null);
    const described = schemas[from]?.fields[field] ?? int();
    const seen = new Set<string>();
    records.set(
      from,
      (records.get(from) ?? []).map((record) => {
        const number = memberOf(record, field) ?? null;
        const place = Math.abs(Number(number));
        const value = number === null ? null : (present[place % present.length] ?? null);
        const text = textOf(described, value);
        const isTaken = described.unique && text !== null && seen.has(text);
        if (text !== null) seen.add(text);
        return { ...record, [field]: isTaken ? null : spelled(described, value, place) };
      }),
    );
  }
  return records;
}

const textOf = (field: Field, value: unknown) =>
  comparedForm(field, textFormFor(field, value ?? null) ?? null);

/** A string in another case, which the field may ignore. */
function spelled(field: Field, value: unknown, number: number): unknown {
  if (typeof value !== "string" || number % 2 === 0) return value;
  const upper = value.toUpperCase();
  const other = upper === value ? value.toLowerCase() : upper;
  return textOf(field, other) === textOf(field, value) ? other : value;
}

/** Without references to records that are not there: these are null, or the records are left out. */
function settled(schemas: Schemas, drawn: Drafts): Drafts {
  const records = new Map(drawn);
  const references = referencesIn(schemas);
  for (let isSettled = false; !isSettled;) {
    isSettled = true;
    for (const { from, field, to, key } of references) {
      const described = schemas[from]?.fields[field] ?? int();
      const target = schemas[to]?.fields[key] ?? int();
      const keys = new Set(records.get(to)?.map((other) => textOf(target, memberOf(other, key))));
      const isValid = (record: Draft) => {
        const text = textOf(described, memberOf(record, field));
        return text === null ? described.nullable : keys.has(text);
      };
      const all = records.get(from) ?? [];
      if (all.every(isValid)) continue;
      isSettled = false;
      records.set(
        from,
        described.nullable
          ? all.map((record) => (isValid(record) ? record : { ...record, [field]: null }))
          : all.filter(isValid),
      );
    }
  }
  return records;
}

const TYPES: readonly FieldType[] = [
  ...(["int", "float", "boolean", "string", "strings", "json", "time"] as const),
];

/**
 * Paths from the records of a collection, of up to eight steps: `id`, and to fields of each type. Of those without steps,
 * each is a field of its own.
 */
export function pathsFrom(schemas: Schemas, name: string): fc.Arbitrary<string[]> {
  const references = referencesIn(schemas);
  const walk = fc.record({
    steps: fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.nat(), { maxLength: 2 }) },
      { weight: 1, arbitrary: fc.array(fc.nat(), { maxLength: 8, size: "max" }) },
    ),
    field: fc.nat(),
  });
  const pathOf = (type: FieldType | undefined) =>
    walk.map(({ steps, field }) => {
      const path: string[] = [];
      let at = name;
      for (const pick of steps) {
        const onwards = references.filter(({ from }) => from === at);
        const next = onwards[pick % onwards.length];
        if (next === undefined) break;
        path.push(next.field);
        at = next.to;
      }
      const fields = Object.entries(schemas[at]?.fields ?? {}).filter(
        (each) => type === undefined || each[1].type === type,
      );
      return [...path, fields[field % fields.length]?.[0] ?? "id"].join(".");
    });
  return fc
    .tuple(fc.tuple(...TYPES.map(pathOf)), fc.array(pathOf(undefined), { maxLength: 4 }))
    .map(([ofTypes, others]) => [...new Set(["id", ...ofTypes, ...others])]);
}
