// Variants in columns: the names of members in one, values in others, as bytes or in columns of their own types,
// https://github.com/apache/parquet-format/blob/master/VariantShredding.md

import { orUndefined, quote } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import { isList, type ParquetNode, type Parts } from "./parquet-schema.ts";
import { BYTES, BYTES_OR_TEXT, inJson, nested, unsupported } from "./value-types.ts";
import type { NonFinite, ValueType } from "./value-types.ts";
import { refuseVariant, variantReader, VariantNames } from "./variant.ts";

/** Reads a value, an element or a member from its columns; `undefined` if it is missing. */
type ReadPart = (part: unknown, names: VariantNames) => unknown;

/** @param typeOf the type of a column */
export function variantOf(
  columns: readonly ParquetNode[],
  nonFinite: NonFinite,
  typeOf: (column: ParquetNode) => ValueType,
): ValueType {
  const readBytes = variantReader(nonFinite);
  const at = placeOf("metadata", columns);
  const read = orUndefined(() => {
    requireForm(isBytes(columns[at]));
    return partIn(columns);
  });
  if (read === undefined) return unsupported("a variant in columns of another form");

  // Rows often share the bytes of their names.
  const known = new WeakMap<Uint8Array, VariantNames>();
  function namesIn(metadata: unknown): VariantNames {
    if (!(metadata instanceof Uint8Array)) return refuseVariant("its metadata is missing");
    const names = known.get(metadata) ?? new VariantNames(metadata);
    known.set(metadata, names);
    return names;
  }
  const type = nested("a variant", [], (value) => {
    return read(value, namesIn((value as Parts)[at])) ?? null;
  });
  return {
    ...type,
    // A variant that is not missing may be null all the same.
    observe(facts, value) {
      facts.nullable ||= type.toJson?.(value) === null;
    },
  };

  function isBytes(column: ParquetNode | undefined): boolean {
    return column !== undefined && typeOf(column) === BYTES_OR_TEXT;
  }

  /** A value is in one of two columns. An object may be in both, with some of its members in each. */
  function partIn(columns: readonly ParquetNode[]): ReadPart {
    const [bytesAt, typedAt] = [placeOf("value", columns), placeOf("typed_value", columns)];
    const { [bytesAt]: inBytes, [typedAt]: typed } = columns;
    requireForm(inBytes === undefined ? typed !== undefined : isBytes(inBytes));
    const readTyped = typed && typedIn(typed);
    return (part, names) => {
      const { [bytesAt]: bytes, [typedAt]: typed } = (part ?? {}) as Parts;
      const value = bytes instanceof Uint8Array ? readBytes(bytes, names) : undefined;
      if (readTyped === undefined || typed === undefined || typed === null) return value;
      const typedValue = readTyped(typed, names);
      return value === undefined && !isMembers(typedValue)
        ? typedValue
        : union(value === undefined ? {} : value, typedValue);
    };
  }

  function typedIn(column: ParquetNode): ReadPart {
    const { element, children } = column;
    requireForm(element.repetition_type !== "REPEATED");
    if (element.type === undefined) return isList(element) ? arrayIn(children) : objectIn(children);
    return inJson(isBytes(column) ? BYTES : typeOf(column));
  }

  function arrayIn([level, ...others]: readonly ParquetNode[]): ReadPart {
    const { element, children = [] }: Partial<ParquetNode> = level ?? {};
    const [item, ...more] = children;
    requireForm(element?.repetition_type === "REPEATED" && others.length + more.length === 0);
    const readItem = memberIn(item);
    return (items, names) =>
      Array.from(items as Iterable<unknown>, (item) => readItem(item, names) ?? null);
  }

  /** Members that are missing are `undefined`. */
  function objectIn(columns: readonly ParquetNode[]): ReadPart {
    const members = new Map(columns.map((column) => [column.element.name, memberIn(column)]));
    requireForm(members.size > 0 && members.size === columns.length);
    return (parts, names) =>
      Object.fromEntries(
        Array.from(members, ([name, read], i) => [name, read((parts as Parts)[i], names)]),
      );
  }

  function memberIn(column: ParquetNode | undefined): ReadPart {
    requireForm(column !== undefined && column.element.repetition_type !== "REPEATED");
    return partIn(column.children);
  }
}

const placeOf = (name: string, columns: readonly ParquetNode[]): number =>
  columns.findIndex(({ element }) => element.name === name);

/** Throws, so that the whole variant is of a type that is not supported. */
function requireForm(isGiven: boolean): asserts isGiven {
  if (!isGiven) throw new TypeError();
}

/** An object with members in bytes and members in columns. */
function union(value: unknown, typedValue: unknown): unknown {
  if (!isMembers(value) || !isMembers(typedValue)) {
    return refuseVariant("it has a value as bytes and another one in a column");
  }
  const twice = Object.keys(typedValue).find((name) => Object.hasOwn(value, name));
  if (twice !== undefined) {
    return refuseVariant(`an object has the member ${quote(twice)} as bytes, not in its column`);
  }
  const present = Object.entries(typedValue).filter(([, member]) => member !== undefined);
  return { ...value, ...Object.fromEntries(present) };
}
