// Infers the schema of records in one pass.

import { InputError } from "../schema/errors.ts";
import { namesIn } from "../schema/exact-json.ts";
import { ColumnFacts } from "../schema/infer.ts";
import { isMembers } from "../schema/input.ts";
import { schemaOfEntries, type Schema } from "../schema/schema.ts";
import type { AnyRecord, RecordCheck } from "./form.ts";
import { Records, type Reading, type Refusing, type SyncReading } from "./reading.ts";
import { converted } from "./convert.ts";
import { pointed } from "./csv-cells.ts";
import type { Sink } from "./sink.ts";

/**
 * The schema of what a reader reads: a field for each column or member, in the order of their first occurrence, and
 * nullable if a value is missing, empty or `null`. Every value fits its field. Arrow and Parquet files declare their
 * types, so no row is read. Otherwise it costs one pass over the source, and the memory of the columns.
 *
 * @param reading what a reader of `tercet/import` returned, without a schema
 * @returns the schema, or a promise of it if the bytes are asynchronous
 * @throws InputError with the place, such as `line 17`, if the source can't be read or has no columns
 */
export function inferSchema(reading: SyncReading<AnyRecord>): Schema;
export function inferSchema(reading: Reading<AnyRecord>): Promise<Schema>;
export function inferSchema(reading: unknown): Schema | Promise<Schema> {
  if (!(reading instanceof Records) || reading.schema !== undefined) {
    throw new InputError("reading", "must come from a reader without a schema");
  }
  if (reading.declared !== undefined) return reading.declared();
  const { sink, schema } = inference(reading.refusing);
  return reading.pour(sink, schema);
}

/** The maximum number of fields: each hostile record could have new ones. */
const MOST_FIELDS = 10_000;

const ANY_RECORD: RecordCheck = {
  refusalOf: (record) =>
    isMembers(record) ? undefined : { path: "", reason: "must be an object" },
};

/** Infers a schema from records. */
function inference(refusing: Refusing): { readonly sink: Sink; readonly schema: () => Schema } {
  const columns = new Map<string, ColumnFacts>();
  /** Whether the values are strings, so that a column with several types becomes a string field. */
  let areTexts = false;
  let records = 0;

  function columnOf(name: string, place: string): ColumnFacts {
    const known = columns.get(name);
    if (known !== undefined) return known;
    if (columns.size === MOST_FIELDS) {
      throw new InputError(place, `has a field beyond the limit of ${MOST_FIELDS}`, {
        code: "limit",
      });
    }
    const facts = new ColumnFacts(areTexts);
    columns.set(name, facts);
    return facts;
  }

  const sink: Sink = {
    takesLongNumbers: true,
    createFiller(given, { hasComma }) {
      areTexts = true;
      const facts = given.map(({ index, path: [name], convert }) => {
        return { index, convert, column: columnOf(name, "columns") };
      });
      return (block, from, to) => {
        for (const { index, column, convert } of facts) {
          for (let row = from; row < to; row++) {
            const value = block.start(row) + index;
            if (block.isNull(value)) continue;
            if (block.isEmpty(value)) column.addText("");
            else if (column.isString) column.addText(undefined);
            else {
              const text = String(converted(block.text(value), convert));
              column.addText(text, hasComma ? (pointed(text) ?? "") : text);
            }
          }
        }
        records += to - from;
        return to;
      };
    },
    take(value, number, placeOf) {
      if (!refusing.takes(value, () => placeOf(number), ANY_RECORD)) return;
      const record = value as AnyRecord;
      for (const name of namesIn(record)) {
        const column = columnOf(name, placeOf(number));
        const each = record[name] ?? null;
        if (each !== null) column.add(each);
      }
      records++;
    },
  };
  const schema = () => {
    if (columns.size === 0) {
      throw new InputError("source", "has no columns from which to infer a schema");
    }
    return schemaOfEntries(
      Array.from(columns, ([name, facts]) => [name, facts.field(records)] as const),
      "values",
    );
  };
  return { sink, schema };
}
