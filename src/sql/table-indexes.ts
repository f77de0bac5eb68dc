// The statements that create the indexes of a table, and their names.

import { describe, InputError } from "../schema/errors.ts";
import { iterate, oneOrMore } from "../schema/input.ts";
import { readOptions } from "../schema/options.ts";
import type { Dialect, IndexColumn } from "./dialect.ts";
import { byteLength } from "./dialects/standard.ts";
import { requireCompared, unqualified, type NamedColumns } from "./columns.ts";
import type { RecordTable, Table, Tables } from "./names.ts";
import { comparedColumn } from "./unique-columns.ts";

/** An item of an index, and its part of the index's name. */
export interface Member extends IndexColumn {
  readonly name: string;
}

/** An index on columns for pages in the order of the table. */
export function orderedIndex(
  dialect: Dialect,
  table: RecordTable,
  newName: IndexNaming,
  columns: readonly Member[],
  within: readonly IndexColumn[] = [],
): string | undefined {
  const names = columns.map(({ name }) => name);
  const known = new Set(columns.map(({ value }) => value));
  const ends = table.order
    ?.map((each) => ({
      ...onField(dialect, each),
      sorted: { order: "ASC", isNotNull: true } as const,
    }))
    .filter(({ value }) => !known.has(value));
  const all = [...within, ...columns, ...(ends ?? [onPosition(dialect, table)])];
  return indexStatement(dialect, table, newName(table, names), all);
}

export const onField = ({ quoteColumn }: Dialect, columns: NamedColumns): Member => ({
  name: columns.column,
  value: quoteColumn(comparedColumn(columns)),
  type: columns.field.type,
});

/**
 * Including the position, an index covers the whole order of a page (rule P4), so rows can be skipped without reading
 * them.
 */
const onPosition = ({ quoteColumn }: Dialect, { position }: RecordTable): IndexColumn => ({
  ...{ value: quoteColumn(position), type: "int", sorted: { order: "ASC", isNotNull: true } },
});

/** @throws InputError if it is not one */
function readFieldName({ fields }: RecordTable, name: unknown, path: string): NamedColumns {
  const columns = typeof name === "string" ? fields.get(name) : undefined;
  if (columns === undefined) throw new InputError(path, `must be a field, not ${describe(name)}`);
  return requireCompared(columns);
}

/** @param readOther reads items that are not names of fields */
export function indexesOn(
  dialect: Dialect,
  table: RecordTable,
  input: unknown,
  path: string,
  readOther?: (member: object, path: string) => Member,
) {
  const indexes = new Map<string, readonly Member[]>();
  for (const [i, entry] of Array.from(iterate(input ?? [], path)).entries()) {
    const place = `${path}[${i}]`;
    const members = new Map<string, Member>();
    for (const { value, path: memberPlace } of oneOrMore(entry, place)) {
      const isOther = readOther !== undefined && typeof value === "object" && value !== null;
      const own = isOther
        ? readOther(value, memberPlace)
        : onField(dialect, readFieldName(table, value, memberPlace));
      if (members.has(own.value)) throw new InputError(memberPlace, `repeats ${describe(value)}`);
      members.set(own.value, own);
    }
    if (members.size === 0) throw new InputError(place, "needs at least one field");
    const key = JSON.stringify([...members.keys()]);
    if (indexes.has(key)) throw new InputError(place, "repeats an earlier index");
    indexes.set(key, [...members.values()]);
  }
  return [...indexes.values()];
}

export function substringIndexes(
  tables: Tables,
  dialect: Dialect,
  newName: IndexNaming,
  input: unknown,
  path: string,
) {
  const { substrings, quote, name: engine } = dialect;
  if (substrings === undefined) throw new InputError(path, `need PostgreSQL, not ${engine}`);
  const read = (table: RecordTable) => (names: unknown, place: string) =>
    Array.from(iterate(names ?? [], place), (name, i) => {
      const columns = readFieldName(table, name, `${place}[${i}]`);
      const { column, value, text = value } = columns;
      const own = quote(newName(table, [column, "parts"]));
      const made = columns.columns.at(-1)?.generated;
      // A virtual column can't be indexed, but its expression can.
      const indexed =
        dialect.isVirtual === true && made
          ? dialect.ordered(made, "string")
          : unqualified(text, columns, table.name, dialect);
      return `CREATE INDEX ${own} ON ${table.name} ${substrings.using(indexed)}`;
    });
  const { files, contacts } = readOptions(input, path, {
    files: read(tables.files),
    contacts: read(tables.contacts),
  });
  return [substrings.extension, ...files, ...contacts];
}

/** An index for filters and sorts; `undefined` if the engine has no suitable index. */
export function indexStatement(
  dialect: Dialect,
  table: Pick<Table, "name" | "path">,
  name: string,
  columns: readonly IndexColumn[],
  isUnique = false,
): string | undefined {
  const members = columns.map((column) => dialect.indexed?.(column, columns));
  if (members.includes(undefined)) return undefined;
  const own = dialect.quote(name);
  return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${own} ON ${table.name} (${members.join(", ")})`;
}

/** The most bytes of a name in all engines: PostgreSQL drops the others. */
const LONGEST_NAME = 63;

/** A name that starts with the table's. @param end what follows if the name is too long */
export function nameIn(table: Pick<Table, "path">, parts: readonly string[], end = ""): string {
  const points = Array.from([table.path.at(-1), ...parts].join("_"));
  while (byteLength(points.join("") + end) > LONGEST_NAME) points.pop();
  return points.join("") + end;
}

/** The names of a table and of its key in PostgreSQL, which no index can have. */
export const namesOf = (table: Table) => [nameIn(table, []), nameIn(table, [], "_pkey")];

/** Names an index after its table and columns, differently from all others in any case. */
export type IndexNaming = (table: Pick<Table, "path">, columns: readonly string[]) => string;

/** @param names that no index can have */
export function indexNaming(names: Iterable<string>): IndexNaming {
  const taken = new Set(Array.from(names, (name) => name.toLowerCase()));
  return (table, columns) => {
    for (let number = 1; ; number++) {
      const name = nameIn(table, columns, number === 1 ? "" : `_${number}`);
      if (taken.has(name.toLowerCase())) continue;
      taken.add(name.toLowerCase());
      return name;
    }
  };
}
