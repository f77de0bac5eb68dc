// The columns that a Parquet file declares, and how they are declared to hyparquet, which then decodes them without a
// loss.

import { decodeUtf8 } from "./utf8.ts";

/** A column, or a part of one, as the file declares it. */
export interface ParquetColumn {
  readonly name: string;
  readonly type?: string;
  /** The number of bytes of values of a fixed length. */
  readonly type_length?: number;
  readonly num_children?: number;
  readonly converted_type?: string;
  readonly repetition_type?: string;
  readonly precision?: number;
  readonly scale?: number;
  readonly logical_type?: { readonly type: string };
}

/** A column with its parts. */
export interface ParquetNode {
  readonly element: ParquetColumn;
  readonly children: readonly ParquetNode[];
}

/** The physical types that may have an annotation; for values of a fixed length, that length. */
const STORED_AS: Readonly<Record<string, readonly (string | number)[]>> = {
  DATE: ["INT32"],
  TIME: ["INT32", "INT64"],
  TIME_MILLIS: ["INT32"],
  TIME_MICROS: ["INT64"],
  TIMESTAMP: ["INT64"],
  TIMESTAMP_MILLIS: ["INT64"],
  TIMESTAMP_MICROS: ["INT64"],
  DECIMAL: ["INT32", "INT64", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"],
  INTEGER: ["INT32", "INT64"],
  UINT_32: ["INT32"],
  UINT_64: ["INT64"],
  JSON: ["BYTE_ARRAY"],
  GEOMETRY: ["BYTE_ARRAY"],
  GEOGRAPHY: ["BYTE_ARRAY"],
  INTERVAL: [12],
  UUID: [16],
  FLOAT16: [2],
};

/** The same elements without annotations that their physical types can't have, so that no value is taken for another. */
export const withValidTypes = <Element extends object>(schema: readonly Element[]): Element[] =>
  schema.map((given) => {
    const element: Partial<ParquetColumn> = given;
    const { type, type_length: length, converted_type: converted, logical_type: logical } = element;
    if (type === undefined) return given;
    const isValid = (annotation = "") => {
      const types = Object.hasOwn(STORED_AS, annotation) ? STORED_AS[annotation] : undefined;
      const isFixed = type === "FIXED_LEN_BYTE_ARRAY";
      return types?.some((each) => each === type || (isFixed && each === length)) ?? true;
    };
    return {
      ...given,
      converted_type: isValid(converted) ? converted : undefined,
      logical_type: isValid(logical?.type) ? logical : undefined,
    };
  });

/** The parts of a nested value by number, see {@link physical}. */
export type Parts = Readonly<Record<number, unknown>>;

/** The annotations passed to hyparquet: those of strings, and those that it reads without a loss. */
const TEXTS = ["UTF8", "ENUM", "JSON"];
const KEPT = ["UINT_32", "UINT_64"];
const KEPT_LOGICAL = ["INTEGER", "FLOAT16", "GEOMETRY", "GEOGRAPHY"];

/**
 * The same elements without the types that hyparquet converts with a loss: decimals to floats, times to milliseconds.
 * It then returns the underlying integers and bytes. Maps are read as lists of entries, because their keys need not be
 * strings; variants as groups. Parts of columns get their numbers as names: hyparquet takes `__proto__` for a prototype,
 * and `a.b` for a part of `a`.
 *
 * @param names the names of the columns
 * @param texts those of binary columns that contain text, although the file does not say so
 */
export function physical<Element extends object>(
  schema: readonly Element[],
  names: readonly string[],
  texts: ReadonlySet<string>,
): Element[] {
  const declared: readonly ParquetColumn[] = schema as readonly (Element & ParquetColumn)[];
  let next = 0;
  function copied(name: string, depth: number): Element[] {
    const [given, element] = [schema[next]!, declared[next]!];
    next++;
    const count = element.num_children ?? 0;
    const changes = count > 0 ? group(element) : leaf(element, depth === 1 && texts.has(name));
    const parts = Array.from({ length: count }, (_, i) =>
      copied((depth === 0 ? names[i] : undefined) ?? String(i), depth + 1),
    );
    return [{ ...given, ...changes, name }, ...parts.flat()];
  }
  return schema.length === 0 ? [] : copied("", 0);
}

function leaf(element: ParquetColumn, isText: boolean) {
  const { type, converted_type: converted = "", logical_type: logical } = element;
  const text = isText || isDeclaredText(element) ? "UTF8" : undefined;
  return {
    // Any name keeps hyparquet from converting INT96 to a time.
    converted_type:
      text ?? (KEPT.includes(converted) ? converted : type === "INT96" ? type : undefined),
    logical_type: KEPT_LOGICAL.includes(logical?.type ?? "") ? logical : undefined,
  };
}

function group(element: ParquetColumn) {
  return { converted_type: isList(element) ? "LIST" : undefined, logical_type: undefined };
}

export const isList = ({ converted_type: converted, logical_type: logical }: ParquetColumn) =>
  converted === "LIST" || logical?.type === "LIST";

export function isDeclaredText({
  type,
  converted_type: converted,
  logical_type: logical,
}: ParquetColumn) {
  const isText =
    TEXTS.includes(converted ?? "") || ["STRING", "ENUM", "JSON"].includes(logical?.type ?? "");
  return type === "BYTE_ARRAY" && isText;
}

type Bytes = Uint8Array | undefined;

/** Parsers for hyparquet. */
export interface ParquetParsers {
  stringFromBytes(bytes: Uint8Array): unknown;
}

export const parsers: ParquetParsers = {
  stringFromBytes: (bytes: Bytes) => bytes && (decodeUtf8(bytes) ?? bytes),
};
