// Counts the rows before a value without reading them: the values of a field are divided into buckets,
// and triggers maintain a table with the number of rows in each. A page far from the start is then
// found by reading the buckets and one of them, not every row before the page. PostgreSQL only.

import { tuning } from "../collection/tuning.ts";
import { describe, InputError } from "../schema/errors.ts";
import { iterate } from "../schema/input.ts";
import { readOptions } from "../schema/options.ts";
import type { FieldName } from "../schema/schema.ts";
import type { Contact } from "../service/contact.ts";
import type { File } from "../service/file.ts";
import type { Dialect } from "./dialect.ts";
import { namedTable, pathOf, requireCompared, type RecordTable, type Tables } from "./names.ts";

/** The fields of each table whose order should have fast pages at any offset. They can't be nullable. */
export interface RankedFields {
  /** If there are any, unsorted pages are fast, too. */
  readonly files?: readonly FieldName<typeof File>[] | undefined;
  /** Within each Batch. With any of them, also pages that are not sorted. */
  readonly contacts?: readonly FieldName<typeof Contact>[] | undefined;
}

/** The buckets of a column. */
export interface Ranks {
  /** Their table, in quotes. */
  readonly name: string;
  readonly path: readonly string[];
  /** The column. */
  readonly key: string;
  readonly type: "int" | "string";
  /** What has an order of its own: the column of the Batch, or nothing. */
  readonly scope: string | undefined;
}

/** The ranks of a table by the columns that they are of, in quotes. */
export type RanksOf = ReadonlyMap<string, Ranks>;

/** @throws InputError where a field has none */
export function readRanks(
  { files, contacts }: Tables,
  dialect: Dialect,
  input: unknown,
  path: string,
) {
  if (input !== undefined && dialect.name !== "postgres") {
    throw new InputError(path, `need PostgreSQL, not ${dialect.name}`);
  }
  const read =
    (table: RecordTable, scope?: string) =>
    (names: unknown, place: string): RanksOf => {
      const ranks = new Map<string, Ranks>();
      const add = (column: string, key: string, type: Ranks["type"]) => {
        const named = namedTable(dialect, pathOf(table, `${column}_ranks`));
        ranks.set(key, { ...named, key, type, scope });
      };
      if (names === undefined) return ranks;
      for (const [i, name] of Array.from(iterate(names, place)).entries()) {
        const columns = typeof name === "string" ? table.fields.get(name) : undefined;
        const { type, nullable } = columns?.field ?? {};
        if (columns === undefined || nullable || (type !== "int" && type !== "string")) {
          const reason = `must be a field that is not nullable, not ${describe(name)}`;
          throw new InputError(`${place}[${i}]`, reason);
        }
        add(columns.column, requireCompared(columns).value, type);
      }
      add(table.position, dialect.quote(table.position), "int");
      return ranks;
    };
  return readOptions(input ?? {}, path, {
    files: read(files),
    contacts: read(contacts, dialect.quote(contacts.batch)),
  });
}

/** A key that no other comes before. */
const LOWEST = { int: String(Number.MIN_SAFE_INTEGER), string: "''" } as const;

/**
 * The statements that make the buckets of a column, and the triggers that keep their numbers of rows. A bucket has the
 * rows from its start to that of the next. One of more than `most` rows is split before the next change, so that it
 * has about as many rows as `tuning.bucketRows`, or one key alone. Who changes rows waits for others who do: a bucket
 * must not be split while rows of it are not yet seen.
 */
export function rankStatements(table: RecordTable, ranks: Ranks, dialect: Dialect): string[] {
  const { name, path, key, type } = ranks;
  const own = path.at(-1) ?? "";
  const named = (does: string) => namedTable(dialect, pathOf(ranks, does)).name;
  const scopeIn = (row: string) => (ranks.scope === undefined ? "0" : `${row}.${ranks.scope}`);
  const size = tuning.bucketRows;
  const most = `greatest(${2 * size}, 2 * count(*))`;
  // Servers that are asked through others have another search path.
  const define = (does: string, declared: string, lines: readonly string[]) =>
    `CREATE FUNCTION ${named(does)}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $ranks$ ${declared} BEGIN\n${lines.join("\n")}\nRETURN NULL;\nEND $ranks$`;
  const trigger = (when: string, event: string, does: string, rows?: string) =>
    `CREATE TRIGGER ${dialect.quote(`${own}_${when}`)} ${event} ON ${table.name} ${rows === undefined ? "" : `REFERENCING ${rows}`} FOR EACH STATEMENT EXECUTE FUNCTION ${named(does)}()`;
  const count = (rows: string, counted: string) => {
    const start = `coalesce((SELECT max(b.start) FROM ${name} AS b WHERE b.scope = ${scopeIn("r")} AND b.start <= r.${key}), ${LOWEST[type]})`;
    return `INSERT INTO ${name} AS own SELECT scope, start, ${counted}, ${2 * size} FROM (SELECT ${scopeIn("r")} AS scope, ${start} AS start FROM ${rows} AS r) AS changed GROUP BY scope, start ON CONFLICT (scope, start) DO UPDATE SET held = own.held + EXCLUDED.held;`;
  };
  return [
    `CREATE TABLE ${name} (scope bigint NOT NULL, start ${dialect.types[type]} NOT NULL, held bigint NOT NULL, most bigint NOT NULL, PRIMARY KEY (scope, start))`,
    `CREATE INDEX ${dialect.quote(`${own}_full`)} ON ${name} (scope) WHERE held > most`,
    define("split", `DECLARE bucket ${name}%ROWTYPE; following ${name}.start%TYPE;`, [
      `LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE;`,
      `FOR bucket IN SELECT * FROM ${name} WHERE held > most LOOP`,
      `SELECT min(start) INTO following FROM ${name} WHERE scope = bucket.scope AND start > bucket.start;`,
      // What has the same key is in the same part.
      `INSERT INTO ${name} AS own SELECT bucket.scope, CASE part WHEN 0 THEN bucket.start ELSE min(key) END, count(*), ${most} FROM (SELECT ${key} AS key, (rank() OVER (ORDER BY ${key}) - 1) / ${size} AS part FROM ${table.name} AS r WHERE ${scopeIn("r")} = bucket.scope AND ${key} >= bucket.start AND (following IS NULL OR ${key} < following)) AS parts GROUP BY part ON CONFLICT (scope, start) DO UPDATE SET held = EXCLUDED.held, most = EXCLUDED.most;`,
      "END LOOP;",
    ]),
    define("count", "", [
      `IF TG_OP = 'TRUNCATE' THEN DELETE FROM ${name}; RETURN NULL; END IF;`,
      `IF TG_OP <> 'INSERT' THEN ${count("removed", "-count(*)")} END IF;`,
      `IF TG_OP <> 'DELETE' THEN ${count("added", "count(*)")} END IF;`,
    ]),
    trigger("split", "BEFORE INSERT OR UPDATE OR DELETE", "split"),
    trigger("insert", "AFTER INSERT", "count", "NEW TABLE AS added"),
    trigger("update", "AFTER UPDATE", "count", "OLD TABLE AS removed NEW TABLE AS added"),
    trigger("delete", "AFTER DELETE", "count", "OLD TABLE AS removed"),
    trigger("truncate", "AFTER TRUNCATE", "count"),
    // A bucket of all rows, which the next statement splits.
    `INSERT INTO ${name} SELECT ${scopeIn("r")}, ${LOWEST[type]}, count(*), 0 FROM ${table.name} AS r GROUP BY 1`,
    `DELETE FROM ${table.name} WHERE FALSE`,
  ];
}
