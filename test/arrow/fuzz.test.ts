// Altered files: bits flipped, parts cut off or spliced, sections and the directory changed with matching checksums.
// Each is refused with a FileError, or gives the results of its records. `TERCET_RUNS=100000 npx vitest run
// test/arrow/fuzz.test.ts` alters as many.

import fc from "fast-check";
import { expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import { collect } from "../../src/collection/create.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import { readSettings } from "../../src/engine/settings.ts";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  int,
  string,
  strings,
  type Collection,
  type Schema,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { onDisk } from "./reopened.ts";
import { directoryOf, sealed } from "./sealed.ts";
import { tuned } from "../tuned.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  number: int({ nullable: true }),
  color: string({ oneOf: ["red", "green"] }),
  hidden: string({ stored: false, default: "" }),
  tags: strings({ nullable: true }),
});
const WORDS = ["", "a", "ab", "é", "\u{1f600}", "x".repeat(40), "\uffff", "10", "9"];

const records = Array.from({ length: 700 }, (_, i) => ({
  id: (i * 31) % 1009,
  text: i % 9 === 4 ? null : `${WORDS[i % WORDS.length] ?? ""}${i % 400}`,
  number: i % 7 === 3 ? null : (i * 7919) % 513,
  color: i % 3 === 0 ? ("red" as const) : ("green" as const),
  hidden: WORDS[i % 5] ?? "",
  tags: i % 11 === 5 ? null : [...WORDS.slice(i % 9, (i % 9) + (i % 4)), `${i % 60}`],
}));
const defaults = readSettings({});
const original = (() => {
  // With a trigram index of few values.
  using _ = tuned({ fewValues: 3 });
  return (
    collect(new Codec(Row), defaults, (loader) => loader.add(records))
      .prepare({ contains: ["text"] })
      // Keys that are not the numbers of the rows.
      .remove([["number", "less_than", 40]])
  );
})();
const saved = saveCollection(original, { orders: "all", trigrams: "none" });
/** The same with trigrams, which are a megabyte at least: one in four is enough. */
const searched = saveCollection(original, { orders: "all" });
/** Without orders, but with the starts of codes, as a file with many rows has them. */
const counted = (() => {
  using _ = tuned({ manyRows: 3 });
  return saveCollection(original, { orders: "none", trigrams: "none" });
})();
const file = fc.constantFrom(saved, saved, counted, searched);
const originalRecords = [...original];

/** Whether queries answer as the records that the collection says it has. */
function expectConsistent(opened: Collection): void {
  const records = [...opened];
  expect(opened.size).toBe(records.length);
  const { text, number, tags } = records[Math.floor(records.length / 2)] ?? {};
  const criteria: (readonly [string, string, unknown])[][] = [
    [["text", "exactly", text ?? null]],
    [["text", "starts_with", "a"]],
    [["text", "contains", "é"]],
    [["text", "contains", "xx1"]],
    [["text", "contains", "\u{1f600}3"]],
    [["number", "greater_than", number ?? 5]],
    [
      ["number", "exactly", number ?? null],
      ["color", "exactly", "red"],
    ],
    [["id", "less_than", 100]],
    [["tags", "has", "é"]],
    [["tags", "has_any", [...((tags ?? []) as readonly string[]), "59"]]],
    [
      ["tags", "not", null],
      ["color", "exactly", "red"],
    ],
  ];
  for (const each of criteria) {
    const select = { criteria: each } as { criteria: never };
    const passes = compileCriteria(opened.schema, each as never);
    const expected = records.filter((record) => passes(record as never));
    expect(opened.query(select)).toEqual(expected);
    expect(opened.count(each as never)).toBe(expected.length);
  }
  const counts = new Map<string | null, number>();
  for (const { tags } of records as { tags: readonly string[] | null }[]) {
    for (const each of tags === null ? [null] : new Set(tags)) {
      counts.set(each, (counts.get(each) ?? 0) + 1);
    }
  }
  const counted = opened.countBy("tags").map(({ value, count }) => [value, count]);
  expect(new Map(counted as [string | null, number][])).toEqual(counts);
  // Records that are held are the same objects, however often they are asked for.
  const all = new Set(records);
  for (const sortBy of ["text", "number", "id"] as const) {
    const sorted = opened.query({ sortBy });
    expect(new Set(sorted).size).toBe(records.length);
    expect(sorted.filter((record) => !all.has(record))).toEqual([]);
    const again = createCollection(opened.schema, sorted as never, { indexes: "none" });
    expect(again.query({ sortBy }).map((record) => record[sortBy])).toEqual(
      sorted.map((record) => record[sortBy]),
    );
  }
}

const askable = ({ fields }: Schema): string =>
  JSON.stringify(
    Object.entries(fields).map(([name, { type, searchable, stored, unique, ...field }]) => [
      ...[name, type, searchable, stored],
      // Records that are made again lack what is not stored: all have its default.
      !stored && [unique, field.default === undefined],
    ]),
  );

/** What becomes of a changed file. Any other error than these fails the test. */
function outcomeOf(open: () => Collection): Collection | undefined {
  try {
    const opened = open();
    // A schema that became another one may not take the criteria, or hide what they ask for.
    if (askable(opened.schema) !== askable(Row)) return undefined;
    expectConsistent(opened);
    return opened;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

interface Change {
  readonly at: number;
  readonly kind: "flip" | "set" | "cut" | "splice";
  readonly byte: number;
  readonly length: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom("flip", "flip", "set", "cut", "splice"),
  byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat({ max: 255 })),
  length: fc.oneof(fc.constantFrom(1, 2, 4, 8), fc.nat({ max: 300 })),
});

function changed(
  bytes: Uint8Array,
  { at, kind, byte, length }: Change,
  within: number,
): Uint8Array {
  const copy = bytes.slice();
  const place = at % Math.max(1, within);
  const end = Math.min(within, place + length);
  switch (kind) {
    case "flip":
      copy[place] = (copy[place] ?? 0) ^ (1 << (byte & 7));
      return copy;
    case "set":
      return copy.fill(byte, place, end);
    case "cut":
      return Buffer.concat([copy.subarray(0, place), copy.subarray(end)]);
    case "splice":
      return copy.copyWithin(
        place,
        (at * 31) % Math.max(1, within - length),
        ((at * 31) % Math.max(1, within - length)) + end - place,
      );
  }
}

test("the file that is changed has trigrams, which queries use", () => {
  for (const needle of ["xx1", "\u{1f600}3"]) {
    const plan = openCollection(searched).explain({
      criteria: [["text", "contains", needle]] as never,
    });
    expect(JSON.stringify(plan)).toContain('"trigrams"');
  }
});

test("a changed file is refused, or what it was", () => {
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 3 }),
      file,
      fc.constantFrom("whole", "sections", "pieces", "disk"),
      (changes, of, reading) => {
        const bytes = changes.reduce((all, each) => changed(all, each, all.length), of);
        const isInPieces = reading === "pieces" || reading === "disk";
        using _ = tuned(isInPieces ? { smallSection: 0, wholeSection: 0 } : {});
        const source = reading === "disk" ? onDisk(bytes) : bytes;
        const opened = outcomeOf(() => openCollection(source, { verify: reading === "whole" }));
        if (opened !== undefined) expect([...opened]).toEqual(originalRecords);
      },
    ),
    settings(100),
  );
});

/** What a change makes of a number. */
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 8, 0.5, 2 ** 31, 2 ** 32, 2 ** 53, Number.NaN, null, "8"),
  fc.nat({ max: 20_000 }).map((n) => n * 8),
  fc.nat({ max: 2000 }),
  fc.record({ other: fc.nat() }),
);

/** JSON with one of its members replaced, by another one where `value` says which: picks tell by their number. */
function withOther(json: unknown, pick: number, value: unknown): unknown {
  const leaves = leavesOf(json);
  const other = isOther(value) ? leaves[value.other % leaves.length] : value;
  let left = pick % Math.max(1, leaves.length);
  const replace = (part: unknown): unknown => {
    if (typeof part !== "object" || part === null) return left-- === 0 ? other : part;
    if (Array.isArray(part)) return part.map(replace);
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, replace(each)]));
  };
  return replace(json);
}

interface Other {
  readonly other: number;
}

function isOther(value: unknown): value is Other {
  return typeof value === "object" && value !== null;
}

function leavesOf(json: unknown): unknown[] {
  return typeof json === "object" && json !== null ? Object.values(json).flatMap(leavesOf) : [json];
}

test("the directory with its checksums is what the reader takes for the same file", () => {
  for (const of of [saved, searched]) {
    const same = sealed(of, directoryOf(of));
    expect([...openCollection(same, { schema: Row })]).toEqual(originalRecords);
  }
});

test("a file that was changed with checksums that fit is refused, or answers as its records say", () => {
  const sections = fc.array(change, { maxLength: 3 });
  const members = fc.array(fc.tuple(fc.nat(), number), { maxLength: 2 });
  fc.assert(
    fc.property(sections, members, file, fc.boolean(), (changes, others, of, verify) => {
      const directory = directoryOf(of);
      const end = directory.checksums.offset;
      const body = changes
        .filter(({ kind }) => kind !== "cut")
        .reduce((all, each) => changed(all, each, end), of);
      const bytes = sealed(body, directory, (json) =>
        others.reduce((all, [pick, value]) => withOther(all, pick, value), json),
      );
      // Only the comparison with the values tells whether trigrams were made to hide rows.
      outcomeOf(() => openCollection(bytes, { verify: verify || of === searched }));
    }),
    settings(100),
  );
});
