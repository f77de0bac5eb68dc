// Records with values that break careless code, and a schema with a field of each kind.

import {
  createCollection,
  defineSchema,
  int,
  string,
  strings,
  type Collection,
  type Schema,
} from "../../src/index.ts";
import { wireSchema } from "../wire-schema.ts";

/** Prefixes of each other, the ends of the planes, astral and combining characters, NUL, a mark. */
export const NASTY_TEXTS: readonly string[] = [
  "",
  "a",
  "ab",
  "abc",
  "a\u0000",
  "\u0000",
  "0",
  "10",
  "9",
  "\u007f",
  "\u0080",
  "\u07ff",
  "\u0800",
  "\ufeffmark",
  "\uffff",
  "\ue000",
  "\u{10000}",
  "\u{10ffff}",
  "\u{1f601}x",
  "é",
  "e\u0301",
  "null",
  "__proto__",
  "x".repeat(5000),
  "\u{1f600}".repeat(1500),
];

export const NASTY_INTEGERS: readonly string[] = [
  "0",
  "-1",
  "1",
  "255",
  "256",
  "2147483647",
  "2147483648",
  "-2147483648",
  "-2147483649",
  "4294967295",
  "4294967296",
  "-4294967296",
  "9007199254740991",
  "-9007199254740991",
];

/** Fields called as objects' own members are, and fields whose names look like numbers. */
export const Nasty = wireSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  number: int({ nullable: true }),
  positive: int(),
  same: string({ default: "same" }),
  again: string({ nullable: true }),
  color: string({ oneOf: ["red", "green"], default: "green" }),
  hidden: string({ nullable: true, stored: false, default: "?" }),
  quiet: string({ searchable: false, nullable: true }),
  empty: string({ nullable: true }),
  "2024": string({ default: "" }),
  "0": int({ default: "0" }),
  ["__proto__"]: string({ default: "p" }),
  constructor: string({ nullable: true }),
});

/** Records of {@link Nasty}, each nasty value in one of them at least. */
export function nastyRecords(count: number) {
  const pick = <T>(values: readonly T[], i: number): T | undefined => values[i % values.length];
  return Array.from({ length: count }, (_, i) => ({
    id: (i * 7919) % 1000003,
    text: i % 7 === 3 ? null : (pick(NASTY_TEXTS, i) ?? null),
    number: i % 5 === 2 ? null : (pick(NASTY_INTEGERS, i * 3) ?? null),
    positive: i + 1,
    // Equal to `text` in every value: the two have one dictionary.
    again: i % 7 === 3 ? null : (pick(NASTY_TEXTS, i) ?? null),
    ...(i % 2 === 0 ? { color: "red" as const } : {}),
    hidden: i % 3 === 0 ? null : `${pick(NASTY_TEXTS, i * 5) ?? ""}${i}`,
    quiet: i % 4 === 0 ? null : "quiet",
    "2024": pick(NASTY_TEXTS, i + 3) ?? "",
    "0": i - 5,
    constructor: i % 2 === 0 ? null : "c",
  }));
}

export function nastyCollection(count: number): Collection<typeof Nasty> {
  return createCollection(Nasty, nastyRecords(count));
}

/** Fields of strings beside one another, of which two have the same elements. */
export const Tagged = defineSchema({
  id: int({ unique: true }),
  tags: strings({ nullable: true }),
  again: strings({ nullable: true }),
  labels: strings({ stored: false, default: [] }),
  none: strings({ default: [] }),
  name: string(),
});

/** Empty and long arrays, repeated ones, and elements repeated in an order that is not their own. */
export function taggedCollection(count: number): Collection<typeof Tagged> {
  const textAt = (i: number) => NASTY_TEXTS[i % NASTY_TEXTS.length] ?? "";
  const records = Array.from({ length: count }, (_, i) => ({
    id: (i * 7919) % 1000003,
    tags: i % 6 === 1 ? null : Array.from({ length: i % 4 }, (_, j) => textAt(i * 3 + j)),
    again: i % 6 === 2 ? null : Array.from({ length: i % 4 }, (_, j) => textAt(i * 3 - j + 3)),
    ...(i % 5 === 0 ? {} : { labels: ["b", textAt(i), "b", `${i}`] }),
    name: textAt(i),
  }));
  return createCollection(Tagged, records);
}

/** Every value of a collection by field, those that records do not carry included. */
export function columnsOf<S extends Schema, Input>({
  schema,
  state,
}: Collection<S, Input>): Map<string, (string | null)[]> {
  const columns = schema.places.map(({ name }): [string, (string | null)[]] => [name, []]);
  const [segment] = state.snapshot.compact().segments;
  for (const [name, values] of columns) {
    const read = segment.readerOf(name);
    for (let row = 0; row < segment.size; row++) values.push(read(row));
  }
  return new Map(columns);
}
