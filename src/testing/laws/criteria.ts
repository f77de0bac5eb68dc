// The laws of criteria: which records a query selects (rules C1 to C10).

import * as fc from "fast-check";
import { compileCriteria, operatorsOf } from "../../index.ts";
import { text } from "../arbitraries/values.ts";
import type { Asking } from "./asking.ts";
import { expect, expectSame, inBoth, keysOf, listed, type FoundList } from "./compare.ts";
import {
  anyCriteria,
  anyQuery,
  criterion,
  fieldAndValue,
  group,
  nullableField,
  pickedValue,
  searchableField,
} from "./draw.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { isAnyText, isNumeric } from "./setting.ts";
import type { Table } from "./table.ts";

const found = (table: Table, ...criteria: readonly unknown[]): Asking<FoundList> =>
  table.ask({ criteria });

/** The records that are in one of the two, in insertion order. */
const inEither = (table: Table, a: FoundList, b: FoundList): FoundList => {
  const keys = keysOf([...a, ...b]);
  return table.all.filter(({ key }) => keys.has(key));
};

const complement = (table: Table, selected: FoundList): FoundList => {
  const keys = keysOf(selected);
  return table.all.filter(({ key }) => !keys.has(key));
};

function expectWithin(what: string, smaller: FoundList, larger: FoundList): void {
  expectSame(what, inBoth(smaller, larger), smaller);
}

/** Numbers that other languages write differently than JavaScript. */
const NUMBERS = [
  ...["1e-7", "1.5e-7", "3e-9", "-2e-8", "0.000001", "5e-324"],
  ...["1e+21", "100000000000000000000", "1", "-1"],
];

export const criteriaLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a query selects exactly the records that its predicate accepts",
    rules: ["C2", "C4", "C5", "C6", "C7", "C9"],
    ownRules: ["V10", "C14", "C15"],
    draw: (setting) => fc.array(anyCriteria(setting), { minLength: 1, maxLength: 8, size: "max" }),
    *holds(table, drawn) {
      for (const criteria of drawn) {
        const accepts = compileCriteria(table.schema, criteria);
        const expected = table.all.filter((each) => accepts(table.valuesOf(each)));
        expectSame("selected", yield* table.ask({ criteria }), expected);
      }
    },
  }),
  defineLaw({
    name: "no criteria select every record",
    rules: ["C1"],
    draw: (setting) => fc.record({ query: anyQuery(setting), none: fc.constantFrom(null, []) }),
    *holds(table, { query, none }) {
      const omitted = yield* table.ask({ ...query, criteria: undefined });
      expectSame("without criteria", yield* table.ask({ ...query, criteria: none }), omitted);
    },
  }),
  defineLaw({
    name: "AND is commutative",
    rules: ["C2"],
    draw: (setting) => fc.record({ a: criterion(setting), b: criterion(setting) }),
    *holds(table, { a, b }) {
      expectSame("[b, a]", yield* found(table, b, a), yield* found(table, a, b));
    },
  }),
  defineLaw({
    name: "AND is associative: it is the intersection",
    rules: ["C2"],
    draw: (setting) => fc.record({ a: group(setting), b: group(setting) }),
    *holds(table, { a, b }) {
      const both = inBoth(yield* found(table, ...a), yield* found(table, ...b));
      expectSame("a and b", yield* found(table, ...a, ...b), both);
    },
  }),
  defineLaw({
    name: "AND is idempotent",
    rules: ["C2"],
    draw: (setting) => fc.record({ a: group(setting) }),
    *holds(table, { a }) {
      expectSame("a and a", yield* found(table, ...a, ...a), yield* found(table, ...a));
    },
  }),
  defineLaw({
    name: "OR is the union",
    rules: ["C3"],
    draw: (setting) => fc.record({ a: criterion(setting), b: criterion(setting) }),
    *holds(table, { a, b }) {
      const expected = inEither(table, yield* found(table, a), yield* found(table, b));
      expectSame("a or b", yield* found(table, a, "OR", b), expected);
    },
  }),
  defineLaw({
    name: "AND binds tighter than OR",
    rules: ["C3"],
    draw: (setting) =>
      fc.record({ a: criterion(setting), b: criterion(setting), c: criterion(setting) }),
    *holds(table, { a, b, c }) {
      expectSame(
        "a and b or c",
        yield* found(table, a, b, "OR", c),
        inEither(table, yield* found(table, a, b), yield* found(table, c)),
      );
      expectSame(
        "a or b and c",
        yield* found(table, a, "OR", b, c),
        inEither(table, yield* found(table, a), yield* found(table, b, c)),
      );
    },
  }),
  defineLaw({
    name: "criteria never enlarge",
    rules: ["C2"],
    draw: (setting) => fc.record({ a: group(setting), more: criterion(setting) }),
    *holds(table, { a, more }) {
      const selected = yield* found(table, ...a);
      expectWithin("with one criterion more", yield* found(table, ...a, more), selected);
      expectWithin("with criteria", selected, table.all);
    },
  }),
  defineLaw({
    name: "not is the complement of exactly",
    rules: ["C4", "C6"],
    draw: (setting) =>
      fc.record({
        at: fc.oneof(
          fieldAndValue(setting),
          fc.record({ field: nullableField(setting), value: fc.constantFrom("", "0") }),
        ),
        isNull: fc.constantFrom(false, false, false, true),
      }),
    *holds(table, { at, isNull }) {
      const value = isNull ? null : at.value;
      const exactly = yield* found(table, [at.field, "exactly", value]);
      expectSame("not", yield* found(table, [at.field, "not", value]), complement(table, exactly));
    },
  }),
  defineLaw({
    name: "starts_with and ends_with imply contains, and exactly implies them",
    rules: ["C4"],
    draw: (setting) => fc.record({ at: fieldAndValue(setting) }),
    *holds(table, { at: { field, value } }) {
      const exactly = yield* found(table, [field, "exactly", value]);
      const starts = yield* found(table, [field, "starts_with", value]);
      const ends = yield* found(table, [field, "ends_with", value]);
      const contains = yield* found(table, [field, "contains", value]);
      expectWithin("exactly but not starts_with", exactly, starts);
      expectWithin("exactly but not ends_with", exactly, ends);
      expectWithin("starts_with but not contains", starts, contains);
      expectWithin("ends_with but not contains", ends, contains);
    },
  }),
  defineLaw({
    name: "in is the union of exactly",
    rules: ["C4", "C6"],
    draw: (setting) => fc.record({ at: fieldAndValue(setting), others: picks }),
    *holds(table, { at: { field, value }, others }) {
      const values = [value, ...others.map((pick) => pickedValue(table, field, pick))];
      function* unionOf(each: readonly unknown[]): Asking<FoundList> {
        let union: FoundList = [];
        for (const one of each) {
          union = inEither(table, union, yield* found(table, [field, "exactly", one]));
        }
        return union;
      }
      expectSame("in an array", yield* found(table, [field, "in", values]), yield* unionOf(values));
      const text = values.filter((one) => one !== null).join(",");
      const parts = text.split(",");
      expectSame("in a text", yield* found(table, [field, "in", text]), yield* unionOf(parts));
    },
  }),
  defineLaw({
    name: "null satisfies exactly null, in with null, not of anything else, and nothing more",
    rules: ["C6"],
    ownRules: ["C14"],
    draw: (setting) =>
      fc.record({
        field: nullableField(setting),
        value: fc.oneof(
          fc.constant(""),
          fc.constantFrom("null", "0"),
          fieldAndValue(setting).map(({ value }) => value),
        ),
      }),
    *holds(table, { field, value }) {
      const nulls = table.all.filter((each) => table.valuesOf(each)[field] === null);
      const ofParts = operatorsOf(table.schema, field).flatMap(({ name, takes }) =>
        takes === "text" || takes === "number" ? [[field, name, takes === "text" ? value : 0]] : [],
      );
      for (const one of [
        [field, "exactly", value],
        [field, "in", [value]],
        [field, "not", null],
        ...ofParts,
      ]) {
        const selected = inBoth(yield* found(table, one), nulls);
        expectSame(`null where ${JSON.stringify(one)}`, selected, []);
      }
      for (const one of [
        [field, "exactly", null],
        [field, "in", [value, null]],
        [field, "not", value],
      ]) {
        const selected = inBoth(yield* found(table, one), nulls);
        expectSame(`null where ${JSON.stringify(one)}`, selected, nulls);
      }
    },
  }),
  defineLaw({
    name: "a number is less than another, greater than it, or exactly it",
    rules: ["V4", "C4"],
    ownRules: ["V10", "C14"],
    needs: ["a searchable field of numbers"],
    draw: (setting) =>
      fc.record({
        field: searchableField(setting, isNumeric),
        pick: fc.nat({ max: 20 }),
        step: fc.constantFrom(0, 1, -1),
      }),
    *holds(table, { field, pick, step }) {
      const isInt = table.schema.fields[field]?.type === "int";
      const near = Number(pickedValue(table, field, pick) ?? 0) + (isInt ? step : step / 4);
      const bound = Number.isSafeInteger(near) || !isInt ? near : near - step;
      const less = yield* found(table, [field, "less_than", bound]);
      const greater = yield* found(table, [field, "greater_than", bound]);
      const exactly = yield* found(table, [field, "exactly", bound]);
      const selections = [less, greater, exactly];
      const numbers = table.all.filter((each) => table.valuesOf(each)[field] !== null);
      const together = selections.flat();
      expect(
        together.length === keysOf(together).size,
        () => `${field} against ${bound}: ${selections.map(listed).join(", ")} overlap`,
      );
      expectSame(`${field} against ${bound}`, inBoth(table.all, together), numbers);
      const values = (found: FoundList) => found.map((each) => Number(table.valuesOf(each)[field]));
      expect(
        values(less).every((value) => value < bound) &&
          values(greater).every((value) => value > bound),
        () => `${field} against ${bound}: ${listed(less)} are less, ${listed(greater)} greater`,
      );
      if (table.schema.form === "contract") return;
      for (const [operator, beyond] of [
        ["at_least", greater],
        ["at_most", less],
      ] as const) {
        const expected = inEither(table, beyond, exactly);
        expectSame(`${operator} ${bound}`, yield* found(table, [field, operator, bound]), expected);
      }
    },
  }),
  defineLaw({
    name: "a thousand criteria are allowed, and no more",
    rules: ["C10"],
    draw: (setting) => fc.record({ a: criterion(setting), count: fc.constantFrom(1000, 1001) }),
    *holds(table, { a, count }) {
      const criteria = Array.from({ length: count }, () => a);
      if (count > 1000) yield* table.refused(`${count} criteria`, 311, { criteria });
      else expectSame(`${count} criteria`, yield* table.ask({ criteria }), yield* found(table, a));
    },
  }),
  defineLaw({
    name: "a number or boolean compares as its text",
    rules: ["C5"],
    ownRules: ["V10", "C15"],
    texts: fc.oneof(
      { weight: 1, arbitrary: text() },
      { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
    ),
    draw: (setting) =>
      fc.record({
        field: fc.oneof(
          searchableField(setting, () => true),
          searchableField(setting, isAnyText),
        ),
        pick: fc.nat({ max: 20 }),
        other: fc.constantFrom(0, -0, 1, 10, 1.5, 1e21),
        written: fc.constantFrom("0#", "0#", " #", "# ", "+#", "#.0"),
      }),
    *holds(table, { field, pick, other, written }) {
      const described = table.schema.fields[field];
      const picked = pickedValue(table, field, pick);
      const known = Number(picked ?? other);
      const number = Number.isFinite(known) ? known : other;
      const value = described?.type === "boolean" ? picked === "true" : number;
      for (const { name, takes } of operatorsOf(table.schema, field)) {
        if (takes === "number") continue;
        const of = (each: unknown) =>
          found(table, [field, name, takes === "values" ? [each] : each]);
        expectSame(`${name} ${value}`, yield* of(value), yield* of(String(value)));
      }
      if (described !== undefined && isNumeric(described)) {
        // Another text for the same number is not the text of any number.
        const text = written.replace("#", String(number));
        expectSame(`the text "${text}"`, yield* found(table, [field, "exactly", text]), []);
      }
    },
  }),
];

/** The record with a number, modulo the number of records. */
const picks = fc.array(fc.nat({ max: 20 }), { maxLength: 4 });
