// How expressions read the values of rows and of records.

import type { ComputedField } from "../../engine/relations/computed-field.ts";
import type { FieldValue, Schema } from "../../index.ts";
import type { Source } from "./evaluate.ts";
import type { Value } from "./operations.ts";

export interface Columns {
  readonly schema: Schema;
  /** The columns of times in seconds, which expressions have in milliseconds. */
  readonly inSeconds: ReadonlySet<string>;
}

type Rows = Parameters<ConstructorParameters<typeof ComputedField>[2]["ofRows"]>[0];
type AnyRecord = Readonly<Record<string, FieldValue>>;

export function ofRows({ schema, inSeconds }: Columns, rows: Rows): Source<number> {
  return {
    read: (name) => {
      const type = schema.fields[name]?.type;
      if (type === "int" || type === "float") {
        const read = rows.numberReaderOf(name);
        const scale = inSeconds.has(name) ? 1000 : 1;
        return (row) => {
          const number = read(row);
          return number === -Infinity ? null : number * scale;
        };
      }
      const read = rows.readerOf(schema.spellings.get(name) ?? name);
      if (type !== "boolean") return read;
      return (row) => {
        const text = read(row);
        return text === null ? null : text === "true";
      };
    },
    isMissing: (name) => {
      const codes = rows.indexOf(name)?.codes;
      if (codes !== undefined) return (row) => codes[row] === 0;
      const read = rows.readerOf(name);
      return (row) => read(row) === null;
    },
  };
}

/** Of fields that records do not hold, the values are computed. */
export function ofRecords({ schema, inSeconds }: Columns): Source<AnyRecord> {
  const readerOf = (name: string) => {
    const { compute } = schema.fields[name] ?? {};
    return (record: AnyRecord): unknown =>
      (compute === undefined ? record[name] : compute(record)) ?? null;
  };
  return {
    read: (name) => {
      const read = readerOf(name);
      const scale = inSeconds.has(name) ? 1000 : 1;
      return (record) => {
        const value = read(record);
        return typeof value === "number" ? value * scale : isPlain(value) ? value : null;
      };
    },
    isMissing: (name) => {
      const read = readerOf(name);
      return (record) => read(record) === null;
    },
  };
}

const isPlain = (value: unknown): value is Value =>
  typeof value === "string" || typeof value === "boolean";
