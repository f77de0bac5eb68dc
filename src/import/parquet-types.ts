// The types of Parquet columns, by what the file declares, https://github.com/apache/parquet-format

import { DEEPEST } from "../schema/json.ts";
import * as types from "./value-types.ts";
import { instantOf, type Instant } from "./time-texts.ts";
import {
  isDeclaredText,
  isList,
  type ParquetColumn,
  type ParquetNode,
  type Parts,
} from "./parquet-schema.ts";
import { variantOf } from "./parquet-variant.ts";
import type { Member, NonFinite, ValueType } from "./value-types.ts";

/** The details of a logical type, besides its name. */
interface LogicalType {
  readonly type: string;
  readonly unit?: string;
  readonly isAdjustedToUTC?: boolean;
  readonly precision?: number;
  readonly scale?: number;
}

const DIGITS: Readonly<Record<string, number>> = { MILLIS: 3, MICROS: 6, NANOS: 9 };

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
  if (logical?.type === "VARIANT")
    return variantOf(children, nonFinite, (child) => typeOfNode(child, nonFinite));
  const [first] = children;
  const isRepeated = children.length === 1 && first?.element.repetition_type === "REPEATED";
  if (isRepeated && isList(element)) return listOf(first, nonFinite);
  const isMap = converted?.startsWith("MAP") === true || logical?.type === "MAP";
  if (isRepeated && isMap && first.children.length === 2) return mapOf(first, nonFinite);
  return structOf(children, nonFinite);
}

/** hyparquet has the members of a struct under their numbers, see {@link physical}. */
const structOf = (children: readonly ParquetNode[], nonFinite: NonFinite): ValueType =>
  types.struct(membersOf(children, nonFinite), (_, index) => index);

const membersOf = (children: readonly ParquetNode[], nonFinite: NonFinite): Member[] =>
  children.map((child) => ({ name: child.element.name, type: typeOfNode(child, nonFinite) }));

/** hyparquet omits the level between a list and its elements, unless it has several parts. */
function listOf(level: ParquetNode, nonFinite: NonFinite): ValueType {
  const [element] = level.children;
  if (level.children.length > 1) {
    const of = structOf(level.children, nonFinite);
    const { toJson } = types.list(of);
    return types.nested("a list", [of], (value) => toJson?.((value as Parts)[0] ?? []));
  }
  return types.list(
    element === undefined ? typeOnce(level, nonFinite) : typeOfNode(element, nonFinite),
  );
}

function mapOf({ children }: ParquetNode, nonFinite: NonFinite): ValueType {
  const [key, value] = membersOf(children, nonFinite);
  if (key === undefined || value === undefined) return types.unsupported("a map without values");
  return types.map(key.type, value.type, (map) => {
    const pairs = (map as readonly Iterable<Parts>[])[0] ?? [];
    return Array.from(pairs, ({ 0: key, 1: value }) => [key, value] as const);
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
      return types.DAYS;
    case converted.startsWith("TIME_") || logical.type === "TIME":
      return types.time(digits);
    case converted.startsWith("TIMESTAMP_") || logical.type === "TIMESTAMP":
      return types.timestamp(digits, logical.type === "TIMESTAMP" ? zone : "Z");
    case logical.type === "GEOMETRY" || logical.type === "GEOGRAPHY":
      return geometry(nonFinite);
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

/** A shape as GeoJSON, whose coordinates may be NaN. */
function geometry(nonFinite: NonFinite): ValueType {
  const coordinate = types.inJson(types.float(nonFinite));
  const toJson = (value: unknown, depth: number): unknown => {
    if (typeof value === "number") return coordinate(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEEPEST) types.refuseWithin(`is a geometry nested more than ${DEEPEST} deep`);
    if (Array.isArray(value)) return value.map((each) => toJson(each, depth + 1));
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, each]) => [name, toJson(each, depth + 1)]));
  };
  return types.nested("a geometry", [], (value) => toJson(value, 0));
}

const INTERVAL = types.interval((value) => {
  const { buffer, byteOffset } = value as Uint8Array;
  const view = new DataView(buffer, byteOffset, 12);
  const [months, days, milliseconds] = [0, 4, 8].map((at) => view.getUint32(at, true));
  return { months, days, milliseconds };
});
