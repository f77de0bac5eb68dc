// The laws of criteria: which records a query selects (rules C1 to C10).

import * as fc from "fast-check";
import { compileCriteria, operatorsOf, type FieldType, type TextValue } from "../../index.ts";
import { AROUND_SURROGATES, canHave, comparedForm, text } from "../arbitraries/values.ts";
import { compareTextForms, inOrder } from "../reference-page.ts";
import {
  complement,
  expect,
  expectSame,
  inBoth,
  inEither,
  keysOf,
  listed,
  type Found,
  type FoundList,
} from "./compare.ts";
import {
  anyCriteria,
  anyQuery,
  criterion,
  fieldAndValue,
  group,
  isSingle,
  nullableField,
  pickedValue,
  searchableField,
  several,
} from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { isAnyText, isCompared, isNumeric } from "./setting.ts";
import type { Table } from "./table.ts";

const found = (table: Table, ...criteria: readonly unknown[]): Promise<FoundList> =>
  table.run({ criteria });

function expectWithin(what: string, smaller: FoundList, larger: FoundList): void {
  expectSame(what, inBoth(smaller, larger), smaller);
}

/** Numbers that other languages write differently than JavaScript. */
const NUMBERS = [
  ...["1e-7", "1.5e-7", "3e-9", "-2e-8", "0.000001", "5e-324"],
  ...["1e+21", "100000000000000000000", "1", "-1"],
];

/** The highest string of one character. */
const LAST = "\u{10ffff}";

/** The elements of an array of strings in text form. */
const elementsOf = (value: TextValue): readonly string[] =>
  value === null ? [] : (JSON.parse(value) as string[]);

/** A bound near a number, or at it. */
function near(picked: TextValue, step: number, type: FieldType): number {
  const isInt = type === "int";
  const bound = Number(picked ?? 0) + (isInt ? step : step / 4);
  return Number.isSafeInteger(bound) || !isInt ? bound : bound - step;
}

/** Whether `exactly`, `not` and `in` take a value on a field of the table (C5a). */
function takes({ schema }: Table, field: string, value: string | number): boolean {
  const described = schema.fields[field];
  return schema.form === "contract" || described === undefined || canHave(described, String(value));
}

/** Whether a field of the table is compared with a number. */
const isAnyNumber = (table: Table, field: string, number: number): boolean =>
  Number.isFinite(number) && takes(table, field, String(number));

export const criteriaLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a query selects exactly the records that its predicate accepts",
    rules: ["C2", "C4", "C5", "C6", "C7", "C9"],
    ownRules: ["V10", "V11", "V12", "C3a", "C14", "C15", "C16", "C17"],
    generate: (setting) =>
      fc.array(anyCriteria(setting), { minLength: 1, maxLength: 8, size: "max" }),
    async holds(table, generated) {
      for (const criteria of generated) {
        const accepts = compileCriteria(table.schema, criteria);
        const expected = table.all.filter((each) => accepts(table.inputOf(each) as never));
        expectSame("selected", await table.run({ criteria }), expected);
      }
    },
  }),
  defineLaw({
    name: "no criteria select every record",
    rules: ["C1"],
    generate: (setting) => fc.record({ query: anyQuery(setting), none: fc.constantFrom(null, []) }),
    async holds(table, { query, none }) {
      const omitted = await table.run({ ...query, criteria: undefined });
      expectSame("without criteria", await table.run({ ...query, criteria: none }), omitted);
    },
  }),
  defineLaw({
    name: "AND is commutative",
    rules: ["C2"],
    generate: (setting) => fc.record({ a: criterion(setting), b: criterion(setting) }),
    async holds(table, { a, b }) {
      expectSame("[b, a]", await found(table, b, a), await found(table, a, b));
    },
  }),
  defineLaw({
    name: "AND is associative: it is the intersection",
    rules: ["C2"],
    generate: (setting) => fc.record({ a: group(setting), b: group(setting) }),
    async holds(table, { a, b }) {
      const both = inBoth(await found(table, ...a), await found(table, ...b));
      expectSame("a and b", await found(table, ...a, ...b), both);
    },
  }),
  defineLaw({
    name: "AND is idempotent",
    rules: ["C2"],
    generate: (setting) => fc.record({ a: group(setting) }),
    async holds(table, { a }) {
      expectSame("a and a", await found(table, ...a, ...a), await found(table, ...a));
    },
  }),
  defineLaw({
    name: "OR is the union",
    rules: ["C3"],
    generate: (setting) => fc.record({ a: criterion(setting), b: criterion(setting) }),
    async holds(table, { a, b }) {
      const expected = inEither(table.all, await found(table, a), await found(table, b));
      expectSame("a or b", await found(table, a, "OR", b), expected);
    },
  }),
  defineLaw({
    name: "AND binds tighter than OR",
    rules: ["C3"],
    generate: (setting) =>
      fc.record({ a: criterion(setting), b: criterion(setting), c: criterion(setting) }),
    async holds(table, { a, b, c }) {
      expectSame(
        "a and b or c",
        await found(table, a, b, "OR", c),
        inEither(table.all, await found(table, a, b), await found(table, c)),
      );
      expectSame(
        "a or b and c",
        await found(table, a, "OR", b, c),
        inEither(table.all, await found(table, a), await found(table, b, c)),
      );
    },
  }),
  defineLaw({
    name: "criteria never enlarge",
    rules: ["C2"],
    generate: (setting) => fc.record({ a: group(setting), more: criterion(setting) }),
    async holds(table, { a, more }) {
      const selected = await found(table, ...a);
      expectWithin("with one criterion more", await found(table, ...a, more), selected);
      expectWithin("with criteria", selected, table.all);
    },
  }),
  defineLaw({
    name: "not is the complement of exactly",
    rules: ["C4", "C6"],
    needs: ["a searchable field with a single value"],
    generate: (setting) =>
      fc.record({
        at: fc.oneof(
          fieldAndValue(setting),
          fc.record({ field: nullableField(setting), value: fc.constantFrom("", "0") }),
        ),
        isNull: fc.constantFrom(false, false, false, true),
      }),
    async holds(table, { at, isNull }) {
      const isCompared = takes(table, at.field, at.value);
      const value = isNull || !isCompared ? null : at.value;
      const exactly = await found(table, [at.field, "exactly", value]);
      expectSame(
        "not",
        await found(table, [at.field, "not", value]),
        complement(table.all, exactly),
      );
    },
  }),
  defineLaw({
    name: "starts_with and ends_with imply contains, and exactly implies them",
    rules: ["C4"],
    needs: ["a searchable field with a single value"],
    generate: (setting) => fc.record({ at: fieldAndValue(setting) }),
    async holds(table, { at: { field, value } }) {
      // A text may name a period of times, which their own texts need not contain (C18).
      const isOne = table.schema.fields[field]?.type !== "time" && takes(table, field, value);
      const exactly = isOne ? await found(table, [field, "exactly", value]) : [];
      const starts = await found(table, [field, "starts_with", value]);
      const ends = await found(table, [field, "ends_with", value]);
      const contains = await found(table, [field, "contains", value]);
      expectWithin("exactly but not starts_with", exactly, starts);
      expectWithin("exactly but not ends_with", exactly, ends);
      expectWithin("starts_with but not contains", starts, contains);
      expectWithin("ends_with but not contains", ends, contains);
    },
  }),
  defineLaw({
    name: "in is the union of exactly",
    rules: ["C4", "C6"],
    needs: ["a searchable field with a single value"],
    generate: (setting) => fc.record({ at: fieldAndValue(setting), others: picks }),
    async holds(table, { at: { field, value }, others }) {
      const values = [value, ...others.map((pick) => pickedValue(table, field, pick))].filter(
        (one) => one === null || takes(table, field, one),
      );
      async function unionOf(each: readonly unknown[]): Promise<FoundList> {
        let union: FoundList = [];
        for (const one of each) {
          union = inEither(table.all, union, await found(table, [field, "exactly", one]));
        }
        return union;
      }
      expectSame("in an array", await found(table, [field, "in", values]), await unionOf(values));
      const text = values.filter((one) => one !== null).join(",");
      const parts = text.split(",");
      if (!parts.every((part) => takes(table, field, part))) return;
      expectSame("in a text", await found(table, [field, "in", text]), await unionOf(parts));
    },
  }),
  defineLaw({
    name: "a string of in is split at every comma, and empty parts count",
    rules: ["C4"],
    needs: ["a searchable field of any text"],
    texts: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom("", "a", "b") },
      { weight: 1, arbitrary: text() },
    ),
    generate: (setting) =>
      fc.record({
        field: searchableField(setting, isAnyText),
        lists: several(
          fc.array(fc.constantFrom("", "", "a", "b", " "), { minLength: 1, maxLength: 4 }),
          6,
        ),
      }),
    async holds(table, { field, lists }) {
      for (const parts of lists) {
        const text = parts.join(",");
        expectSame(
          `in ${JSON.stringify(text)}`,
          await found(table, [field, "in", text]),
          await found(table, [field, "in", parts]),
        );
      }
    },
  }),
  defineLaw({
    name: "null satisfies exactly null, in with null, not of anything else, and nothing more",
    rules: ["C6"],
    ownRules: ["C14"],
    needs: ["a searchable field with a single value"],
    generate: (setting) =>
      fc.record({
        field: nullableField(setting),
        value: fc.oneof(
          fc.constant(""),
          fc.constantFrom("null", "0"),
          fieldAndValue(setting).map(({ value }) => value),
        ),
      }),
    async holds(table, { field, value }) {
      const nulls = table.all.filter((each) => table.valuesOf(each)[field] === null);
      const type = table.schema.fields[field]?.type;
      const isText = type === "string";
      const other = type === "boolean" ? "true" : type === "time" ? "1999" : "0";
      const compared = takes(table, field, value) ? value : other;
      const bound = isText ? "" : 0;
      const operands = { text: value, bound, range: [bound, isText ? LAST : 1e9] };
      const ofParts = operatorsOf(table.schema, field).flatMap(({ name, takes }) =>
        takes === "text" || takes === "bound" || takes === "range"
          ? [[field, name, operands[takes]]]
          : [],
      );
      for (const one of [
        [field, "exactly", compared],
        [field, "in", [compared]],
        [field, "not", null],
        ...ofParts,
      ]) {
        const selected = inBoth(await found(table, one), nulls);
        expectSame(`null where ${JSON.stringify(one)}`, selected, []);
      }
      for (const one of [
        [field, "exactly", null],
        [field, "in", [compared, null]],
        [field, "not", compared],
      ]) {
        const selected = inBoth(await found(table, one), nulls);
        expectSame(`null where ${JSON.stringify(one)}`, selected, nulls);
      }
    },
  }),
  defineLaw({
    name: "a value is less than another, greater than it, or exactly it",
    rules: ["V4", "C4"],
    ownRules: ["V10", "C14", "P3"],
    needs: ["a searchable field that comparisons apply to"],
    texts: fc.oneof(text(), fc.constantFrom(...AROUND_SURROGATES)),
    generate: (setting) =>
      fc.record({
        field: searchableField(setting, isCompared(setting.operation === "query")),
        pick: fc.nat({ max: 20 }),
        step: fc.constantFrom(0, 1, -1),
        other: fc.oneof(text(), fc.constantFrom(...AROUND_SURROGATES)),
      }),
    async holds(table, { field, pick, step, other }) {
      const { type = "int", ...described } = table.schema.fields[field] ?? {};
      const picked = pickedValue(table, field, pick);
      const bound =
        type === "string"
          ? step === 0
            ? (picked ?? other)
            : other
          : type === "time"
            ? (picked ?? "2024-02-29T12:00:00.000Z")
            : near(picked, step, type);
      const less = await found(table, [field, "less_than", bound]);
      const greater = await found(table, [field, "greater_than", bound]);
      const exactly = await found(table, [field, "exactly", bound]);
      const selections = [less, greater, exactly];
      const values = table.all.filter((each) => table.valuesOf(each)[field] !== null);
      const selected = selections.flat();
      expect(
        selected.length === keysOf(selected).size,
        () => `${field} against ${bound}: ${selections.map(listed).join(", ")} overlap`,
      );
      expectSame(`${field} against ${bound}`, inBoth(table.all, selected), values);
      const difference = (each: Found) =>
        compareTextForms(
          table.valuesOf(each)[field] ?? null,
          comparedForm(described, String(bound)),
          type,
        );
      expect(
        less.every((each) => difference(each) < 0) && greater.every((each) => difference(each) > 0),
        () => `${field} against ${bound}: ${listed(less)} are less, ${listed(greater)} greater`,
      );
      if (table.schema.form === "contract") return;
      for (const [operator, beyond] of [
        ["at_least", greater],
        ["at_most", less],
      ] as const) {
        const expected = inEither(table.all, beyond, exactly);
        expectSame(`${operator} ${bound}`, await found(table, [field, operator, bound]), expected);
      }
      const to =
        type === "string"
          ? (picked ?? other)
          : type === "time"
            ? (picked ?? bound)
            : Number(picked ?? bound);
      const [low, high] = inOrder({ ...described, type }, [bound, to]);
      const within = inBoth(
        await found(table, [field, "at_least", low]),
        await found(table, [field, "at_most", high]),
      );
      const between = [field, "between", [low, high]];
      expectSame(`between ${low} and ${high}`, await found(table, between), within);
    },
  }),
  defineLaw({
    name: "has_any holds where has holds for one of its strings, and null and [] have none",
    rules: [],
    ownRules: ["V12", "C16"],
    needs: ["a searchable field of strings"],
    generate: (setting) =>
      fc.record({
        field: searchableField(setting, ({ type }) => type === "strings"),
        pick: fc.nat({ max: 20 }),
        others: fc.array(text(), { maxLength: 2 }),
      }),
    async holds(table, { field, pick, others }) {
      const picked = elementsOf(pickedValue(table, field, pick));
      const wanted = [...picked, ...others];
      let union: FoundList = [];
      for (const element of wanted) {
        const has = await found(table, [field, "has", element]);
        const expected = table.all.filter((each) =>
          elementsOf(table.valuesOf(each)[field] ?? null).includes(element),
        );
        expectSame(`has ${JSON.stringify(element)}`, has, expected);
        union = inEither(table.all, union, has);
      }
      expectSame("has_any", await found(table, [field, "has_any", wanted]), union);
      expectSame("has_any []", await found(table, [field, "has_any", []]), []);
      const nulls = table.all.filter((each) => table.valuesOf(each)[field] === null);
      expectSame("exactly null", await found(table, [field, "exactly", null]), nulls);
      expectSame(
        "not null",
        await found(table, [field, "not", null]),
        complement(table.all, nulls),
      );
    },
  }),
  defineLaw({
    name: "has_all holds where has holds for each of its strings, and exactly [] where none does",
    rules: [],
    ownRules: ["C17"],
    needs: ["a searchable field of strings"],
    generate: (setting) =>
      fc.record({
        field: searchableField(setting, ({ type }) => type === "strings"),
        pick: fc.nat({ max: 20 }),
        more: fc.array(fc.oneof(text(), fc.nat({ max: 20 })), { maxLength: 1 }),
      }),
    async holds(table, { field, pick, more }) {
      const picked = elementsOf(pickedValue(table, field, pick));
      const others = more.flatMap((each) =>
        typeof each === "string" ? each : elementsOf(pickedValue(table, field, each)),
      );
      const nulls = table.all.filter((each) => table.valuesOf(each)[field] === null);
      for (const wanted of [[], picked, [...picked, ...others], [...picked, ...picked]]) {
        let all = complement(table.all, nulls);
        for (const element of wanted)
          all = inBoth(all, await found(table, [field, "has", element]));
        const criterion = [field, "has_all", wanted];
        expectSame(JSON.stringify(criterion), await found(table, criterion), all);
      }
      const empty = table.all.filter((each) => table.valuesOf(each)[field] === "[]");
      expectSame("exactly []", await found(table, [field, "exactly", []]), empty);
      expectSame("not []", await found(table, [field, "not", []]), complement(table.all, empty));
    },
  }),
  defineLaw({
    name: "a thousand criteria are allowed, and no more",
    rules: ["C10"],
    generate: (setting) => fc.record({ a: criterion(setting), count: fc.constantFrom(1000, 1001) }),
    async holds(table, { a, count }) {
      const criteria = Array.from({ length: count }, () => a);
      if (count > 1000) await table.refused(`${count} criteria`, 311, { criteria });
      else expectSame(`${count} criteria`, await table.run({ criteria }), await found(table, a));
    },
  }),
  defineLaw({
    name: "a number or boolean compares as its text",
    rules: ["C5"],
    ownRules: ["V10", "C15"],
    needs: ["a searchable field with a single value"],
    texts: fc.oneof(
      { weight: 1, arbitrary: text() },
      { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
    ),
    generate: (setting) =>
      fc.record({
        field: fc.oneof(
          searchableField(setting, (field) => isSingle(field) && field.type !== "time"),
          searchableField(setting, isAnyText),
        ),
        pick: fc.nat({ max: 20 }),
        other: fc.constantFrom(0, -0, 1, 10, 1.5, 1e21),
        written: fc.constantFrom("0#", "0#", " #", "# ", "+#", "#.0"),
      }),
    async holds(table, { field, pick, other, written }) {
      const described = table.schema.fields[field];
      const picked = pickedValue(table, field, pick);
      const known = Number(picked ?? other);
      const number = [known, other].find((each) => isAnyNumber(table, field, each)) ?? 0;
      const value = described?.type === "boolean" ? picked === "true" : number;
      for (const { name, takes } of operatorsOf(table.schema, field)) {
        if (takes === "bound" || takes === "range") continue;
        const of = (each: unknown) =>
          found(table, [field, name, takes === "values" ? [each] : each]);
        expectSame(`${name} ${value}`, await of(value), await of(String(value)));
      }
      if (described !== undefined && isNumeric(described)) {
        // Another spelling of a number is the text form of no number.
        const text = written.replace("#", String(number));
        const criteria = [[field, "exactly", text]];
        if (table.schema.form !== "contract")
          await table.refused(`the text "${text}"`, 311, { criteria });
        else expectSame(`the text "${text}"`, await table.run({ criteria }), []);
      }
    },
  }),
];

/** Records by number, modulo the number of records. */
const picks = fc.array(fc.nat({ max: 20 }), { maxLength: 4 });
