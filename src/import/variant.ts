// Decodes variants, values of any type in a binary form,
// https://github.com/apache/parquet-format/blob/master/VariantEncoding.md

import { quote } from "../schema/errors.ts";
import { DEEPEST } from "../schema/json.ts";
import { decodeUtf8 } from "./utf8.ts";
import * as types from "./value-types.ts";
import type { NonFinite, ValueType } from "./value-types.ts";

/** Refuses the value of the column, with the reason. */
export const refuseVariant = (reason: string): never =>
  types.refuseWithin(`is a variant that can't be read: ${reason}`);

/** An unsigned integer of up to four bytes. */
function unsigned(bytes: Uint8Array, at: number, width: number): number {
  let integer = 0;
  for (let i = width - 1; i >= 0; i--) integer = integer * 256 + bytes[at + i]!;
  return integer;
}

/** The names of all members of a variant: its metadata. */
export class VariantNames {
  readonly #bytes: Uint8Array;
  /** The number of bytes of an offset. */
  readonly #width: number;
  readonly #count: number;
  /** Where the bytes of the first name start, after the header, the count, and an offset more than names. */
  readonly #start: number;
  readonly #decoded = new Map<number, string>();

  constructor(bytes: Uint8Array) {
    const [head = 0] = bytes;
    if ((head & 15) !== 1) refuseVariant(`its metadata has version ${head & 15}, not 1`);
    this.#bytes = bytes;
    this.#width = (head >> 6) + 1;
    this.#count = bytes.length > this.#width ? unsigned(bytes, 1, this.#width) : Infinity;
    this.#start = 1 + this.#width * (this.#count + 2);
    if (this.#start > bytes.length) refuseVariant("its metadata is truncated");
  }

  at(id: number): string {
    const known = this.#decoded.get(id);
    if (known !== undefined) return known;
    if (id >= this.#count) refuseVariant(`it has ${this.#count} names, but refers to number ${id}`);
    const [from, to] = [this.#offset(id), this.#offset(id + 1)];
    const isWithin = from <= to && to <= this.#bytes.length;
    const name = isWithin ? decodeUtf8(this.#bytes.subarray(from, to)) : undefined;
    if (name === undefined) return refuseVariant(`its name number ${id} is damaged`);
    this.#decoded.set(id, name);
    return name;
  }

  #offset(id: number): number {
    return this.#start + unsigned(this.#bytes, 1 + (id + 1) * this.#width, this.#width);
  }
}

/** Reads the value of one type at a position. */
type Read = (view: DataView, at: number) => unknown;

/** By the numbers of the types. Strings and bytes, which start with their length, are not among them. */
type Primitives = readonly (readonly [size: number, read: Read] | undefined)[];

/** Decodes a value to JSON. Its cost is proportional to the length of its bytes. */
export type ReadVariant = (bytes: Uint8Array, names: VariantNames) => unknown;

export function variantReader(nonFinite: NonFinite): ReadVariant {
  const primitives = primitivesOf(nonFinite);
  return (bytes, names) => new Decoder(bytes, names, primitives).value(0, bytes.length, 0);
}

function primitivesOf(nonFinite: NonFinite): Primitives {
  const of = (size: number, type: ValueType, get: Read) => {
    const toJson = types.inJson(type);
    return [size, (view: DataView, at: number) => toJson(get(view, at))] as const;
  };
  const int8: Read = (view, at) => view.getInt8(at);
  const int16: Read = (view, at) => view.getInt16(at, true);
  const int32: Read = (view, at) => view.getInt32(at, true);
  const int64: Read = (view, at) => view.getBigInt64(at, true);
  const int128: Read = (view, at) =>
    (view.getBigInt64(at + 8, true) << 64n) | view.getBigUint64(at, true);
  const float = types.float(nonFinite);
  return [
    of(0, types.NULL, () => null),
    of(0, types.BOOLEAN, () => true),
    of(0, types.BOOLEAN, () => false),
    of(1, types.SMALL_INTEGER, int8),
    of(2, types.SMALL_INTEGER, int16),
    of(4, types.SMALL_INTEGER, int32),
    of(8, types.INTEGER, int64),
    of(8, float, (view, at) => view.getFloat64(at, true)),
    [5, decimal(int32)],
    [9, decimal(int64)],
    [17, decimal(int128)],
    of(4, types.DAYS, int32),
    of(8, types.timestamp(6, "Z"), int64),
    of(8, types.timestamp(6, ""), int64),
    of(4, float, (view, at) => view.getFloat32(at, true)),
    undefined,
    undefined,
    of(8, types.time(6), int64),
    of(8, types.timestamp(9, "Z"), int64),
    of(8, types.timestamp(9, ""), int64),
    of(16, types.UUID, (view, at) => new Uint8Array(view.buffer, view.byteOffset + at, 16)),
  ];
}

const [BYTES, TEXT] = [15, 16];

const DECIMALS = Array.from({ length: 39 }, (_, scale) =>
  types.inJson(types.decimal(Infinity, scale)),
);

/** A decimal, whose first byte is the scale. */
const decimal =
  (get: Read): Read =>
  (view, at) => {
    const scale = view.getUint8(at);
    const toJson = DECIMALS[scale] ?? refuseVariant(`a decimal has the scale ${scale}`);
    return toJson(get(view, at + 1));
  };

const textOf = types.inJson(types.TEXT);

class Decoder {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #names: VariantNames;
  readonly #primitives: Primitives;
  /** How many bytes are not part of a value yet. */
  #left: number;

  constructor(bytes: Uint8Array, names: VariantNames, primitives: Primitives) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#names = names;
    this.#primitives = primitives;
    this.#left = bytes.length;
  }

  /** The value at a position, which ends at another one or before. */
  value(at: number, end: number, depth: number): unknown {
    const head = this.#unsigned(at, 1, end);
    const header = head >> 2;
    switch (head & 3) {
      case 0:
        return this.#primitive(header, at + 1, end);
      case 1:
        return this.#text(at + 1, header, end);
      case 2:
        return this.#object(header, at + 1, end, depth);
      default:
        return this.#array(header, at + 1, end, depth);
    }
  }

  /**
   * Checks bytes before they are read. No byte is part of two values: otherwise arrays within each other, whose elements
   * are all at one position, could stand for any number of values.
   */
  #take(at: number, length: number, end: number): number {
    if (at + length > end) refuseVariant("a value is truncated");
    this.#left -= length;
    if (this.#left < 0) refuseVariant("its values overlap");
    return at;
  }

  #unsigned(at: number, width: number, end: number): number {
    return unsigned(this.#bytes, this.#take(at, width, end), width);
  }

  #primitive(id: number, at: number, end: number): unknown {
    if (id === TEXT) return this.#text(at + 4, this.#unsigned(at, 4, end), end);
    if (id === BYTES) return types.hexOf(this.#part(at + 4, this.#unsigned(at, 4, end), end));
    const [size, read] = this.#primitives[id] ?? refuseVariant(`it has the unknown type ${id}`);
    return read(this.#view, this.#take(at, size, end));
  }

  #text(at: number, length: number, end: number): unknown {
    const bytes = this.#part(at, length, end);
    return textOf(decodeUtf8(bytes) ?? bytes);
  }

  #part(at: number, length: number, end: number): Uint8Array {
    return this.#bytes.subarray(this.#take(at, length, end), at + length);
  }

  #array(header: number, at: number, end: number, depth: number): unknown[] {
    const { length, valueAt } = this.#container(header, header >> 2, 0, at, end, depth);
    return Array.from({ length }, (_, i) => valueAt(i));
  }

  #object(header: number, at: number, end: number, depth: number): unknown {
    const idWidth = ((header >> 2) & 3) + 1;
    const { length, ids, valueAt } = this.#container(header, header >> 4, idWidth, at, end, depth);
    const members = new Map<string, unknown>();
    for (let i = 0; i < length; i++) {
      const name = this.#names.at(unsigned(this.#bytes, ids + i * idWidth, idWidth));
      if (members.has(name)) refuseVariant(`an object has two members ${quote(name)}`);
      members.set(name, valueAt(i));
    }
    return Object.fromEntries(members);
  }

  /** The values in an array or object: how many there are, the numbers of their names, their offsets, the values. */
  #container(
    header: number,
    isLarge: number,
    idWidth: number,
    at: number,
    end: number,
    depth: number,
  ) {
    if (depth === DEEPEST) refuseVariant(`it is nested more than ${DEEPEST} deep`);
    const countWidth = (isLarge & 1) === 1 ? 4 : 1;
    const width = (header & 3) + 1;
    const length = this.#unsigned(at, countWidth, end);
    const ids = at + countWidth;
    const offsets = ids + length * idWidth;
    const start = offsets + (length + 1) * width;
    this.#take(ids, start - ids, end);
    const placeOf = (i: number) => start + unsigned(this.#bytes, offsets + i * width, width);
    const last = placeOf(length);
    if (last > end) refuseVariant("a value is truncated");
    return { length, ids, valueAt: (i: number) => this.value(placeOf(i), last, depth + 1) };
  }
}
