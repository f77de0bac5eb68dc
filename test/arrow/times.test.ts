// Times in files that we save: other programs have them as timestamps, and we as before.

import { tableFromIPC as readByFlechette } from "@uwdata/flechette";
import { DataType, tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import polars from "nodejs-polars";
import { expect, test } from "vitest";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { openTable } from "../../src/arrow/read/file.ts";
import { ownDirectory, requireSource } from "../../src/arrow/read/open.ts";
import { mergedPieces } from "../../src/arrow/write/merge-files.ts";
import { joined } from "../../src/arrow/write/output.ts";
import { createCollection, defineSchema, string, time } from "../../src/index.ts";
import { settings } from "../property.ts";
import { wide } from "./wide.ts";

const Event = defineSchema({
  at: time({ nullable: true }),
  again: time({ nullable: true }),
  fine: time({ precision: "microseconds", nullable: true }),
  text: string({ nullable: true }),
  always: time(),
});

/** Microseconds since 1970, from the year 0000 to 9999. */
const LOWEST = BigInt(new Date(0).setUTCFullYear(0, 0, 1)) * 1000n;
const HIGHEST = BigInt(Date.UTC(10_000, 0, 1)) * 1000n - 1n;
const moment = fc.option(
  fc.oneof(
    fc.bigInt({ min: LOWEST, max: HIGHEST }),
    fc.constantFrom(LOWEST, HIGHEST, 0n, -1n, -1000n, 1n, 951_782_400_000_000n),
  ),
);

const floor = (micros: bigint) => Number((micros - (((micros % 1000n) + 1000n) % 1000n)) / 1000n);

function textOf(micros: bigint | null): string | null {
  if (micros === null) return null;
  const milliseconds = floor(micros);
  const rest = micros - BigInt(milliseconds) * 1000n;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(rest).padStart(3, "0")}Z`;
}

const eventsOf = (moments: readonly (bigint | null)[]) =>
  moments.map((each) => {
    const at = each === null ? null : new Date(floor(each)).toISOString();
    return { at, again: at, fine: textOf(each), text: at, always: at ?? 0 };
  });

type Events = ReturnType<typeof eventsOf>;

const saved = (events: Events) =>
  saveCollection(createCollection(Event, events), { orders: "all" });

function savedWide(events: Events) {
  using _ = wide();
  return saved(events);
}

function merged(events: Events): Uint8Array {
  const source = requireSource(saved(events));
  const table = openTable(source, ownDirectory(source).directory, { inPieces: true });
  const all = Uint32Array.from({ length: table.rows }, (_, row) => row);
  const [odd, even] = [1, 0].map((rest) => ({
    table,
    dead: all.filter((row) => row % 2 !== rest),
  }));
  if (odd === undefined || even === undefined) throw new RangeError("there are two");
  return joined(mergedPieces([odd, even], undefined));
}

/** From a collection that was opened and changed. */
function changed(events: Events): Uint8Array {
  const [first, ...others] = events;
  const opened = openCollection(saved(others), { schema: Event });
  return saveCollection(first === undefined ? opened : opened.insert(first));
}

const big = (value: unknown) => (typeof value === "number" ? BigInt(value) : value);

test.each([
  ["at once", saved],
  ["with offsets of 64 bits", savedWide],
  ["merged", merged],
  ["after a change", changed],
])("others have timestamps, %s", (how, save) => {
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 40 }), (given) => {
      const bytes = save(eventsOf(given));
      const moments = how === "after a change" ? [...given.slice(1), ...given.slice(0, 1)] : given;
      const events = eventsOf(moments);
      const milliseconds = moments.map((each) => (each === null ? null : BigInt(floor(each))));
      const expected = {
        at: milliseconds,
        again: milliseconds,
        fine: moments,
        always: milliseconds.map((each) => each ?? 0n),
      };
      const flechette = readByFlechette(bytes, { useBigInt: true, useBigIntTimestamp: true });
      const frame = polars.readIPC(Buffer.from(bytes));
      const whole = (each: unknown) => (each instanceof Date ? each.getTime() : each);
      const apache = tableFromIPC(bytes);
      for (const [name, values] of Object.entries(expected)) {
        expect(Array.from(flechette.getChild(name), big)).toEqual(values);
        // polars rounds microseconds to those of a double before they are dates.
        const shown = frame
          .getColumn(name === "fine" ? "at" : name)
          .toArray()
          .map(whole);
        const known = name === "fine" ? milliseconds : values;
        expect(shown).toEqual(known.map((each) => (each === null ? null : Number(each))));
        const type: unknown = apache.getChild(name)?.type;
        if (!DataType.isDictionary(type)) throw new TypeError("it has a dictionary");
        expect(String(type.dictionary)).toBe(
          name === "fine" ? "Timestamp<MICROSECOND, UTC>" : "Timestamp<MILLISECOND, UTC>",
        );
      }
      const texts = events.map(({ text }) => text);
      expect([...(apache.getChild("text") ?? [])]).toEqual(texts);
      const opened = openCollection(bytes, { schema: Event, verify: true });
      expect(opened.query()).toEqual(createCollection(Event, events).query());
      expect(opened.count([["fine", "at_least", "1970"]])).toBe(
        moments.filter((each) => each !== null && each >= 0n).length,
      );
    }),
    settings(40),
  );
});
