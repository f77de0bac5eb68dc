// Times (rules V15 and C18) agree with the reference, which finds instants by other means: on both sides of 1970, at the
// ends of periods and of all times, where clocks are changed, and in every spelling.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CriteriaError,
  compileCriteria,
  createCollection,
  defineSchema,
  InputError,
  int,
  SchemaError,
  time,
  type TimeInput,
} from "../../src/index.ts";
import { openCollection, saveCollection } from "../../src/arrow/index.ts";
import { loadCollection, readCsv, readNdjson, writeCsv } from "../../src/import/index.ts";
import { compareTimes, timeTest, timeText } from "../../src/testing/reference-time.ts";
import { settings } from "../property.ts";
import { thrownBy, untyped } from "../rules/fixtures.ts";

/** Zones whose clocks were moved by an hour, by half an hour, by a day, at midnight, and by odd seconds. */
const ZONES = [
  undefined,
  ...["Europe/Zurich", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Asia/Kolkata"],
  "America/New_York",
];

const rules = fc.record({
  precision: fc.constantFrom("milliseconds" as const, "microseconds" as const),
  zone: fc.constantFrom(...ZONES),
});

/** Around changes of clocks, the epoch, the ends of months and years, and the ends of all times. */
const NEAR = [
  ...["0000-01-01T00:00", "1969-12-31T23:59", "1970-01-01T00:00", "2024-02-29T00:00"],
  ...["2024-03-31T02:30", "2024-10-27T02:30", "2024-04-07T01:45", "2024-10-06T02:15"],
  ...["2011-12-30T12:00", "2018-11-04T00:30", "1894-06-01T00:00", "9999-12-31T23:59"],
];

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, "0"));
const seconds = fc.tuple(
  two(0, 60),
  fc.constantFrom("", ".5", ".123", ",123", ".123000", ".123456", ".999999", ".0000001", "."),
);
const offset = fc.constantFrom(
  "",
  "",
  "Z",
  "z",
  "+02:00",
  "-0330",
  "+05",
  "-00:00",
  "+24:00",
  "+1",
);

/** Texts of which most are ISO 8601, some name periods, and some no date. */
const text = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NEAR), fc.constantFrom(4, 7, 10, 13, 16), seconds, offset)
    .map(([near, length, [second, fraction], at]) =>
      length < 16
        ? near.slice(0, length) + (length === 13 ? at : "")
        : `${near}:${second}${fraction}${at}`,
    ),
  fc
    .tuple(fc.constantFrom("2023", "2024", "1600"), two(0, 13), two(0, 32), two(0, 24), two(0, 60))
    .map(([year, month, day, hour, minute]) => `${year}-${month}-${day}T${hour}:${minute}`),
  fc.constantFrom(
    "",
    "seven",
    "2024-3-05",
    "+012024-01-01",
    "-000001-01-01",
    "2024-W10",
    "20240305",
  ),
);

const milliseconds = fc.oneof(
  fc.constantFrom(...NEAR).map((near) => Date.parse(`${near}Z`)),
  fc.constantFrom(0, -0, 1, -1, 999, 1000, 2024, 9999, 10_000, 253_402_300_799_999),
  fc.constantFrom(-62_167_219_200_001, 253_402_300_800_000, 8.64e15, 2 ** 53, 1.5, NaN, Infinity),
  fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
);
const input: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: milliseconds },
  milliseconds.map((each) => new Date(each)),
  fc.integer().map(BigInt),
  fc.constantFrom(null, true, [], {}),
);

const schemaOf = ({ precision, zone }: Rules) =>
  defineSchema({
    id: int(),
    at: time({
      nullable: true,
      ...(precision && { precision }),
      ...(zone !== undefined && { zone }),
    }),
  });

interface Rules {
  readonly precision?: "milliseconds" | "microseconds";
  readonly zone?: string | undefined;
}

describe("V15", () => {
  test("a value is accepted, or refused, as the reference says, and returned as its text", () => {
    fc.assert(
      fc.property(rules, input, (given, value) => {
        const expected = value === null ? null : timeText(value, given);
        const load = () => createCollection(schemaOf(given), untyped([{ id: 1, at: value }]));
        if (expected === undefined) {
          expect(thrownBy(InputError, load).message).toMatch(/^records\[0\]\.at: must be a Date, /);
        } else expect(load().at(0)).toEqual({ id: 1, at: expected });
      }),
      settings(500),
    );
  });

  test("times sort by instant, keep it in columns and files, and are read from texts", () => {
    fc.assert(
      fc.property(rules, fc.array(input, { maxLength: 12 }), (given, values) => {
        const schema = schemaOf(given);
        const texts = values.flatMap((value) =>
          value === null ? [null] : (timeText(value, given) ?? []),
        );
        const records = texts.map((at, id) => ({ id, at }));
        const collection = createCollection(schema, records);
        const sorted = records
          .filter(({ at }) => at !== null)
          .toSorted((a, b) => compareTimes(a.at ?? "", b.at ?? "") || a.id - b.id);
        const nulls = records.filter(({ at }) => at === null);
        const csv = [...writeCsv(records, { schema })].join("");
        const found = loadCollection(schema, readCsv(csv, { schema }));
        const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
        for (const each of [
          collection,
          openCollection(saveCollection(collection), { schema }),
          createCollection(schema, records, { storage: "columns" }),
          ...(records.length === 0
            ? []
            : [found, loadCollection(schema, readNdjson(lines, { schema }))]),
        ]) {
          expect(each.query({ sortBy: "at", sortOrder: "ASC" })).toEqual([...nulls, ...sorted]);
        }
      }),
      settings(100),
    );
  });

  test("readers take times in any spelling", () => {
    const schema = schemaOf({});
    const csv =
      "id,at\n1,2024-03-05\n2,2024-03-05T12:00:00+02:00\n3,\n4,2024-03-05T00:00:00.000Z\n";
    const texts = ["2024-03-05T00:00:00.000Z", "2024-03-05T10:00:00.000Z", null];
    const expected = [...texts, texts[0]].map((at, i) => ({ id: i + 1, at }));
    expect(loadCollection(schema, readCsv(csv, { schema })).query()).toEqual(expected);
    const lines = '{"id":1,"at":"2024-03-05"}\n{"id":2,"at":1709632800000}\n{"id":3,"at":null}\n';
    expect(loadCollection(schema, readNdjson(lines, { schema })).query()).toEqual(
      expected.slice(0, 3),
    );
    const wrong = () => loadCollection(schema, readCsv("id,at\n1,2024-02-30\n", { schema }));
    expect(thrownBy(InputError, wrong).message).toMatch(
      /^line 2\.at: must be a Date, .*"2024-02-30"$/,
    );
  });

  test.each<[unknown, string]>([
    [
      { precision: "seconds" },
      'precision: must be "milliseconds" or "microseconds", not "seconds"',
    ],
    [
      { zone: "Mars/Olympus" },
      'zone: must be a time zone of the IANA database, such as "Europe/Zurich", not "Mars/Olympus"',
    ],
    [
      { zone: "+02:00" },
      'zone: must be a time zone of the IANA database, such as "Europe/Zurich", not "+02:00"',
    ],
    [{ oneOf: ["2024-01-01"] }, 'time(): has no member "oneOf"; '],
  ])("time(%j) is no field", (given, message) => {
    const { message: found } = thrownBy(SchemaError, () => time(untyped(given)));
    expect(found.startsWith(message)).toBe(true);
  });

  test("a text that is nearly right is refused with what is", () => {
    const refused = (at: TimeInput) =>
      thrownBy(InputError, () => createCollection(schemaOf({}), [{ id: 1, at }])).reason;
    expect(refused("2024-03")).toMatch(/; that is a period; write "2024-03-01"$/);
    expect(refused("1709632800000")).toMatch(/; write the number 1709632800000$/);
    expect(refused("2024-03-05T00:00:00.123456Z")).toMatch(
      /write "2024-03-05T00:00:00.123Z", or declare the field with precision: "microseconds"$/,
    );
    expect(refused(new Date(NaN))).toMatch(/, not an invalid Date$/);
  });
});

describe("C18", () => {
  const OPERATORS = ["exactly", "not", "at_least", "at_most", "greater_than", "less_than"] as const;

  test("a criterion holds where the reference says, in each form and negated, or is refused", () => {
    fc.assert(
      fc.property(
        rules,
        fc.array(input, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...OPERATORS, "in" as const),
        fc.array(input, { maxLength: 3 }),
        fc.boolean(),
        (given, inputs, operator, operands, isNegated) => {
          const schema = schemaOf(given);
          const texts = inputs.map((each) =>
            each === null ? null : (timeText(each, given) ?? null),
          );
          const records = texts.map((at, id) => ({ id, at }));
          const value = operator === "in" ? operands : operands[0];
          const holds = timeTest(operator, value, given);
          const criteria = untyped([...(isNegated ? ["NOT"] : []), ["at", operator, value]]);
          const collection = createCollection(schema, records);
          if (holds === undefined) {
            expect(() => collection.query({ criteria })).toThrow(CriteriaError);
            return;
          }
          const expected = records.filter(({ at }) => holds(at) !== isNegated);
          expect(collection.query({ criteria })).toEqual(expected);
          collection.prepare({ match: ["at"] });
          expect(collection.query({ criteria })).toEqual(expected);
          expect(records.filter(compileCriteria(schema, criteria))).toEqual(expected);
        },
      ),
      settings(500),
    );
  });

  test("many periods count as one criterion, and touch no limit of values but their own", () => {
    const collection = createCollection(schemaOf({}), [{ id: 1, at: "2024-03-05" }]);
    const days = Array.from({ length: 3000 }, (_, i) =>
      new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
    );
    expect(collection.count([["at", "in", days]])).toBe(1);
    expect(collection.count([["at", "in", days.join(",")]])).toBe(1);
    const many = Array.from({ length: 1000 }, () => ["at", "exactly", "2024"] as const);
    expect(collection.count(many)).toBe(1);
    const limited = () => compileCriteria(schemaOf({}), [["at", "in", days]], { maxValues: 2999 });
    expect(thrownBy(CriteriaError, limited).code).toBe("limit");
  });

  test("get takes any spelling of an instant, and no period", () => {
    const schema = defineSchema({ at: time({ unique: true }) });
    const collection = createCollection(schema, [{ at: "2024-03-05" }]);
    const [record] = collection.query();
    for (const value of [
      "2024-03-05",
      "2024-03-05T01:00+01:00",
      new Date("2024-03-05"),
      1_709_596_800_000,
    ]) {
      expect(collection.get("at", untyped(value))).toBe(record);
    }
    expect(() => collection.get("at", "2024")).toThrow(InputError);
    expect(() => collection.insert([{ at: 1_709_596_800_000 }])).toThrow(/already used/);
  });
});
