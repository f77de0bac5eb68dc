// Criteria as the page edits them: a list in the form of JSON, which may hold anything while it is
// edited. Rows and text are two views of it, and facets change it.

import type { Comparison } from "../index.ts";
import type { FacetChoice } from "./choices.ts";
import { ANY_COLUMN, hasAnyColumn, operatorNamed } from "./comparisons.ts";
import type { CriteriaList, Facet, FieldInfo, Scalar, SearchFacet } from "./messages.ts";
import { neighbourOf, periodOf, spanOf, type TimeScale } from "./times.ts";

export type { FacetChoice };

export type CriterionRow = readonly [field: string, operator: string, value: unknown];

/** Whether it can be shown as a row; what can't, such as a group of criteria, stands as text. */
export function isRow(element: unknown): element is CriterionRow {
  return (
    Array.isArray(element) &&
    element.length === 3 &&
    typeof element[0] === "string" &&
    typeof element[1] === "string"
  );
}

/** One criterion to a line. */
export function asText(list: CriteriaList): string {
  return list.length === 0
    ? "[]"
    : `[\n${list.map((element) => `  ${JSON.stringify(element)}`).join(",\n")}\n]`;
}

/** @throws Error if the text is not a JSON array, or nested too deep to be handed on */
export function fromText(text: string): CriteriaList {
  if (text.trim() === "") return [];
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) throw new Error("criteria are an array, of criteria and of “OR”");
  if (isDeeper(parsed, DEEPEST)) throw new Error(`criteria are nested at most ${DEEPEST} deep`);
  return parsed;
}

/** A list of criteria, each of which may have a list of values, has three levels; groups add up to 32. */
const DEEPEST = 40;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));

/** What the box above the criteria finds, as the choice of a chart. */
export const FIND: SearchFacet = { kind: "search", field: ANY_COLUMN };

/** The list with one element changed; with `undefined`, without it, its "NOT", and an "OR" that joins nothing. */
export function withElement(list: CriteriaList, at: number, element: unknown): CriteriaList {
  if (element !== undefined) return list.map((each, i) => (i === at ? element : each));
  return joined(groupsOf(list.map((each, i) => (i === at ? undefined : each))));
}

/** Whether all criteria of a list, those in groups included, are on some fields. */
export const isOn = (
  list: CriteriaList,
  fields: readonly Pick<FieldInfo, "name" | "operators">[],
): boolean =>
  list.every((element) => {
    if (isRow(element)) {
      return (
        fields.some(({ name }) => name === element[0]) ||
        (element[0] === ANY_COLUMN && hasAnyColumn(fields))
      );
    }
    return (
      element === "OR" || element === "NOT" || (Array.isArray(element) && isOn(element, fields))
    );
  });

/**
 * With numbers for what is named as a time (rule C18) in fields of times: what the library takes. Each element becomes
 * one element.
 */
export function withTimes(list: CriteriaList, fields: readonly TimeField[]): CriteriaList {
  const known = new Map(fields.map((field) => [field.name, field]));
  return list.map((element) => {
    if (!isRow(element)) return Array.isArray(element) ? withTimes(element, fields) : element;
    const field = known.get(element[0]);
    return field?.unit === undefined ? element : withSpans(element, field, criterionScaleOf(field));
  });
}

type TimeField = Pick<FieldInfo, "name" | "type" | "unit" | "zone" | "latest" | "operators">;

/** How what is typed for a field is read, if it has times. */
export const scaleOf = ({
  unit = "milliseconds",
  zone,
  type,
}: Pick<TimeField, "unit" | "zone" | "type">) =>
  ({ unit, zone, isFloat: type === "float" }) satisfies TimeScale;

/** The same of a criterion, which may also name a period up to the latest time. */
export const criterionScaleOf = (
  field: Pick<TimeField, "unit" | "zone" | "type" | "latest">,
): TimeScale => ({ ...scaleOf(field), latest: field.latest });

function withSpans(row: CriterionRow, { operators }: TimeField, scale: TimeScale): unknown {
  const [field, name, value] = row;
  const operator = operatorNamed(name);
  const isNamed = (each: unknown) => periodOf(each, scale) !== undefined;
  const bound = (each: unknown, comparison: Comparison | undefined) =>
    spanOf(each, scale)?.[comparison === "<=" || comparison === ">" ? 1 : 0] ?? each;
  const within = (each: unknown): CriterionRow | readonly CriterionRow[] => {
    const [low, high] = spanOf(each, scale) ?? [each, each];
    if (low === high) return [field, "exactly", low];
    if (operators.some((one) => one.name === "between")) return [field, "between", [low, high]];
    // The contract has no operator for it, and only integers.
    return [
      [field, "greater_than", Number(low) - 1],
      [field, "less_than", Number(high) + 1],
    ];
  };
  switch (operator?.takes) {
    case "bound":
      return [field, name, bound(value, operator.selects)];
    case "range":
      if (!Array.isArray(value)) return row;
      return [field, name, value.map((each, at) => bound(each, operator.selects[at]))];
    case "value": {
      if (!isNamed(value)) return row;
      const found = within(value);
      if (operator.selects === "equal") return found;
      return isRow(found) && found[1] === "exactly"
        ? [field, name, found[2]]
        : ["NOT", ...(isRow(found) ? [found] : [found])];
    }
    case "values": {
      const values = typeof value === "string" ? valuesOf(value) : value;
      if (!Array.isArray(values) || !values.some(isNamed)) return row;
      const found = values.map(within);
      const single = found.flatMap((each) =>
        isRow(each) && each[1] === "exactly" ? [each[2]] : [],
      );
      if (single.length === found.length) return [field, name, single];
      return found.flatMap((each, i) => [...(i === 0 ? [] : ["OR"]), each]);
    }
    default:
      return row;
  }
}

/** A criterion or a group, after the "NOT" that stands before it. */
type Part = readonly unknown[];

/** The parts of the groups of which one must hold. What was taken out is `undefined`, and its "NOT" goes with it. */
function groupsOf(list: CriteriaList): Part[][] {
  let group: Part[] = [];
  const groups = [group];
  let words: unknown[] = [];
  for (const element of [...list, "OR"]) {
    if (element === "NOT") words.push(element);
    else {
      const part = element === "OR" ? words : [...words, element];
      words = [];
      if (part.length > 0 && !part.includes(undefined)) group.push(part);
      if (element === "OR") groups.push((group = []));
    }
  }
  return groups.slice(0, -1);
}

function joined(groups: readonly (readonly Part[])[]): CriteriaList {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, i) => (i === 0 ? group.flat(1) : ["OR", ...group.flat(1)]));
}

/** The choice that one criterion makes in a facet, even if it was typed; `undefined` if no chart can make it. */
function choiceOf(part: Part, facet: Facet): FacetChoice | undefined {
  const [row] = part;
  if (part.length !== 1 || !isRow(row) || row[0] !== facet.field) return undefined;
  const [, name, value] = row;
  const operator = operatorNamed(name);
  if (facet.kind === "search") {
    // The search of any column is the box above the criteria.
    const wanted = facet.field === ANY_COLUMN ? "folded" : "substring";
    return operator?.selects === wanted ? { text: typed(value) } : undefined;
  }
  const { step } = facet;
  switch (operator?.takes) {
    case "elements":
      if (operator.selects === "containing all") return undefined;
      return { values: valuesOf(value) };
    case "values":
      return { values: valuesOf(value) };
    case "element":
      return { values: valuesOf([value]) };
    case "value": {
      if (operator.selects !== "equal") return undefined;
      const only = facet.kind === "range" ? within([">=", "<="], [value, value], step) : undefined;
      return only ?? { values: valuesOf([value]) };
    }
    case "bound":
      return within([operator.selects], [value], step);
    case "range":
      return within(operator.selects, Array.isArray(value) ? value : [], step);
    case "text":
    case undefined:
      return undefined;
  }
}

/** The numbers that satisfy comparisons with bounds; `undefined` if a bound is no number. */
function within(
  comparisons: readonly Comparison[],
  values: readonly unknown[],
  step: 0 | 1 | undefined,
): { readonly from: number; readonly end: number } | undefined {
  let [from, end] = [-Infinity, Infinity];
  if (step === undefined) return undefined;
  for (const [i, comparison] of comparisons.entries()) {
    const value = values[i];
    const bound = typeof value === "number" ? value : Number.parseFloat(typed(value));
    if (Number.isNaN(bound)) return undefined;
    const isBeyond = comparison === ">" || comparison === "<=";
    const at = isBeyond ? after(bound, step) : bound;
    if (comparison === ">" || comparison === ">=") from = at;
    else end = at;
  }
  return { from, end };
}

/** The lowest number of a field that is above another one. */
const after = (bound: number, step: 0 | 1): number =>
  step === 1 ? bound + 1 : neighbourOf(bound, 1);

/** A number, or the one just below it if that is shorter: somebody typed it as a bound that `after` moved. */
export function typedBound(bound: number): number {
  const before = neighbourOf(bound, -1);
  return String(before).length < String(bound).length ? before : bound;
}

/** Criteria as parts of the groups of which one must hold, and what a facet selects besides. */
interface Split {
  readonly others: readonly (readonly Part[])[];
  readonly own: readonly Part[];
}

/**
 * Takes what a facet selects out of the criteria. Of several groups it is what all of them have in common beside
 * others, since only that restricts all records that match.
 */
function split(list: CriteriaList, facet: Facet): Split {
  const groups = groupsOf(list);
  const isOwn = (part: Part) => choiceOf(part, facet) !== undefined;
  const [first = [], ...rest] = groups;
  if (rest.length === 0) {
    return { others: [first.filter((part) => !isOwn(part))], own: first.filter(isOwn) };
  }
  const others = groups.map((group) => [...group]);
  const keys = groups.map((group) => group.map((part) => JSON.stringify(part)));
  const own: Part[] = [];
  for (const part of first.filter(isOwn).toReversed()) {
    const places = keys.map((group) => group.lastIndexOf(JSON.stringify(part)));
    // A group of nothing would select everything.
    if (places.includes(-1) || keys.some((group) => group.length === 1)) continue;
    own.unshift(part);
    for (const [i, at] of places.entries()) {
      keys[i]?.splice(at, 1);
      others[i]?.splice(at, 1);
    }
  }
  return { others, own };
}

/** The criteria without what a facet selects. */
export function withoutFacet(list: CriteriaList, facet: Facet): CriteriaList {
  const { others, own } = split(list, facet);
  return own.length === 0 ? list : joined(others);
}

/** The criteria with another choice in a facet, which restricts each of the groups. */
export function withFacet(
  list: CriteriaList,
  facet: Facet,
  choice: FacetChoice | undefined,
): CriteriaList {
  const { others, own } = split(list, facet);
  const chosen = choice === undefined ? [] : criteriaOf(facet, choice);
  if (own.length === 0 && chosen.length === 0) return list;
  return restricted(others, chosen);
}

/** The criteria with more of them, which restrict each of the groups. */
export const withCriteria = (list: CriteriaList, rows: readonly CriterionRow[]): CriteriaList =>
  restricted(groupsOf(list), rows);

function restricted(
  groups: readonly (readonly Part[])[],
  rows: readonly CriterionRow[],
): CriteriaList {
  const known = groups.filter((group) => group.length > 0);
  const all = known.length === 0 ? [[]] : known;
  return joined(all.map((group) => [...group, ...rows.map((row) => [row])]));
}

function criteriaOf(facet: Facet, choice: FacetChoice): CriterionRow[] {
  const { field } = facet;
  if ("text" in choice) {
    const operator = field === ANY_COLUMN ? "finds" : "contains";
    return choice.text === "" ? [] : [[field, operator, choice.text]];
  }
  if ("values" in choice) {
    const operator = facet.kind === "values" && facet.areElements === true ? "has_any" : "in";
    return choice.values.length === 0 ? [] : [[field, operator, choice.values]];
  }
  const { from, end } = choice;
  const { hasAtLeast, step } = facet.kind === "range" ? facet : { hasAtLeast: true, step: 0 };
  const [low, high] = step === 1 ? [from, end] : [typedBound(from), typedBound(end)];
  const lower: CriterionRow = !hasAtLeast
    ? [field, "greater_than", from - 1]
    : [field, low === from ? "at_least" : "greater_than", low];
  const upper: CriterionRow = [field, high === end ? "less_than" : "at_most", high];
  return [lower, upper].filter(([, , bound]) => Number.isFinite(bound));
}

/** What the criteria select in a facet; `undefined` if that is everything. */
export function facetChoice(list: CriteriaList, facet: Facet): FacetChoice | undefined {
  const areElements = facet.kind === "values" && facet.areElements === true;
  return split(list, facet).own.reduce<FacetChoice | undefined>((before, part) => {
    const choice = choiceOf(part, facet);
    // What has one of these elements, and one of those, is not chosen by any elements alone.
    if (before === undefined || choice === undefined || areElements) return before ?? choice;
    return bothOf(before, choice);
  }, undefined);
}

/** The choice of what two choices select. */
export function bothOf(a: FacetChoice, b: FacetChoice): FacetChoice {
  if ("values" in a) return { values: a.values.filter((value) => isChosen(b, value)) };
  if ("values" in b) return bothOf(b, a);
  if ("text" in a || "text" in b) return a;
  return { from: Math.max(a.from, b.from), end: Math.min(a.end, b.end) };
}

/** Whether a choice selects a value. */
export function isChosen(choice: FacetChoice, value: Scalar): boolean {
  if ("text" in choice) return true;
  if ("values" in choice) {
    const wanted = textFormOf(value);
    return choice.values.some((each) => textFormOf(each) === wanted);
  }
  return value !== null && Number(value) >= choice.from && Number(value) < choice.end;
}

/** The values that the criteria select in a facet, by their text form. */
export function chosenIn(list: CriteriaList, facet: Facet): ReadonlyMap<string | null, Scalar> {
  const choice = facetChoice(list, facet);
  const values = choice !== undefined && "values" in choice ? choice.values : [];
  return new Map(values.map((value) => [textFormOf(value), value]));
}

function valuesOf(value: unknown): Scalar[] {
  if (Array.isArray(value)) {
    return value.map((each: unknown) => (isScalar(each) ? each : JSON.stringify(each)));
  }
  return typeof value === "string" ? value.split(",") : [];
}

export function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

/** A value as it is typed: the members of a list with commas between them. */
export function typed(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((each) => String(each ?? "null")).join(",");
  return JSON.stringify(value);
}

/** A value that is typed as such, without quotes: no comma, no space at its ends, and not null. */
const BARE = /^(?!null$)(?:[^",\s](?:[^,]*[^,\s])?)$/;

/** Values as they are typed, with commas between them: quotes hold what is more than one word would say. */
export function asValues(values: readonly unknown[]): string {
  // Who has typed nothing yet goes on from nothing.
  if (values.length === 1 && values[0] === "") return "";
  return values
    .map((value) => {
      const text = value === null ? "null" : typed(value);
      return value === null || BARE.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
    })
    .join(", ");
}

/** The values that are typed, without the spaces around them. */
export function valuesIn(text: string): (string | null)[] {
  const found = text.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g);
  const values = Array.from(found, ([, quoted, bare = ""]) => {
    if (quoted !== undefined) return quoted.replaceAll('""', '"');
    const word = bare.trim();
    return word === "null" ? null : word;
  });
  // At the end of a text that ends with no comma, nothing is found once more.
  return text.trimEnd().endsWith(",") ? values : values.slice(0, Math.max(1, values.length - 1));
}

/** The text of a value that criteria compare. */
export function textFormOf(value: Scalar): string | null {
  return value === null ? null : String(value);
}
