// Generated files of other tools: columns of each type, dictionary-encoded or not, whose footers and
// messages are mostly valid, with some wrong offsets, lengths and counts.

import fc from "fast-check";
import type { Builder, Offset } from "flatbuffers";
import {
  encoding,
  fieldTable,
  foreignFile,
  intType,
  offsets,
  overlapping,
  types,
  type Message,
} from "./foreign-file.ts";

interface Column {
  /** Which of some names: several may have the same. */
  readonly name: number;
  readonly type: number;
  readonly bits: number;
  readonly coded: { readonly id: number; readonly bits: number } | null;
  readonly children: number;
}

const column: fc.Arbitrary<Column> = fc.record({
  name: fc.nat({ max: 300 }),
  type: fc.oneof(
    {
      weight: 19,
      arbitrary: fc.constantFrom(
        types.int,
        types.utf8,
        types.null,
        types.utf8View,
        types.largeUtf8,
      ),
    },
    { weight: 1, arbitrary: fc.nat({ max: 30 }) },
  ),
  bits: fc.constantFrom(8, 16, 32, 64, 8, 16, 32, 64, 24, -8),
  coded: fc.option(fc.record({ id: fc.nat({ max: 2 }), bits: fc.constantFrom(8, 32) }), {
    freq: 3,
  }),
  children: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.nat({ max: 300 })),
});

/** What a batch says, where it is not what its columns need. */
interface Lie {
  readonly node: number;
  readonly buffer: number;
  readonly offset: number;
  readonly length: number;
  readonly rows: number;
}

const rows = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 40 }) },
  fc.constantFrom(0, 1, 2 ** 21 + 1, 2 ** 31, 2 ** 40, 2 ** 53 - 1, -1),
);
const lie: fc.Arbitrary<Lie> = fc.record({
  node: fc.nat({ max: 20 }),
  buffer: fc.nat({ max: 40 }),
  offset: fc.constantFrom(0, 8, -8, 2 ** 40),
  length: fc.oneof(fc.nat({ max: 400 }), fc.constantFrom(-1, 2 ** 31, 2 ** 40)),
  rows,
});
const lies = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(lie, { maxLength: 2 }));
const text = fc.nat({ max: 60 });
const note = fc.tuple(text, text);

const parts = fc.record({
  columns: fc.array(column, { minLength: 1, maxLength: 8 }),
  dictionaries: fc.array(
    fc.record({ id: fc.nat({ max: 2 }), isDelta: fc.boolean(), rows: fc.nat({ max: 40 }), lies }),
    { maxLength: 8 },
  ),
  records: fc.array(fc.record({ rows, lies }), { maxLength: 4 }),
  noted: fc.oneof(
    { weight: 9, arbitrary: fc.array(note, { maxLength: 5 }) },
    { weight: 1, arbitrary: fc.array(note, { minLength: 200, maxLength: 200 }) },
  ),
});

export const drawnFile: fc.Arbitrary<Uint8Array> = parts.map(
  ({ columns, dictionaries, records, noted }) => {
    const valuesOf = (id: number) => columns.filter(({ coded }) => coded?.id === id).slice(0, 1);
    return foreignFile({
      fields: (builder) => {
        const names = textsOf(builder);
        const detail = new Map(columns.map(({ bits }) => [bits, intType(builder, bits)]));
        const child = fieldTable(builder, { type: types.null });
        return columns.map(({ name, type, bits, coded, children }) =>
          fieldTable(builder, {
            name: names(name),
            type,
            detail: detail.get(bits) ?? 0,
            ...(coded === null ? {} : { dictionary: encoding(builder, coded.id, coded.bits) }),
            ...(children === 0 ? {} : { children: offsets(builder, fill(children, child)) }),
          }),
        );
      },
      metadata: (builder) => {
        const texts = textsOf(builder);
        return noted.map(([name, value]) => [texts(name), texts(value)]);
      },
      dictionaries: dictionaries.map(({ id, isDelta, rows, lies }) => {
        const values = valuesOf(id).map((column) => ({ ...column, coded: null }));
        return { id, isDelta, ...batchOf(values, rows, lies) };
      }),
      records: records.map(({ rows, lies }) => batchOf(columns, rows, lies)),
    });
  },
);

const fill = (length: number, offset: Offset) => new Array<Offset>(length).fill(offset);

/** Texts by number: short ones, and long ones that overlap. */
function textsOf(builder: Builder): (number: number) => Offset {
  const long = overlapping(builder, 800);
  const known = new Map<number, Offset>();
  return (number) => {
    if (number > 30) return long[number - 31] ?? 0;
    const offset = known.get(number) ?? builder.createString(number === 7 ? "" : `c${number}`);
    known.set(number, offset);
    return offset;
  };
}

/** The arrays that the columns need for so many rows, all of zeros; then what is said otherwise. */
function batchOf(columns: readonly Column[], rows: number, lies: readonly Lie[]): Message {
  const real = rows > 40 || rows < 0 ? 3 : rows;
  const nodes: [number, number][] = [];
  const buffers: [number, number][] = [];
  const views: number[] = [];
  let size = 0;
  const add = (...lengths: readonly number[]) => {
    for (const length of lengths) {
      buffers.push([size, length]);
      size += Math.ceil(length / 8) * 8;
    }
  };
  for (const { type, bits, coded } of columns) {
    nodes.push([rows, 0]);
    const width = coded?.bits ?? Math.max(0, bits);
    if (coded !== null || type === types.int) add(0, Math.ceil((real * width) / 8));
    else if (type === types.utf8) add(0, 4 * (real + 1), 0);
    else if (type === types.largeUtf8) add(0, 8 * (real + 1), 0);
    else if (type === types.utf8View) {
      add(0, 16 * real, 20);
      views.push(1);
    } else if (type !== types.null) add(0, 8 * real);
  }
  for (const { node, buffer, offset, length, rows } of lies) {
    if (nodes.length > 0) nodes[node % nodes.length] = [rows, node % 3];
    if (buffers.length > 0) buffers[buffer % buffers.length] = [offset, length];
  }
  return { rows, nodes, buffers, views, body: new Uint8Array(size) };
}

/** A change of one of the words of four bytes that a flatbuffer is made of. */
export interface WordChange {
  readonly at: number;
  readonly by: number | "other";
  readonly other: number;
}

export const wordChange: fc.Arbitrary<WordChange> = fc.record({
  at: fc.nat(),
  by: fc.constantFrom("other" as const, "other" as const, 1, -1, 4, -4, 8, 256, 2 ** 16, 2 ** 31),
  other: fc.nat(),
});

/** Places are counted from the end: most words there are of the footer. */
export function withWord(file: Uint8Array, { at, by, other }: WordChange): Uint8Array {
  const copy = Uint8Array.from(file);
  const view = new DataView(copy.buffer);
  const words = Math.floor(copy.length / 4);
  const place = (number: number) => copy.length - 4 - 4 * (number % words);
  const word = view.getUint32(place(by === "other" ? other : at), true);
  view.setUint32(place(at), by === "other" ? word : (word + by) >>> 0, true);
  return copy;
}
