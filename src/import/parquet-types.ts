// The types of Parquet columns, by what the file declares, https://github.com/apache/parquet-format

import * as types from "./value-types.ts";
import { dayText, instantOf, instantText, type Instant } from "./time-texts.ts";
import { decodeUtf8 } from "./utf8.ts";
import type { Member, NonFinite, ValueType } from "./value-types.ts";

/** A column, or a part of one, as the file declares it. */
export interface ParquetColumn {
  readonly name: string;
  readonly type?: string;
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

/** The details of a logical type, besides its name. */
interface LogicalType {
  readonly type: string;
  readonly unit?: string;
  readonly isAdjustedToUTC?: boolean;
  readonly precision?: number;
  readonly scale?: number;
}

const DIGITS: Readonly<Record<string, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };
const MS_PER_DAY = 86_400_000;

/** The annotations passed to hyparquet: those of strings, and those that it reads without a loss. */
const TEXTS = ["UTF8", "ENUM", "JSON"];
const KEPT = ["UINT_32", "UINT_64"];
const KEPT_LOGICAL = ["INTEGER", "FLOAT16", "GEOMETRY", "GEOGRAPHY"];

/**
 * The same elements without the types that hyparquet converts with a loss: decimals to floats, times to milliseconds.
 * It then returns the underlying integers and bytes. Maps are read as lists of entries, because their keys need not be
 * strings.
 *
 * @param texts the names of binary columns that contain text, although the file does not say so
 */
export function physical<Element extends object>(
  schema: readonly Element[],
  texts: ReadonlySet<string>,
): Element[] {
  const declared: readonly ParquetColumn[] = schema as readonly (Element & ParquetColumn)[];
  let next = 0;
  function copied(isVariant: boolean, depth: number): Element[] {
    const [given, element] = [schema[next]!, declared[next]!];
    next++;
    const count = element.num_children ?? 0;
    const isWithin = isVariant || element.logical_type?.type === "VARIANT";
    const changes = isWithin
      ? typedBytes(element)
      : count > 0
        ? group(element)
        : leaf(element, depth === 1 && texts.has(element.name));
    const own = { ...given, ...changes };
    return [own, ...Array.from({ length: count }, () => copied(isWithin, depth + 1)).flat()];
  }
  return schema.length === 0 ? [] : copied(false, 0);
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

/**
 * hyparquet takes bytes with a type within a variant for the variant itself, unless they are declared to be text. As
 * text in JSON, they are given to a function of ours.
 */
function typedBytes(element: ParquetColumn) {
  const { name, type, converted_type: converted } = element;
  if (name !== "typed_value" || type !== "BYTE_ARRAY" || isDeclaredText(element)) return {};
  const isDecimal = converted === "DECIMAL";
  return { converted_type: isDecimal ? converted : "JSON", logical_type: { type: "STRING" } };
}

function group({ converted_type: converted, logical_type: logical }: ParquetColumn) {
  const isList = converted === "LIST" || logical?.type === "LIST";
  return { converted_type: isList ? "LIST" : undefined, logical_type: undefined };
}

function isDeclaredText({ type, converted_type: converted, logical_type: logical }: ParquetColumn) {
  const isText =
    TEXTS.includes(converted ?? "") || ["STRING", "ENUM", "JSON"].includes(logical?.type ?? "");
  return type === "BYTE_ARRAY" && isText;
}

const sizeOf = ({ children }: ParquetNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), 1);

/** The same elements, with other names for the columns. */
export function withNames<Element extends object>(
  schema: readonly Element[],
  columns: readonly ParquetNode[],
  names: readonly string[],
): Element[] {
  const renamed = [...schema];
  let at = 1;
  for (const [index, column] of columns.entries()) {
    renamed[at] = { ...schema[at]!, name: names[index] };
    at += sizeOf(column);
  }
  return renamed;
}

/** The type of a column. */
export function typeOfNode(node: ParquetNode, nonFinite: NonFinite): ValueType {
  const type = typeOnce(node, nonFinite);
  return node.element.repetition_type === "REPEATED" ? types.list(type) : type;
}

/** The type of one value of a column that may be repeated. */
function typeOnce({ element, children }: ParquetNode, nonFinite: NonFinite): ValueType {
  if (element.type !== undefined) return typeOfLeaf(element, nonFinite);
  if (children.length === 0) return types.unsupported("a group without columns");
  const { converted_type: converted, logical_type: logical } = element;
  if (logical?.type === "VARIANT") return VARIANT;
  const [first] = children;
  const isRepeated = children.length === 1 && first?.element.repetition_type === "REPEATED";
  if (isRepeated && (converted === "LIST" || logical?.type === "LIST")) {
    return listOf(first, nonFinite);
  }
  const isMap = converted?.startsWith("MAP") === true || logical?.type === "MAP";
  if (isRepeated && isMap && first.children.length === 2) return mapOf(first, nonFinite);
  return types.struct(membersOf(children, nonFinite));
}

const membersOf = (children: readonly ParquetNode[], nonFinite: NonFinite): Member[] =>
  children.map((child) => ({ name: child.element.name, type: typeOfNode(child, nonFinite) }));

/** hyparquet omits the level between a list and its elements, unless it has several parts. */
function listOf(level: ParquetNode, nonFinite: NonFinite): ValueType {
  const [element] = level.children;
  if (level.children.length > 1) {
    const [name, of] = [level.element.name, types.struct(membersOf(level.children, nonFinite))];
    const { toJson } = types.list(of);
    return types.nested("a list", [of], (value) =>
      toJson?.((value as Readonly<Record<string, unknown>>)[name] ?? []),
    );
  }
  return types.list(
    element === undefined ? typeOnce(level, nonFinite) : typeOfNode(element, nonFinite),
  );
}

function mapOf({ element, children }: ParquetNode, nonFinite: NonFinite): ValueType {
  const [key, value] = membersOf(children, nonFinite);
  if (key === undefined || value === undefined) return types.unsupported("a map without values");
  return types.map(key.type, value.type, (map) => {
    const pairs = (map as Readonly<Record<string, Iterable<Readonly<Record<string, unknown>>>>>)[
      element.name
    ];
    return Array.from(pairs ?? [], (pair) => [pair[key.name], pair[value.name]] as const);
  });
}

function typeOfLeaf(element: ParquetColumn, nonFinite: NonFinite): ValueType {
  const { type, converted_type: converted = "" } = element;
  const logical: LogicalType = element.logical_type ?? { type: "" };
  const zone = logical.isAdjustedToUTC === true ? "Z" : "";
  const digits = DIGITS[logical.unit ?? converted.split("_").at(-1) ?? ""] ?? 0;
  const precision = element.precision ?? logical.precision ?? Infinity;
  const scale = element.scale ?? logical.scale ?? 0;
  switch (true) {
    case type === "BOOLEAN":
      return types.BOOLEAN;
    case type === "FLOAT" || type === "DOUBLE" || logical.type === "FLOAT16":
      return types.float(nonFinite);
    case converted === "DECIMAL" || logical.type === "DECIMAL":
      return types.decimal(precision, scale);
    case type === "INT96":
      return types.timestamp(9, "", instantOf96);
    case converted === "DATE" || logical.type === "DATE":
      return types.date(MS_PER_DAY);
    case converted.startsWith("TIME_") || logical.type === "TIME":
      return types.time(digits);
    case converted.startsWith("TIMESTAMP_") || logical.type === "TIMESTAMP":
      return types.timestamp(digits, logical.type === "TIMESTAMP" ? zone : "Z");
    case logical.type === "GEOMETRY" || logical.type === "GEOGRAPHY":
      return GEOMETRY;
    case converted === "JSON" || logical.type === "JSON":
      return types.JSON_TEXT;
    case isDeclaredText(element):
      return types.TEXT;
    case converted === "INTERVAL":
      return INTERVAL;
    case logical.type === "UUID":
      return types.UUID;
    case type === "INT32":
      return types.SMALL_INTEGER;
    case type === "INT64":
      return types.INTEGER;
    case type === "BYTE_ARRAY" && converted === "" && logical.type === "":
      return types.BYTES_OR_TEXT;
    default:
      return types.BYTES;
  }
}

/** The day of the Unix epoch in Julian days, in which INT96 counts. */
const JULIAN_EPOCH = 2_440_588;

/** The lower 64 bits are the nanoseconds of the day, the others the day. */
function instantOf96(value: unknown): Instant {
  const { seconds, rest } = instantOf(BigInt.asUintN(64, value as bigint), 9);
  const day = Number((value as bigint) >> 64n) - JULIAN_EPOCH;
  return { seconds: day * 86_400 + seconds, rest };
}

/** A shape as GeoJSON. */
const GEOMETRY = types.nested("a geometry", [], (value) => value);

const INTERVAL = types.interval((value) => {
  const { buffer, byteOffset } = value as Uint8Array;
  const view = new DataView(buffer, byteOffset, 12);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return { months, days, milliseconds };
});

/** A value of any type. */
export const VARIANT = types.nested("a variant", [], variantJson);

/** A value in which only bytes and large integers are not JSON yet. */
function variantJson(value: unknown): unknown {
  if (typeof value === "bigint") return types.INTEGER.toJson?.(value);
  if (value instanceof Uint8Array) return types.hexOf(value);
  if (Array.isArray(value)) return value.map(variantJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, variantJson(each)]));
}

type Bytes = Uint8Array | undefined;

/** Parsers of strings, and of times within variants, for hyparquet. */
export interface ParquetParsers {
  stringFromBytes(bytes: Uint8Array): unknown;
  jsonFromBytes(bytes: Uint8Array): unknown;
  dateFromDays(days: number): unknown;
  timestampFromMilliseconds(value: bigint): unknown;
  timestampFromMicroseconds(value: bigint): unknown;
  timestampFromNanoseconds(value: bigint): unknown;
}

export const parsers: ParquetParsers = {
  stringFromBytes: (bytes: Bytes) => bytes && (decodeUtf8(bytes) ?? bytes),
  jsonFromBytes: (bytes: Bytes) => bytes && types.hexOf(bytes),
  dateFromDays: dayText,
  timestampFromMilliseconds: (value: bigint) => instantText(instantOf(value, 3), 3),
  timestampFromMicroseconds: (value: bigint) => instantText(instantOf(value, 6), 6),
  timestampFromNanoseconds: (value: bigint) => instantText(instantOf(value, 9), 9),
};
