// References between tables: `--reference customer=customers.csv:id` makes a database of them, which answers questions
// that name fields of the other records by paths such as `customer.country`.

import { basename } from "node:path";
import { createCollection, createDatabase, InputError, readSchema, writeSchema } from "../index.ts";
import type { Collection, Schema } from "../index.ts";
import { answeringOf, schemaWithPaths, type Answering } from "./answering.ts";
import { UsageError, warn } from "./errors.ts";
import type { Placed } from "./several.ts";
import type { Skip } from "./sources.ts";
import { inWords, type Table } from "./tables.ts";

/** A reference as typed: `customer=customers.csv:id`. */
interface Typed {
  readonly words: string;
  /** The field that refers, or the path to it. */
  readonly path: string;
  readonly place: string;
  readonly key: string;
}

/** A table of the database. */
interface Member extends Placed {
  readonly name: string;
  /** Empty until the table is loaded. */
  collection: Collection;
  /** The fields to which others refer. */
  readonly keys: Set<string>;
  /** The tables to which its fields refer, and the keys of these. */
  readonly references: Map<string, { readonly to: Member; readonly key: string }>;
}

/** How to open the tables to which references lead. */
interface Opening {
  readonly open: (place: string) => Promise<Table>;
  /** Makes the receiver of records that refer to none; without it, the first one is an error. */
  readonly skip: Skip;
}

/**
 * A table whose records refer to those of others.
 *
 * @param typed references such as `customer=customers.csv:id` and `customer.region=regions.csv:code`, in any order
 * @param names those in the question, paths included
 * @throws UsageError that names the reference or the path that leads nowhere
 */
export async function withReferences(
  { place, table }: Placed,
  typed: readonly string[],
  names: Iterable<string>,
  { open, skip }: Opening,
): Promise<Table<Answering>> {
  const main = memberOf({ place, table }, []);
  const members = [main];
  let left = typed.map(read);
  for (let [next] = left; next !== undefined; [next] = left) {
    // References of other records come after those that lead to them.
    const chosen = left.find(({ path }) => ownerOf(main, path).isField) ?? next;
    left = left.filter((each) => each !== chosen);
    let to = members.find((each) => each.place === chosen.place);
    if (to === undefined) {
      to = memberOf({ place: chosen.place, table: await open(chosen.place) }, members);
      members.push(to);
    }
    refer(chosen, main, to);
  }
  for (const each of members) each.collection = createCollection(schemaOf(each));
  const empty = databaseOf(members);
  const schema = schemaWithPaths(empty, main.name, names);
  return {
    ...{ what: table.what, columns: table.columns, schema },
    empty: () => answeringOf(empty, main.name, schema),
    async load() {
      for (const each of members) {
        const of = each === main ? "" : `${each.place}: `;
        if (each.table.isInferred) warn(`${of}types inferred: ${inWords(each.table.schema)}`);
        each.collection = await loadAs(each, each.collection.schema);
      }
      leaveOutLost(members, skip);
      return answeringOf(databaseOf(members), main.name, schema);
    },
  };
}

/** @throws UsageError */
function read(words: string): Typed {
  const [equals, colon] = [words.indexOf("="), words.lastIndexOf(":")];
  const [path, place, key] = [
    words.slice(0, equals),
    words.slice(equals + 1, colon),
    words.slice(colon + 1),
  ];
  if (equals > 0 && colon > equals + 1 && key !== "") return { words, path, place, key };
  throw new UsageError(
    `--reference: must be FIELD=TABLE:FIELD, such as customer=customers.csv:id, not ${JSON.stringify(words)}`,
  );
}

/** The maximum length of the name of a collection, in bytes of UTF-8. */
const LONGEST_NAME = 60;

/** A member of a database. @param others those so far, with other names */
function memberOf({ place, table }: Placed, others: readonly Member[]): Member {
  // Words such as `count` are reserved by the database, and have neither a dot nor a blank.
  const name = [place, basename(place)].find(
    (each) =>
      each.includes(".") &&
      Buffer.byteLength(each) <= LONGEST_NAME &&
      others.every((other) => other.name !== each),
  );
  const made = { place, table, name: name ?? `table ${others.length + 1}` };
  const collection = createCollection(table.schema);
  return { ...made, collection, keys: new Set(), references: new Map() };
}

/** Where a path leads: to a field of a table, or to the rest of the path that is none. */
function ownerOf(
  member: Member,
  path: string,
): { readonly member: Member; readonly field: string; readonly isField: boolean } {
  if (Object.hasOwn(member.table.schema.fields, path)) {
    return { member, field: path, isField: true };
  }
  for (const [field, { to }] of member.references) {
    if (path.startsWith(`${field}.`)) return ownerOf(to, path.slice(field.length + 1));
  }
  return { member, field: path, isField: false };
}

/** Adds a reference. @throws UsageError */
function refer({ words, path, key }: Typed, main: Member, to: Member): void {
  const refuse = (reason: string) => new UsageError(`--reference ${words}: ${reason}`);
  const { member, field } = ownerOf(main, path);
  const typeIn = ({ place, table: { schema } }: Member, name: string) => {
    const found = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    if (found !== undefined) return found.type;
    const reason = `has no field ${JSON.stringify(name)}; it has ${inWords(schema)}`;
    throw refuse(`${place} ${reason}`);
  };
  const [type, other] = [typeIn(member, field), typeIn(to, key)];
  if (type !== other || (type !== "int" && type !== "string")) {
    throw refuse(
      `${field} of ${member.place} is of type ${type}, and ${key} of ${to.place} of type ${other}; both must be ints, or both strings: --schema FILE sets the types of ${main.place}`,
    );
  }
  if (member.references.has(field)) throw refuse(`${path} refers to another table already`);
  to.keys.add(key);
  member.references.set(field, { to, key });
}

/** The schema of a table with unique keys, and with the references of the command instead of its own. */
function schemaOf({ table, keys, references }: Member): Schema {
  const { fields, ...others } = writeSchema(table.schema);
  const changed = Object.entries(fields).map(([name, field]) => {
    const options = Object.entries(field).filter(
      ([option]) => option !== "references" && option !== "onRemove",
    );
    if (keys.has(name)) options.push(["unique", true]);
    const reference = references.get(name);
    if (reference) options.push(["references", [reference.to.name, reference.key]]);
    return [name, Object.fromEntries(options)] as const;
  });
  return readSchema({ ...others, fields: Object.fromEntries(changed) });
}

const databaseOf = (members: readonly Member[]) =>
  createDatabase(Object.fromEntries(members.map(({ name, collection }) => [name, collection])));

/** The records of a table in another schema. @throws UsageError that names the table, if two have one key */
async function loadAs({ place, table }: Member, schema: Schema): Promise<Collection> {
  const loaded = await table.load(undefined, schema);
  if (loaded.schema === schema) return loaded;
  try {
    return createCollection(schema, loaded, { storage: "columns" });
  } catch (thrown) {
    throw thrown instanceof InputError ? new UsageError(`${place}: ${thrown.message}`) : thrown;
  }
}

/**
 * Leaves out the records that refer to none (rule C21), and those that refer to these.
 *
 * @throws UsageError if there are any and `skip` is missing
 */
function leaveOutLost(members: readonly Member[], skip: Skip): void {
  const references = members.flatMap((from) =>
    Array.from(from.references, ([field, { to, key }]) => ({ from, field, to, key })),
  );
  let isComplete = false;
  while (!isComplete) {
    isComplete = true;
    for (const { from, field, to, key } of references) {
      const isLost = (value: unknown): value is string | number =>
        (typeof value === "string" || typeof value === "number") &&
        to.collection.get(key, value) === undefined;
      const reasonFor = (value: unknown) =>
        `${field}: refers to ${JSON.stringify(value)}, but no record of ${to.place} has this ${key}`;
      const values = from.collection
        .countBy(field)
        .map(({ value }) => value)
        .filter(isLost);
      if (values.length === 0) continue;
      if (skip === undefined) {
        const hint = "--skip-invalid FILE leaves such records out";
        throw new UsageError(`${from.place}: ${reasonFor(values[0])}; ${hint}`);
      }
      const report = skip(from.place);
      const criteria = [[field, "in", values]] as const;
      for (const record of from.collection.query({ criteria })) {
        report({ place: "record", reason: reasonFor(record[field]), record });
      }
      from.collection = from.collection.remove(criteria);
      isComplete = false;
    }
  }
}
