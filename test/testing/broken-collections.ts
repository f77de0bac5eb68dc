// Collections with one mistake each, and the law that it breaks: a loop over records with one wrong step.

import fc from "fast-check";
import {
  defineSchema,
  next,
  type Field,
  type FieldType,
  type Schema,
  type TextValue,
} from "../../src/index.ts";
import {
  referenceCollection,
  type CheckedCollection,
  type MakeCollection,
} from "../../src/testing/index.ts";
import { comparedForm, storedForm } from "../../src/testing/arbitraries/values.ts";
import { loadRecords, type Row } from "../../src/testing/reference-data.ts";
import { compareTextForms, operatorTest } from "../../src/testing/reference-page.ts";
import type { AskedGroups, AskedKey, AskedMeasure } from "../../src/testing/reference-groups.ts";
import { untyped } from "../rules/fixtures.ts";

type Criterion = readonly [field: string, operator: string, operand: unknown];
type List = readonly (Criterion | List | "OR" | "NOT")[];
type Pair = readonly [field: string, order: string];

interface Asked {
  readonly criteria?: List | null;
  readonly limit?: number | string | null | undefined;
  readonly offset?: number | string | null;
  readonly sortBy?: string | null;
  readonly sortOrder?: string | null;
  readonly sort?: readonly Pair[] | null;
  readonly select?: readonly string[] | null;
}

interface Counted {
  readonly value: unknown;
  readonly count: number;
}

type Given = Readonly<Record<string, unknown>>;

/** What a collection does, step by step. */
interface Steps {
  /** Gives a record what the functions return that are defaults of fields that it lacks (V14). */
  readonly complete: (record: Given, functions: readonly Function[]) => Given;
  /** How a list of criteria, or a group, is understood (C3a). */
  readonly list: (list: List) => List;
  readonly group: (isHeld: boolean, group: List) => boolean;
  /** @param value the field's, if `"NOT"` stands before a criterion */
  readonly not: (isHeld: boolean, value: TextValue | undefined) => boolean;
  readonly holds: (
    value: TextValue,
    operator: string,
    operand: unknown,
    type: FieldType,
  ) => boolean;
  readonly compare: (a: TextValue, b: TextValue, type: FieldType) => number;
  /** The string by which a field is searched or sorted (V11). */
  readonly fold: (field: Field, text: TextValue, use: "criteria" | "order") => TextValue;
  readonly sort: (rows: readonly Row[], pairs: readonly Pair[], compare: Compare) => Row[];
  readonly store: (schema: Schema, field: Field, textForm: TextValue, given: unknown) => unknown;
  readonly stored: (field: Field) => boolean;
  readonly counts: (counted: readonly Counted[], schema: Schema) => readonly unknown[];
  /** What groupBy finds, from that of the reference. */
  readonly groups: (
    groupBy: (asked: AskedGroups) => readonly Given[],
    asked: AskedGroups,
  ) => readonly Given[];
  readonly checks: (asked: Asked) => Asked;
  /** The rows after a position, which is the last row of a page. */
  readonly after: (rows: readonly Row[], last: Row, isTie: (row: Row) => boolean) => readonly Row[];
  /** The rows before a position, which is the first row of a page. */
  readonly before: (rows: readonly Row[], first: Row) => readonly Row[];
  /** The last of the rows before a position. */
  readonly nearest: (rows: readonly Row[], limit: number) => readonly Row[];
  /** The record of a result. */
  readonly select: (record: Given, names: readonly string[] | null | undefined) => Given;
  /** The selected value of a computed field, from that of the reference (V16). */
  readonly computed: (value: unknown) => unknown;
  /** What a cursor says of its query. */
  readonly belongs: (asked: Asked) => unknown;
}

/** A field whose default is a function. */
type Function = readonly [name: string, otherwise: () => unknown];

type Compare = (a: Row, b: Row, field: string) => number;

const isGroup = (part: Criterion | List): part is List =>
  typeof part[0] !== "string" || (part[0] === "NOT" && Array.isArray(part[1]));

const functionsOf = ({ fields }: Schema): Function[] =>
  Object.entries(fields).flatMap(([name, { default: otherwise }]) =>
    typeof otherwise === "function" ? [[name, otherwise] as const] : [],
  );

interface PageAsked extends Asked {
  readonly after?: string | null;
  readonly before?: string | null;
  readonly last?: boolean;
  readonly cursors?: boolean;
}

const steps: Steps = {
  complete: (record, functions) => {
    const lacking = functions.filter(([name]) => record[name] === undefined);
    const made = lacking.map(([name, otherwise]) => [name, otherwise()] as const);
    return { ...record, ...Object.fromEntries(made) };
  },
  list: (list) => list,
  group: (isHeld) => isHeld,
  not: (isHeld) => !isHeld,
  holds: (value, operator, operand, type) =>
    operatorTest(operator, operand, { type, precision: "microseconds" })?.(value) === true,
  compare: compareTextForms,
  fold: comparedForm,
  sort: (rows, pairs, compare) =>
    rows.toSorted((a, b) => {
      for (const [field, order] of pairs) {
        const found = compare(a, b, field);
        if (found !== 0) return order === "ASC" ? found : -found;
      }
      return 0;
    }),
  store: storedForm,
  stored: ({ stored }) => stored,
  counts: (counted) => counted,
  groups: (groupBy, asked) => groupBy(asked),
  checks: (asked) => asked,
  after: (rows, last) => rows.slice(rows.indexOf(last) + 1),
  before: (rows, first) => rows.slice(0, rows.indexOf(first)),
  nearest: (rows, limit) => rows.slice(Math.max(0, rows.length - limit)),
  select: (record, names) =>
    names ? Object.freeze(Object.fromEntries(names.map((name) => [name, record[name]]))) : record,
  computed: (value) => value,
  belongs: ({ criteria, sort, sortBy, sortOrder }) => [criteria, sort, sortBy, sortOrder],
};

/** A collection in which some steps are others. */
function model(mistake: Partial<Steps>): MakeCollection {
  const { complete, list, group, not, holds, compare, fold, ...others } = { ...steps, ...mistake };
  const { sort, store, stored, counts, groups, checks, after, before, nearest, select } = others;
  const { computed, belongs } = others;
  return (schema, incomplete): CheckedCollection => {
    const functions = functionsOf(schema);
    const records = incomplete.map((record) => {
      const completed = complete(record, functions);
      // A member that is undefined would be called left out.
      if (functions.some(([name]) => completed[name] === undefined))
        throw new TypeError("no value");
      return untyped(completed);
    });
    const strict = referenceCollection(schema, records);
    const fields = new Map(Object.entries(schema.fields));
    const given = records.map((record) => new Map<string, unknown>(Object.entries(record)));
    const rows = loadRecords(schema, records).rows;
    const held = new Map(
      rows.map((row, i) => {
        const members = [...fields].filter(([, field]) => stored(field));
        const record = members.map(([name, field]) => {
          const value = row.values.get(name) ?? null;
          return [name, store(schema, field, value, given[i]?.get(name))] as const;
        });
        return [row, Object.freeze(Object.fromEntries(record))] as const;
      }),
    );
    const selectedFrom = (row: Row, names: readonly string[] | null | undefined) => {
      const own = [...fields].filter(([, { path, compute }]) => path ?? compute);
      const values = own.map(([name, field]) => {
        return [name, computed(storedForm(schema, field, row.values.get(name) ?? null))] as const;
      });
      const record = held.get(row) ?? {};
      return select(names ? { ...record, ...Object.fromEntries(values) } : record, names);
    };
    const typeOf = (name: string) => fields.get(name)?.type ?? "string";
    const folded = (name: string, value: TextValue | undefined, use: "criteria" | "order") => {
      const field = fields.get(name);
      return field === undefined ? null : fold(field, value ?? null, use);
    };
    const foldedOperand = (name: string, operand: unknown): unknown => {
      if (Array.isArray(operand)) return operand.map((each) => foldedOperand(name, each));
      return typeof operand === "string" ? folded(name, operand, "criteria") : operand;
    };
    const selects = (row: Row, criteria: List): boolean => {
      const groups: boolean[][] = [[]];
      let isNegated = false;
      for (const part of list(criteria)) {
        if (part === "OR") groups.push([]);
        else if (part === "NOT") isNegated = true;
        else {
          const value = isGroup(part)
            ? undefined
            : folded(part[0], row.values.get(part[0]), "criteria");
          const isHeld = isGroup(part)
            ? group(selects(row, part), part)
            : holds(value ?? null, part[1], foldedOperand(part[0], part[2]), typeOf(part[0]));
          groups.at(-1)?.push(isNegated ? not(isHeld, value) : isHeld);
          isNegated = false;
        }
      }
      return groups.some((each) => each.every(Boolean));
    };
    const numberOf = (value: unknown, otherwise: number) =>
      value === undefined || value === null || value === "" ? otherwise : Number(value);
    const found = (asked: Asked): Row[] => {
      strict.query(untyped(checks(asked))); // refuses what is not valid
      const { criteria, sortBy, sortOrder, sort: pairs } = asked;
      const selected = rows.filter((row) => selects(row, criteria ?? []));
      const by = (sortBy ?? "") === "" ? [] : [[sortBy ?? "", sortOrder ?? ""] as const];
      return sort(selected, pairs ?? by, (a, b, name) =>
        compare(
          folded(name, a.values.get(name), "order"),
          folded(name, b.values.get(name), "order"),
          typeOf(name),
        ),
      );
    };
    return {
      query(asked: Asked = {}) {
        const offset = numberOf(asked.offset, 0);
        const page = found(asked).slice(offset, offset + numberOf(asked.limit, Infinity));
        return page.map((row) => selectedFrom(row, asked.select));
      },
      page({
        after: afterCursor,
        before: beforeCursor,
        last: isLast,
        cursors,
        ...asked
      }: PageAsked) {
        const own = fc.stringify(belongs(asked));
        const isBackwards = isLast === true || typeof beforeCursor === "string";
        const cursor = beforeCursor ?? afterCursor;
        const [of = own, place = ""] = (cursor ?? "") === "" ? [] : String(cursor).split("\n");
        if (of !== own) throw new RangeError("a cursor of another query");
        const all = found(asked);
        const last = rows[Number(place || NaN)];
        const names = (asked.sort ?? [[asked.sortBy ?? "", ""]]).map(([name]) => name);
        const isTie = ({ values }: Row) =>
          names.every((name) => values.get(name) === last?.values.get(name));
        const limit = numberOf(asked.limit, Infinity);
        const left =
          last === undefined ? all : isBackwards ? before(all, last) : after(all, last, isTie);
        const page = isBackwards ? nearest(left, limit) : left.slice(0, limit);
        const isCut = page.length < left.length;
        const cursorOf = (row: Row | undefined) => `${own}\n${row && rows.indexOf(row)}`;
        const hasPrevious = isBackwards ? isCut : last !== undefined;
        const hasNext = isBackwards ? last !== undefined : isCut;
        return {
          records: page.map((row) => selectedFrom(row, asked.select)),
          previous: page.length > 0 && hasPrevious ? cursorOf(page[0]) : null,
          next: page.length > 0 && hasNext ? cursorOf(page.at(-1)) : null,
          ...(cursors === true && { cursors: page.map(cursorOf) }),
        };
      },
      count: (criteria?: Asked["criteria"]) => found({ criteria: criteria ?? null }).length,
      countBy: (...asked: Parameters<typeof strict.countBy>) =>
        counts(strict.countBy(...asked), schema),
      groupBy: (asked: AskedGroups) =>
        groups((each) => strict.groupBy(untyped(each)) as readonly Given[], asked),
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
const COMPARED = "a value is less than another, greater than it, or exactly it";
const ELEMENTS = "has_any holds where has holds for one of its strings, and null and [] have none";
const ALL_ELEMENTS =
  "has_all holds where has holds for each of its strings, and exactly [] where none does";
const UNIQUE = "no two records share what is unique, and null equals nothing";
const DEFAULT =
  "a default that is a function is called once for each record without the field, and checked";
const NUMBERED =
  "a default that is next numbers each record without the field after the greatest number before it";
const NULLS = "null satisfies exactly null, in with null, not of anything else, and nothing more";
const CASE = "a letter in another case is another letter";
const COMPOSED = "a character is another one than the characters that it is composed of";
const SORTED = "sorting orders: null first, numbers by number, text by code point";
const TIES = "ties keep insertion order in both directions";
const WALK = "the pages of a walk by cursors are the records of the query, in its order";
const GIVEN = "every record that was given is there, in the form and the order given";
const FIELDS = "records are plain, and have the fields of their schema in its form";
const COUNTED =
  "countBy has the values of the records that a query finds, in order, and how many have each";

const GROUPED =
  "groupBy has the groups of the records that a query finds, and of these what was asked for";

const elementsOf = (textForm: string) => JSON.parse(textForm) as string[];

const keysIn = ({ by }: AskedGroups) => by as readonly AskedKey[];

/** The query with other measures. */
const measured = (
  asked: AskedGroups,
  of: (measure: Exclude<AskedMeasure, string>) => AskedMeasure,
): AskedGroups => ({
  ...asked,
  measures: Object.fromEntries(
    Object.entries(asked.measures ?? {}).map(([name, each]) => [
      name,
      typeof each === "string" ? each : of(each),
    ]),
  ),
});

/** Compared as texts in that type of field. */
const asTexts = (of: FieldType): Steps["compare"] => {
  return (a, b, type) => compare(a, b, type === of ? "string" : type);
};

/** In records that hold values, those of a type held in another way. */
const held = (of: FieldType, as: (value: unknown, given: unknown) => unknown): MakeCollection =>
  model({
    store: (schema, field, textForm, given) => {
      const value = storedForm(schema, field, textForm);
      const isMeant = field.type === of && schema.form === "values" && value !== null;
      return isMeant ? as(value, given) : value;
    },
  });

/** The text forms of a type spelt in another way, wherever they are compared. */
const spelt = (of: FieldType, spell: (textForm: string) => string): MakeCollection =>
  model({
    holds: (value, operator, operand, type) =>
      holds(type === of && value !== null ? spell(value) : value, operator, operand, type),
  });

const oneOrZero = (value: unknown) => (String(value) === "true" ? "1" : "0");

/** Numbers without an exponent, as some databases write them. */
const inDigits = (textForm: string) =>
  textForm.includes("e+") ? BigInt(Number(textForm)).toString() : textForm;

/** Without `at_least` and `at_most` where the field and the number are equal. */
const exclusive = (of: string): MakeCollection =>
  model({
    holds: (value, operator, operand, type) =>
      holds(value, operator, operand, type) &&
      !(operator === of && Number(value) === Number(operand)),
  });

const isPartGroup = (part: List[number] | undefined): part is List =>
  typeof part === "object" && isGroup(part);

/** Groups that are understood in another way. */
const inGroups = (change: (group: List) => List): MakeCollection =>
  model({ list: (list) => list.map((part) => (isPartGroup(part) ? change(part) : part)) });

/** Groups after `"NOT"`, and the word itself, that are understood in another way. */
const negatedGroups = (change: (group: List) => List): MakeCollection =>
  model({
    list: (list) =>
      list.flatMap((part, i) => {
        if (part === "NOT" && isPartGroup(list[i + 1])) return [];
        return isPartGroup(part) && list[i - 1] === "NOT" ? change(part) : [part];
      }),
  });

const depthOf = (list: List): number =>
  1 + Math.max(0, ...list.filter(isPartGroup).map((part) => depthOf(part)));

/** `"NOT"` before all that follows it, up to `"OR"`. */
function loosely(list: List): List {
  const not = list.indexOf("NOT");
  if (not === -1) return list;
  const or = list.indexOf("OR", not);
  const end = or === -1 ? list.length : or;
  const negated = list.slice(not + 1, end);
  return [...list.slice(0, not), "NOT", negated, ...loosely(list.slice(end))];
}

/** What is sorted by several fields, sorted in another way. */
const sortedBy = (change: (pairs: readonly Pair[]) => readonly Pair[]): MakeCollection =>
  model({ sort: (rows, pairs, compare) => steps.sort(rows, change(pairs), compare) });

/** A collection that numbers records by their position, or by how many before them have no number. */
const numbering =
  (numberOf: (i: number, lacking: number) => number): MakeCollection =>
  (schema, records) => {
    const counted = Object.keys(schema.fields).filter(
      (name) => schema.fields[name]?.default === next,
    );
    let lacking = 0;
    const numbered = records.map((record, i) => {
      const given = new Map<string, unknown>(Object.entries(record));
      const omitted = counted.filter((name) => given.get(name) === undefined);
      const number = numberOf(i, omitted.length > 0 ? lacking++ : lacking);
      return { ...record, ...Object.fromEntries(omitted.map((name) => [name, number])) };
    });
    return unbrokenCollection(schema, untyped(numbered));
  };

/** Refuses records that share the values of some fields, null among them. */
const refusing =
  (constraintsOf: (schema: Schema) => readonly (readonly string[])[]): MakeCollection =>
  (schema, records) => {
    const made = unbrokenCollection(schema, records);
    const { rows } = loadRecords(schema, records);
    for (const names of constraintsOf(schema)) {
      const texts = rows.map(({ values }) => fc.stringify(names.map((name) => values.get(name))));
      if (new Set(texts).size < texts.length) throw new Error("there twice");
    }
    return made;
  };

/** Functions that are defaults, and what they return, understood in another way. */
const defaulting = (change: (otherwise: () => unknown) => () => unknown): MakeCollection => {
  return (schema, records) => {
    const changed = new Map<() => unknown, () => unknown>();
    const unbroken = model({
      complete: (record, functions) =>
        steps.complete(
          record,
          functions.map(([name, otherwise]) => {
            const other = changed.get(otherwise) ?? change(otherwise);
            changed.set(otherwise, other);
            return [name, other] as const;
          }),
        ),
    });
    return unbroken(schema, records);
  };
};

/** Calls the function once. */
function once(otherwise: () => unknown): () => unknown {
  let made: readonly unknown[] | undefined;
  return () => {
    made ??= [otherwise()];
    return made[0];
  };
}

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
  [COMPARED]: {
    "C14 at_least leaves out what is equal": exclusive("at_least"),
    "C14 at_most leaves out what is equal": exclusive("at_most"),
    "C14 between leaves out its lower bound": model({
      holds: (value, operator, operand, type) =>
        holds(value, operator, operand, type) &&
        !(operator === "between" && Array.isArray(operand) && String(operand[0]) === value),
    }),
    "C14 between has no upper bound": model({
      holds: (value, operator, operand, type) =>
        operator === "between" && Array.isArray(operand)
          ? holds(value, "at_least", operand[0], type)
          : holds(value, operator, operand, type),
    }),
    "V10 greater_than compares floats as texts": model({
      holds: (value, operator, operand, type) =>
        operator === "greater_than" && type === "float" && value !== null
          ? value > String(operand)
          : holds(value, operator, operand, type),
    }),
    "C14 strings are compared by code unit": model({
      holds: (value, operator, operand, type) =>
        operator === "less_than" && type === "string" && value !== null
          ? value < String(operand)
          : holds(value, operator, operand, type),
    }),
    "C14 strings are compared as numbers": model({
      holds: (value, operator, operand, type) =>
        operator === "at_most" && type === "string" && value !== null
          ? Number(value) <= Number(operand)
          : holds(value, operator, operand, type),
    }),
    "V10 floats are compared by their whole numbers": model({
      holds: (value, operator, operand, type) =>
        operator === "less_than" && type === "float" && value !== null
          ? Math.trunc(Number(value)) < Math.trunc(Number(operand))
          : holds(value, operator, operand, type),
    }),
  },
  [ELEMENTS]: {
    "C16 has finds parts of elements": model({
      holds: (value, operator, operand, type) =>
        operator === "has" && value !== null
          ? elementsOf(value).some((each) => each.includes(String(operand)))
          : holds(value, operator, operand, type),
    }),
    "C16 has_any needs all of its strings": model({
      holds: (value, operator, operand, type) =>
        operator === "has_any" && value !== null && Array.isArray(operand)
          ? operand.every((each) => holds(value, "has", each, type))
          : holds(value, operator, operand, type),
    }),
    "V12 null has the empty string": model({
      holds: (value, operator, operand, type) =>
        holds(
          type === "strings" && operator === "has" ? (value ?? '[""]') : value,
          operator,
          operand,
          type,
        ),
    }),
  },
  [ALL_ELEMENTS]: {
    "C17 has_all needs one of its strings": model({
      holds: (value, operator, operand, type) =>
        operator === "has_all" && Array.isArray(operand) && operand.length > 0
          ? holds(value, "has_any", operand, type)
          : holds(value, operator, operand, type),
    }),
    "C17 has_all counts its strings": model({
      holds: (value, operator, operand, type) =>
        holds(value, operator, operand, type) &&
        !(
          operator === "has_all" &&
          value !== null &&
          Array.isArray(operand) &&
          operand.length > elementsOf(value).length
        ),
    }),
    "C17 exactly [] holds for null": model({
      holds: (value, operator, operand, type) =>
        type === "strings" && Array.isArray(operand) && operand.length === 0
          ? holds(value ?? "[]", operator, operand, type)
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
  [UNIQUE]: {
    "V13 null equals null": refusing(({ unique }) => unique),
    "V13 combinations are not unique": (schema, records) =>
      unbrokenCollection(defineSchema(schema.fields), records),
    "V13 each field of a combination is unique by itself": refusing(({ unique }) =>
      unique.flatMap((names) => names.map((name) => [name])),
    ),
  },
  [DEFAULT]: {
    "V14 the function is called once for all records": defaulting(once),
    "V14 the function is called for records that have the field, too": model({
      complete: (record, functions) => {
        const made = functions.map(([name, otherwise]) => [name, otherwise()] as const);
        return { ...Object.fromEntries(made), ...record };
      },
    }),
    "V14 what the function returns is not checked": defaulting((otherwise) => () => {
      const made = otherwise();
      return Number.isSafeInteger(made) ? made : 0;
    }),
  },
  [NUMBERED]: {
    "V14 a number is that of the position": numbering((i) => i + 1),
    "V14 numbers that are given do not count": numbering((_, lacking) => lacking + 1),
  },
  "a group holds where its criteria do, and an empty one everywhere": {
    "C3a parentheses are passed over": model({
      list: (list) => list.flatMap((part) => (isPartGroup(part) ? part : [part])),
    }),
    "C3a an empty group selects nothing": model({
      group: (isHeld, group) => isHeld && group.length > 0,
    }),
  },
  "NOT is the complement, and binds tighter than AND": {
    "C3a NOT is passed over": model({ not: (isHeld) => isHeld }),
    "C3a NOT selects no null": model({ not: (isHeld, value) => !isHeld && value !== null }),
    "C3a NOT negates all that follows": model({ list: loosely }),
  },
  "NOT of NOT is neither": {
    "C3a NOT in a negated group is passed over": negatedGroups((group) => [
      "NOT",
      group.filter((part) => part !== "NOT"),
    ]),
  },
  "De Morgan: NOT of OR is AND of NOT, and NOT of AND is OR of NOT": {
    "C3a NOT negates each part of a group, and leaves AND and OR as they are": negatedGroups(
      (group) => [
        group.flatMap((part): List => (typeof part === "string" ? [part] : ["NOT", part])),
      ],
    ),
  },
  "AND distributes over OR, and OR over AND": {
    "C3a OR in a group is passed over": inGroups((group) => group.filter((part) => part !== "OR")),
  },
  "groups are nested thirty-two deep, and no deeper": {
    "C3a groups may be nested deeper": model({ checks: () => ({}) }),
    "C3a groups may be nested only ten deep": model({
      checks: (asked) => (depthOf(asked.criteria ?? []) > 10 ? { sortBy: "\0" } : asked),
    }),
  },
  [CASE]: {
    "V11 criteria never ignore case": model({
      fold: (field, text, use) => (use === "criteria" ? text : comparedForm(field, text)),
    }),
    "V11 the order never ignores case": model({
      fold: (field, text, use) => (use === "order" ? text : comparedForm(field, text)),
    }),
  },
  [COMPOSED]: {
    "V17 criteria never ignore accents": model({
      fold: (field, text, use) =>
        comparedForm(use === "criteria" ? { ...field, ignoreAccents: false } : field, text),
    }),
    "V17 the order never ignores accents": model({
      fold: (field, text, use) =>
        comparedForm(use === "order" ? { ...field, ignoreAccents: false } : field, text),
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
    "V12 strings that an array has twice are there once": held("strings", (value) =>
      Object.freeze([...new Set(value as string[])]),
    ),
    "V10 JSON is not carried": held("json", () => null),
    "V10 JSON comes out as its text": held("json", (value) => JSON.stringify(value)),
    "V10 JSON has no members within members": held("json", (value) =>
      JSON.parse(
        JSON.stringify(value, (name, each: unknown) => (name === "" ? each : String(each))),
      ),
    ),
    "V10 floats are rounded to 32 bits": held("float", (value) => Math.fround(Number(value))),
  },
  [FIELDS]: {
    "V10 −0 comes out as it went in": held("float", (value, given) =>
      Object.is(given, -0) ? given : value,
    ),
    "V10 booleans come out as 1 and 0": held("boolean", (value) => Number(value)),
    "V10 integers come out as texts": held("int", String),
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
  [GROUPED]: {
    "G1 records without a value are in no group": model({
      groups: (groupBy, asked) => groupBy(asked).filter((group) => group["key 0"] !== null),
    }),
    "G1 a range begins where the one before it ends": model({
      groups: (groupBy, asked) =>
        groupBy({ ...asked, by: keysIn(asked).map((key) => ({ ...key, origin: 0.5 })) }),
    }),
    "G2 null counts as a value, and each value as another": model({
      groups: (groupBy, asked) =>
        groupBy(
          measured(asked, (measure) =>
            measure[0] === "count" || measure[0] === "distinct" ? "count" : measure,
          ),
        ),
    }),
    "G2 a measure without values is 0": model({
      groups: (groupBy, asked) =>
        groupBy(asked).map((group) =>
          Object.fromEntries(
            Object.entries(group).map(([name, value]) => [
              name,
              name.startsWith("found") ? (value ?? 0) : value,
            ]),
          ),
        ),
    }),
    "G3 every group is listed, whatever its measures": model({
      groups: (groupBy, asked) => groupBy({ ...asked, having: null }),
    }),
    "G3 no group is skipped": model({
      groups: (groupBy, asked) => groupBy({ ...asked, offset: 0 }),
    }),
  },
  [WALK]: {
    "P10 a page begins with the record that the last one ended with": model({
      after: (rows, last) => rows.slice(rows.indexOf(last)),
    }),
    "P10 ties of the last record are passed over": model({
      after: (rows, last, isTie) => rows.slice(rows.indexOf(last) + 1).filter((row) => !isTie(row)),
    }),
  },
  "a walk backwards by cursors visits the same records, from the last ones on": {
    "P10 the first of the records before a position": model({
      nearest: (rows, limit) => rows.slice(0, limit),
    }),
    "P10 a page before a position has its record": model({
      before: (rows, first) => rows.slice(0, rows.indexOf(first) + 1),
    }),
  },
  "each record of a page has a cursor, and pages lead back to where they came from": {
    "P10 the nearest record is passed over": model({
      nearest: (rows, limit) => rows.slice(0, -1).slice(Math.max(0, rows.length - 1 - limit)),
    }),
    "P10 the page before is in the opposite order": model({
      nearest: (rows, limit) => rows.toReversed().slice(0, limit),
    }),
  },
  "a query that selects fields finds the same records, with only these, in the given order": {
    "C19 fields are in the order of the schema": model({
      select: (record, names) =>
        names
          ? Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
          : record,
    }),
    "V16 a selected value is null": model({ computed: () => null }),
    "V16 a selected number is its text": model({
      computed: (value) => (typeof value === "number" ? String(value) : value),
    }),
    "C19 the last field is left out": model({
      select: (record, names) =>
        names ? Object.fromEntries(names.slice(0, -1).map((name) => [name, record[name]])) : record,
    }),
  },
  "a cursor of another query is refused": {
    "P10 a cursor belongs to its criteria alone": model({ belongs: ({ criteria }) => criteria }),
    "P10 a cursor belongs to its sort alone": model({
      belongs: ({ sort, sortBy, sortOrder }) => [sort, sortBy, sortOrder],
    }),
  },
  "an integer as text has one spelling": {
    "P5 a limit may have a final line feed": model({
      checks: ({ limit, ...asked }) => ({
        ...asked,
        limit: typeof limit === "string" ? limit.replace(/^(\d+)\n$/, "$1") : limit,
      }),
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
