// Collections with one mistake each, and the law that it breaks: a loop over records in which one step
// is wrong.

import fc from "fast-check";
import type { Field, FieldType, Schema, WireValue } from "../../src/index.ts";
import {
  referenceCollection,
  type CheckedCollection,
  type MakeCollection,
} from "../../src/testing/index.ts";
import { heldForm } from "../../src/testing/arbitraries/values.ts";
import { loadRecords, type Row } from "../../src/testing/reference-data.ts";
import { compareWire, OPERATORS } from "../../src/testing/reference-page.ts";
import { untyped } from "../rules/fixtures.ts";

type Criterion = readonly [field: string, operator: string, operand: unknown];
type Pair = readonly [field: string, order: string];

interface Asked {
  readonly criteria?: readonly (Criterion | "OR")[] | null;
  readonly limit?: number | string | null;
  readonly offset?: number | string | null;
  readonly sortBy?: string | null;
  readonly sortOrder?: string | null;
  readonly sort?: readonly Pair[] | null;
}

interface Counted {
  readonly value: unknown;
  readonly count: number;
}

/** What a collection does, step by step. */
interface Steps {
  readonly holds: (
    value: WireValue,
    operator: string,
    operand: unknown,
    type: FieldType,
  ) => boolean;
  readonly compare: (a: WireValue, b: WireValue, type: FieldType) => number;
  readonly sort: (rows: readonly Row[], pairs: readonly Pair[], compare: Compare) => Row[];
  readonly hold: (schema: Schema, field: Field, wire: WireValue, given: unknown) => unknown;
  readonly stored: (field: Field) => boolean;
  readonly counts: (counted: readonly Counted[], schema: Schema) => readonly unknown[];
  readonly checks: (asked: Asked) => Asked;
}

type Compare = (a: Row, b: Row, field: string) => number;

const steps: Steps = {
  holds: (value, operator, operand, type) =>
    OPERATORS.get(operator)?.(operand, type)?.(value) === true,
  compare: compareWire,
  sort: (rows, pairs, compare) =>
    rows.toSorted((a, b) => {
      for (const [field, order] of pairs) {
        const found = compare(a, b, field);
        if (found !== 0) return order === "ASC" ? found : -found;
      }
      return 0;
    }),
  hold: heldForm,
  stored: ({ stored }) => stored,
  counts: (counted) => counted,
  checks: (asked) => asked,
};

/** A collection in which some steps are others. */
function model(mistake: Partial<Steps>): MakeCollection {
  const { holds, compare, sort, hold, stored, counts, checks } = { ...steps, ...mistake };
  return (schema, records): CheckedCollection => {
    const strict = referenceCollection(schema, records);
    const fields = new Map(Object.entries(schema.fields));
    const given = records.map((record) => new Map<string, unknown>(Object.entries(record)));
    const rows = loadRecords(schema, records).rows;
    const held = new Map(
      rows.map((row, i) => {
        const members = [...fields].filter(([, field]) => stored(field));
        const record = members.map(([name, field]) => {
          const value = row.values.get(name) ?? null;
          return [name, hold(schema, field, value, given[i]?.get(name))] as const;
        });
        return [row, Object.freeze(Object.fromEntries(record))] as const;
      }),
    );
    const typeOf = (name: string) => fields.get(name)?.type ?? "string";
    const selects = ({ values }: Row, criteria: readonly (Criterion | "OR")[]) => {
      const groups: Criterion[][] = [[]];
      for (const each of criteria) {
        if (each === "OR") groups.push([]);
        else groups.at(-1)?.push(each);
      }
      return groups.some((group) =>
        group.every(([name, operator, operand]) =>
          holds(values.get(name) ?? null, operator, operand, typeOf(name)),
        ),
      );
    };
    const numberOf = (value: unknown, otherwise: number) =>
      value === undefined || value === null || value === "" ? otherwise : Number(value);
    const found = (asked: Asked): Row[] => {
      strict.query(untyped(checks(asked))); // refuses what is not valid
      const { criteria, sortBy, sortOrder, sort: pairs } = asked;
      const selected = rows.filter((row) => selects(row, criteria ?? []));
      const by = (sortBy ?? "") === "" ? [] : [[sortBy ?? "", sortOrder ?? ""] as const];
      return sort(selected, pairs ?? by, (a, b, name) =>
        compare(a.values.get(name) ?? null, b.values.get(name) ?? null, typeOf(name)),
      );
    };
    return {
      query(asked: Asked = {}) {
        const offset = numberOf(asked.offset, 0);
        const page = found(asked).slice(offset, offset + numberOf(asked.limit, Infinity));
        return page.map((row) => held.get(row));
      },
      count: (criteria?: Asked["criteria"]) => found({ criteria: criteria ?? null }).length,
      countBy: (...asked: Parameters<typeof strict.countBy>) =>
        counts(strict.countBy(...asked), schema),
    };
  };
}

/** A collection whose steps are all right: what the mistakes are made in. */
export const unbrokenCollection = model({});

export interface BrokenCollection {
  readonly mistake: string;
  /** The name of the law that catches it. */
  readonly law: string;
  /** The rule that it breaks. */
  readonly rule: string;
  readonly make: MakeCollection;
}

const { holds, compare } = steps;

const PREDICATE = "a query selects exactly the records that its predicate accepts";
const NUMBERS = "a number is less than another, greater than it, or exactly it";
const NULLS = "null satisfies exactly null, in with null, not of anything else, and nothing more";
const SORTED = "sorting orders: null first, numbers by number, text by code point";
const TIES = "ties keep insertion order in both directions";
const GIVEN = "every record that was given is there, in the form and the order given";
const FIELDS = "records are plain, and have the fields of their schema in its form";
const COUNTED =
  "countBy has the values of the records that a query finds, in order, and how many have each";

/** Compared as texts in that type of field. */
const asTexts = (of: FieldType): Steps["compare"] => {
  return (a, b, type) => compare(a, b, type === of ? "string" : type);
};

/** In records that hold values, those of a type held in another way. */
const held = (of: FieldType, as: (value: unknown, given: unknown) => unknown): MakeCollection =>
  model({
    hold: (schema, field, wire, given) => {
      const value = heldForm(schema, field, wire);
      const isMeant = field.type === of && schema.form === "values" && value !== null;
      return isMeant ? as(value, given) : value;
    },
  });

/** The wire texts of a type spelt in another way, wherever they are compared. */
const spelt = (of: FieldType, spell: (wire: string) => string): MakeCollection =>
  model({
    holds: (value, operator, operand, type) =>
      holds(type === of && value !== null ? spell(value) : value, operator, operand, type),
  });

const oneOrZero = (value: unknown) => (String(value) === "true" ? "1" : "0");

/** Numbers without an exponent, as some databases write them. */
const inDigits = (wire: string) => (wire.includes("e+") ? BigInt(Number(wire)).toString() : wire);

/** Without `at_least` and `at_most` where the field and the number are equal. */
const exclusive = (of: string): MakeCollection =>
  model({
    holds: (value, operator, operand, type) =>
      holds(value, operator, operand, type) &&
      !(operator === of && Number(value) === Number(operand)),
  });

/** What is sorted by several fields, sorted in another way. */
const sortedBy = (change: (pairs: readonly Pair[]) => readonly Pair[]): MakeCollection =>
  model({ sort: (rows, pairs, compare) => steps.sort(rows, change(pairs), compare) });

export const brokenCollections: readonly BrokenCollection[] = Object.entries<
  Readonly<Record<string, MakeCollection>>
>({
  [PREDICATE]: {
    "V10 at_most compares floats as texts": model({
      holds: (value, operator, operand, type) =>
        operator === "at_most" && type === "float" && value !== null
          ? value <= String(operand)
          : holds(value, operator, operand, type),
    }),
    "V10 booleans compare as 1 and 0": spelt("boolean", oneOrZero),
    "V10 floats from 1e21 have all their digits": spelt("float", inDigits),
  },
  "a number or boolean compares as its text": {
    "C15 true finds nothing, and its text does": model({
      holds: (value, operator, operand, type) =>
        typeof operand === "boolean" ? false : holds(value, operator, operand, type),
    }),
    "C15 in finds no boolean but by its text": model({
      holds: (value, operator, operand, type) => {
        const isList = operator === "in" && Array.isArray(operand);
        const texts = isList ? operand.filter((each) => typeof each !== "boolean") : operand;
        return holds(value, operator, texts, type);
      },
    }),
  },
  [NUMBERS]: {
    "C14 at_least leaves out what is equal": exclusive("at_least"),
    "C14 at_most leaves out what is equal": exclusive("at_most"),
    "V10 greater_than compares floats as texts": model({
      holds: (value, operator, operand, type) =>
        operator === "greater_than" && type === "float" && value !== null
          ? value > String(operand)
          : holds(value, operator, operand, type),
    }),
    "V10 floats are compared by their whole numbers": model({
      holds: (value, operator, operand, type) =>
        operator === "less_than" && type === "float" && value !== null
          ? Math.trunc(Number(value)) < Math.trunc(Number(operand))
          : holds(value, operator, operand, type),
    }),
  },
  [NULLS]: {
    "C6 null counts as 0 where numbers are compared": model({
      holds: (value, operator, operand, type) => {
        const isBound = operator.startsWith("at_") || operator.endsWith("_than");
        return holds(value ?? (isBound ? "0" : null), operator, operand, type);
      },
    }),
    "C6 not selects no null": model({
      holds: (value, operator, operand, type) =>
        holds(value, operator, operand, type) && !(operator === "not" && value === null),
    }),
    "C6 exactly null finds nothing": model({
      holds: (value, operator, operand, type) =>
        operator === "exactly" && operand === null ? false : holds(value, operator, operand, type),
    }),
  },
  [SORTED]: {
    "V10 floats sort as texts": model({ compare: asTexts("float") }),
    "P3 integers sort as texts": model({ compare: asTexts("int") }),
    "V10 true sorts before false": model({
      compare: (a, b, type) =>
        type === "boolean" && a !== null && b !== null ? -compare(a, b, type) : compare(a, b, type),
    }),
    "P4 null sorts last": model({
      compare: (a, b, type) =>
        (a === null) === (b === null) ? compare(a, b, type) : -compare(a, b, type),
    }),
    "P9 the second field is ignored": sortedBy((pairs) => pairs.slice(0, 1)),
    "P9 the third field is ignored": sortedBy((pairs) => pairs.slice(0, 2)),
    "P9 each field has the order of the first": sortedBy((pairs) =>
      pairs.map(([field]) => [field, pairs[0]?.[1] ?? "ASC"] as const),
    ),
    "P9 the last field decides first": sortedBy((pairs) => pairs.toReversed()),
  },
  [TIES]: {
    "P9 ties are turned round where the last order is DESC": model({
      sort: (rows, pairs, compare) =>
        steps.sort(pairs.at(-1)?.[1] === "DESC" ? rows.toReversed() : rows, pairs, compare),
    }),
    "P9 ties of several fields are turned round": model({
      sort: (rows, pairs, compare) =>
        steps.sort(pairs.length > 1 ? rows.toReversed() : rows, pairs, compare),
    }),
  },
  [GIVEN]: {
    "V10 JSON is not carried": held("json", () => null),
    "V10 JSON comes out as its text": held("json", (value) => JSON.stringify(value)),
    "V10 JSON has no members within members": held("json", (value) =>
      JSON.parse(
        JSON.stringify(value, (name, each: unknown) => (name === "" ? each : String(each))),
      ),
    ),
    "V1 a float from 1e21 comes out with all its digits": model({
      hold: (schema, field, wire) =>
        field.type === "float" && schema.form === "wire" && wire !== null
          ? inDigits(wire)
          : heldForm(schema, field, wire),
    }),
    "V10 floats are rounded to 32 bits": held("float", (value) => Math.fround(Number(value))),
  },
  [FIELDS]: {
    "V10 −0 comes out as it went in": held("float", (value, given) =>
      Object.is(given, -0) ? given : value,
    ),
    "V10 booleans come out as 1 and 0": held("boolean", (value) => Number(value)),
    "V10 integers come out as texts": held("int", String),
    "V1 wire records hold numbers": model({
      hold: (schema, field, wire) => heldForm({ ...schema, form: "values" }, field, wire),
    }),
    "R1 fields that are not stored come out": model({ stored: () => true }),
  },
  "records are frozen": {
    "V10 JSON is not frozen": held("json", (value) => structuredClone(value)),
  },
  "the data that it is made of is neither changed nor kept": {
    "R2 JSON is that of the caller": held("json", (_, given) => given),
  },
  [COUNTED]: {
    "P4 countBy misses null": model({
      counts: (counted) => counted.filter(({ value }) => value !== null),
    }),
    "V10 countBy has texts": model({
      counts: (counted) =>
        counted.map(({ value, count }) => ({
          value: value === null ? null : fc.stringify(value),
          count,
        })),
    }),
    "P3 countBy has true before false": model({
      counts: (counted) =>
        counted.some(({ value }) => value === true) ? counted.toReversed() : counted,
    }),
  },
  "page parameters that are not valid are refused: error 310": {
    "P9 a sort that is none is passed over": model({
      checks: (asked) => ({ ...asked, sort: null }),
    }),
  },
  "criteria that are not valid are refused: error 311": {
    "C8 criteria that are none select every record": model({ checks: () => ({}) }),
  },
}).flatMap(([law, mistakes]) =>
  Object.entries(mistakes).map(([text, make]) => {
    const [rule = "", ...words] = text.split(" ");
    return { mistake: words.join(" "), law, rule, make };
  }),
);
