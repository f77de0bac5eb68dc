// Several tables as one: files, folders of files, and patterns. They must have the same fields.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createCollection, InputError, readSchema, writeSchema } from "../index.ts";
import type { Collection, Field, Schema } from "../index.ts";
import { isStore } from "../store/index.ts";
import { UsageError } from "./errors.ts";
import { inWords, type Table } from "./tables.ts";
import { FORMATS } from "./words.ts";

const isFolder = (place: string) => existsSync(place) && statSync(place).isDirectory();

/** Whether a file has the name of one that holds a table. */
function isTable(name: string): boolean {
  const endings = name.toLowerCase().split(".").slice(1);
  if (/^(?:gz|zst)$/.test(endings.at(-1) ?? "")) endings.pop();
  const ending = endings.at(-1) ?? "";
  return [...FORMATS, "jsonl", "tsv"].some((format) => format === ending);
}

/**
 * The places of tables: the files of a folder, those that a pattern such as `data/*.csv` matches, and others as given.
 * Patterns have `*` and `?` in the name of a file.
 *
 * @throws UsageError if a folder or a pattern has none
 */
export function placesIn(given: readonly string[]): string[] {
  return given.flatMap((place) => {
    // A collection of a store, whatever its name.
    if (isStore(dirname(place))) return [place];
    if (isFolder(place)) return isStore(place) ? [place] : filesIn(place, isTable, place);
    const pattern = basename(place);
    if (!/[*?]/.test(pattern) || existsSync(place)) return [place];
    return filesIn(dirname(place), (name) => matches(name, pattern), place);
  });
}

/** Whether a name is that of a pattern, in which `*` stands for any characters and `?` for one. */
function matches(name: string, pattern: string): boolean {
  let [at, next] = [0, 0];
  // After the last `*`, and where its characters end.
  let [after, end] = [-1, 0];
  while (at < name.length) {
    if (pattern[next] === "*") [after, end] = [++next, at];
    else if (pattern[next] === "?" || pattern[next] === name[at]) [at, next] = [at + 1, next + 1];
    else if (after < 0) return false;
    else [at, next] = [++end, after];
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}

function filesIn(folder: string, isMeant: (name: string) => boolean, place: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
  const names = entries.filter((each) => !each.isDirectory()).map(({ name }) => name);
  const found = names.filter(isMeant).sort();
  if (found.length === 0) throw new UsageError(`${place}: there are no tables`);
  return found.map((name) => join(folder, name));
}

/** A table and its place. */
export interface Placed {
  readonly place: string;
  readonly table: Table;
}

/**
 * Tables as one. A field may be null if it may be in one of them, and has floats if it has ints and floats.
 *
 * @throws UsageError that names the first table with other fields
 */
export function asOne(tables: readonly [Placed, ...Placed[]]): Table {
  const [{ table: first }] = tables;
  if (tables.length === 1) return first;
  const schema = commonSchema(tables);
  return {
    ...first,
    schema,
    isInferred: tables.some(({ table }) => table.isInferred),
    async load(_spill, as = schema) {
      const loaded: (readonly [place: string, records: Collection])[] = [];
      for (const { place, table } of tables) loaded.push([place, await table.load()]);
      // Names the file of a record that repeats a unique value.
      let at = "";
      const records = function* () {
        for (const [place, all] of loaded) {
          at = place;
          yield* all;
        }
      };
      try {
        return createCollection(as, records(), { storage: "columns" });
      } catch (thrown) {
        throw thrown instanceof InputError ? new UsageError(`${at}: ${thrown.message}`) : thrown;
      }
    },
  };
}

function commonSchema(tables: readonly [Placed, ...Placed[]]): Schema {
  const [{ place: firstPlace, table: first }] = tables;
  const { fields, ...others } = writeSchema(first.schema);
  const common = new Map(Object.entries(fields));
  for (const { place, table } of tables) {
    const refuse = (reason: string) => {
      const has = `${firstPlace} has ${inWords(first.schema)}`;
      return new UsageError(`${place}: ${reason}; ${has}; --schema FILE sets the types of all`);
    };
    for (const { name } of first.schema.places) {
      const field = table.schema.fields[name];
      if (field === undefined) throw refuse(`lacks the field ${JSON.stringify(name)}`);
      const type = commonType(first.schema.fields[name], field, common.get(name));
      if (type === undefined) throw refuse(`${JSON.stringify(name)} is of type ${field.type}`);
      const nullable = field.nullable && { nullable: true };
      common.set(name, { ...common.get(name), type, ...nullable });
    }
    const more = table.schema.places.find(({ name }) => !common.has(name));
    if (more !== undefined) throw refuse(`has the field ${JSON.stringify(more.name)}`);
  }
  return readSchema({ ...others, fields: Object.fromEntries(common) });
}

/** The type of values of two fields; `undefined` if there is none. @param common that of the tables so far */
function commonType(
  first: Field | undefined,
  field: Field,
  common: object | undefined,
): string | undefined {
  const isNumber = (type: unknown) => type === "int" || type === "float";
  const known = common !== undefined && "type" in common ? common.type : undefined;
  if (isNumber(first?.type) && isNumber(field.type)) {
    return known === "float" || field.type === "float" ? "float" : "int";
  }
  return first?.type === field.type ? field.type : undefined;
}
