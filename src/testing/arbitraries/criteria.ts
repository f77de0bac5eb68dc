// Criteria that are valid for a schema. With records, each group of criteria is generated around one of them, from its
// values and their prefixes, suffixes, substrings and neighbours. So a group usually holds for that record, and for
// some of the others; in your own schemas, groups are nested, and some are negated.

import * as fc from "fast-check";
import { operatorsOf, type Criteria, type Field, type OperatorChoice } from "../../index.ts";
import type { Schema, TextValue } from "../../index.ts";
import { inOrder } from "../reference-page.ts";
import { canHave, integer, text, textFormFor } from "./values.ts";

/** The source of criteria values. */
export interface DrawnFrom {
  /** Records in input or text form, such as a collection. Default: none; values are then unrelated to records. */
  readonly records?: Iterable<Readonly<Record<string, unknown>>> | undefined;
}

/**
 * Criteria that are valid for a schema: none, one, or several with `"OR"` between some. For your own schemas, also
 * groups, up to two levels deep, and `"NOT"`.
 *
 * @param options `records`: the source of values, so that many criteria select some of these records but not all
 */
export function criteria<const S extends Schema>(
  schema: S,
  options: DrawnFrom = {},
): fc.Arbitrary<Criteria<S>> {
  return listsOf(schema, options, schema.form !== "contract") as fc.Arbitrary<Criteria<S>>;
}

/** Criteria without groups and `"NOT"`. */
export function flatCriteria(
  schema: Schema,
  options: DrawnFrom,
): fc.Arbitrary<readonly ("OR" | readonly unknown[])[]> {
  return listsOf(schema, options, false) as fc.Arbitrary<readonly ("OR" | readonly unknown[])[]>;
}

function listsOf(
  schema: Schema,
  options: DrawnFrom,
  isNested: boolean,
): fc.Arbitrary<readonly unknown[]> {
  const [first, ...others] = choicesOf(schema);
  if (first === undefined) return fc.constant([]);
  const records = [...(options.records ?? [])];
  const criterion = draft([first, ...others]);
  const { list } = fc.letrec<{ list: DraftGroup[]; part: DraftPart }>((tie) => {
    // Rarely a group, and none after shrinking.
    const group = fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.record({ joins: fc.constantFrom(...JOINS), list: tie("list") }) },
    );
    return {
      list: upToThree(fc.record({ record: fc.nat(), parts: upToThree(tie("part")) })),
      part: fc.record({
        criterion,
        negates: isNested ? fc.nat({ max: 7 }).map((number) => number === 7) : fc.constant(false),
        group: isNested ? group : fc.constant(undefined),
      }),
    };
  });
  return list.map((groups) => finishList(groups, records));
}

/** A group before the records are known. */
interface DraftGroup {
  /** The record around which criteria are generated. */
  readonly record: number;
  readonly parts: readonly DraftPart[];
}

interface DraftPart {
  readonly negates: boolean;
  readonly criterion: Draft;
  /** For a group: its other criteria and how they are joined, if the criterion is in a group at all. */
  readonly group: { readonly joins: Join; readonly list: readonly DraftGroup[] } | undefined;
}

type Join = (typeof JOINS)[number];

const JOINS = ["AND", "OR", "alone"] as const;

function finishList(groups: readonly DraftGroup[], records: readonly Row[]): unknown[] {
  return groups
    .filter(({ parts }) => parts.length > 0)
    .flatMap(({ record, parts }, position) => {
      const finished = parts.flatMap((part) => {
        const of = finishPart(part, records, record);
        return part.negates ? ["NOT", of] : [of];
      });
      return position === 0 ? finished : ["OR", ...finished];
    });
}

function finishPart({ criterion, group }: DraftPart, records: readonly Row[], record: number) {
  const finished = finish(criterion, records, record);
  if (group === undefined) return finished;
  const others = finishList(group.list, records);
  if (group.joins === "alone") return others;
  return [finished, ...(group.joins === "OR" && others.length > 0 ? ["OR"] : []), ...others];
}

/** Rarely empty. Not an array with a minimum length, since fast-check could not shrink it to an empty one. */
function upToThree<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value[]> {
  return fc
    .tuple(
      fc.option(arbitrary, { nil: undefined, freq: 4 }),
      fc.array(arbitrary, { maxLength: 2, size: "max" }),
    )
    .map(([first, others]) => (first === undefined ? others : [first, ...others]));
}

type Scalar = string | number | boolean | null;

interface Choice {
  readonly name: string;
  readonly field: Field;
  readonly operator: OperatorChoice;
  /** Whether fields of numbers and booleans are compared only with values that they can have (C5a). */
  readonly isOwn: boolean;
}

/** Each searchable field with each operator that applies to it, the simplest operators first. */
function choicesOf(schema: Schema): Choice[] {
  const isOwn = schema.form !== "contract";
  const names = Object.keys(schema.fields);
  return operatorsOf(schema).flatMap((operator) =>
    names.flatMap((name) => {
      const field = schema.fields[name];
      const applies = field !== undefined && operatorsOf(schema, name).includes(operator);
      return applies ? [{ name, field, operator, isOwn }] : [];
    }),
  );
}

/**
 * A criterion before the records are known. All parts are generated separately, so that each shrinks separately,
 * towards the complete value of the first record.
 */
interface Draft {
  readonly on: Choice;
  readonly source: "record" | "other" | "nowhere" | "null";
  /** Other records: for `source`, and for the values of `in`. */
  readonly others: readonly number[];
  readonly start: number;
  readonly length: number;
  readonly step: number;
  readonly twist: (value: string) => string;
  /** `number` for any spelling of a number; `commas` for a list of `in` as a string. */
  readonly form: "text" | "number" | "commas";
  readonly fresh: { readonly text: string; readonly integer: number };
}

const same = (value: string): string => value;

/** Values that resemble the value but differ: each is a mistake that an implementation could make. */
const TWISTS: readonly ((value: string) => string)[] = [
  ...Array.from({ length: 18 }, () => same),
  (value) => value.toUpperCase(),
  (value) => value.normalize("NFD"),
  (value) => value.normalize("NFC"),
  (value) => `0${value}`,
  (value) => `${value} `,
  // By complete characters: half of one is refused (C13).
  (value) => Array.from(value).slice(0, -1).join(""),
  (value) => Array.from(value).slice(1).join(""),
  () => "",
];

const SOURCES: readonly Draft["source"][] = [
  ...Array.from({ length: 18 }, () => "record" as const),
  ...(["other", "other", "nowhere", "nowhere", "null"] as const),
];

function draft(choices: readonly [Choice, ...Choice[]]): fc.Arbitrary<Draft> {
  const [first] = choices;
  return fc.record({
    // Unlike `constantFrom`, it shrinks step by step, to the first field that has the operator.
    on: fc.nat({ max: choices.length - 1 }).map((i) => choices[i] ?? first),
    source: fc.constantFrom(...SOURCES),
    others: fc.array(fc.nat(), { maxLength: 4 }),
    start: fc.nat({ max: 8 }),
    length: fc.nat({ max: 8 }),
    step: fc.constantFrom(0, -1, 1),
    twist: fc.constantFrom(...TWISTS),
    form: fc.constantFrom("text", "number", "commas"),
    fresh: fc.record({ text: text(), integer: integer() }),
  });
}

type Row = Readonly<Record<string, unknown>>;

function finish(drawn: Draft, records: readonly Row[], record: number): readonly unknown[] {
  const { name, operator } = drawn.on;
  const known = valueOf(drawn, records, drawn.source === "other" ? (drawn.others[0] ?? 0) : record);
  return [name, operator.name, operand(drawn, known, records)];
}

/** The value in text form that a criterion starts from. */
function valueOf({ on, source, fresh }: Draft, records: readonly Row[], pick: number): TextValue {
  if (source === "null") return null;
  const row = source === "nowhere" ? undefined : records[pick % records.length];
  const known = row === undefined ? undefined : textFormFor(on.field, memberOf(row, on.name));
  return known === undefined ? freshFor(on.field, fresh) : known;
}

function freshFor({ type }: Field, { text, integer }: Draft["fresh"]): string {
  if (type === "int") return String(integer);
  if (type === "strings") return JSON.stringify([text]);
  if (type === "time") return new Date(integer % 1e12).toISOString();
  return type === "float" ? String(integer / 4) : text;
}

function memberOf(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function operand(drawn: Draft, known: TextValue, records: readonly Row[]): Scalar | Scalar[] {
  const { on, form, twist, fresh } = drawn;
  switch (on.operator.takes) {
    case "element":
      return elementsIn(drawn, known)[0] ?? fresh.text;
    case "elements":
      // The strings of several records are seldom all in one.
      if (on.operator.selects === "containing all") return elementsIn(drawn, known);
      return drawn.others.flatMap((pick) => elementsIn(drawn, valueOf(drawn, records, pick)));
    case "value":
      if (on.field.type === "strings") return known === null ? null : [];
      if (on.field.type === "time") return known === null ? null : timeOperand(drawn, known);
      return known === null ? null : inForm(valid(drawn, twist(known), known), form, on.field);
    case "text":
      return inForm(cut(drawn, twist(known ?? fresh.text)), form, on.field);
    case "bound":
      return bound(drawn, known);
    case "range": {
      const [pick] = drawn.others;
      const other = pick === undefined ? known : valueOf(drawn, records, pick);
      return [...inOrder(on.field, [bound(drawn, known), bound(drawn, other)])];
    }
    case "values": {
      const all = [known, ...drawn.others.map((pick) => valueOf(drawn, records, pick))];
      const isTime = on.field.type === "time";
      const values = all.map((value) =>
        value === null ? null : isTime ? timeOperand(drawn, value) : valid(drawn, value, value),
      );
      const texts = values.filter((value) => value !== null);
      // The empty string is a list of one string, which not every field can have (C5a).
      return form === "commas" && (texts.length > 0 || !on.isOwn)
        ? texts.join(",")
        : values.map((value) => (value === null ? null : inForm(value, form, on.field)));
    }
  }
}

function bound({ on, form, twist, fresh, ...drawn }: Draft, known: TextValue): string | number {
  if (on.field.type === "string") return cut({ on, ...drawn }, twist(known ?? fresh.text));
  if (on.field.type === "time") return timeOperand(drawn, known ?? freshFor(on.field, fresh));
  const number = neighbour(known ?? freshFor(on.field, fresh), drawn.step, on.field);
  return form === "number" ? Number(number) : number;
}

/** A time in text form, or a period that it is in (C18). */
const timeOperand = ({ length }: Pick<Draft, "length">, text: string): string =>
  text.slice(0, [text.length, 24, 27, 4, 7, 10, 13, 16][length] ?? text.length);

/** The value, or another one if the field can't have it. */
function valid({ on: { field, isOwn }, fresh }: Draft, value: string, otherwise: string): string {
  if (!isOwn || canHave(field, value)) return value;
  if (canHave(field, otherwise)) return otherwise;
  return field.type === "boolean" ? "true" : String(fresh.integer);
}

/** Some consecutive elements of an array of strings in text form. */
function elementsIn({ start, length, twist }: Draft, known: TextValue): string[] {
  const all = known === null ? [] : (JSON.parse(known) as string[]);
  const from = all.length === 0 ? 0 : start % all.length;
  return all.slice(from, from + 1 + (length % 3)).map(twist);
}

/** A prefix, a suffix or a substring of a string; the complete string unless the draft asks for a shorter one. */
function cut({ on, start, length }: Pick<Draft, "on" | "start" | "length">, whole: string): string {
  const points = Array.from(whole);
  if (points.length === 0) return whole;
  // At least one character remains: the empty string would select nearly everything.
  const from = on.operator.selects === "prefix" ? 0 : start % points.length;
  const to =
    on.operator.selects === "suffix"
      ? points.length
      : points.length - (length % (points.length - from));
  return points.slice(from, to).join("");
}

/** The sum of the number and a step; the number itself if the sum is out of range. */
function neighbour(number: string, step: number, { type }: Field): string {
  const value = Number(number) + step;
  return type === "float" || Number.isSafeInteger(value) ? String(value) : number;
}

function inForm(value: string, form: Draft["form"], { type }: Field): string | number | boolean {
  if (type === "boolean" && form !== "text" && (value === "true" || value === "false")) {
    return value === "true";
  }
  const number = Number(value);
  const isNumber = Number.isFinite(number) && String(number) === value;
  return form === "number" && isNumber ? number : value;
}
