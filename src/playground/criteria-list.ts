// Criteria as the page edits them: a list in the form of JSON, which may hold anything while it is
// edited. Rows and text are two views of it, and facets change it.

import type { FacetChoice } from "./choices.ts";
import type { CriteriaList, Facet, FieldInfo, Scalar } from "./messages.ts";
import { numberOf } from "./times.ts";

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

/** The list with one element changed; with `undefined`, without it, its "NOT", and an "OR" that joins nothing. */
export function withElement(list: CriteriaList, at: number, element: unknown): CriteriaList {
  if (element !== undefined) return list.map((each, i) => (i === at ? element : each));
  return joined(groupsOf(list.map((each, i) => (i === at ? undefined : each))));
}

/** Whether all criteria of a list, those in groups included, are on some fields. */
export const isOn = (list: CriteriaList, fields: readonly Pick<FieldInfo, "name">[]): boolean =>
  list.every((element) => {
    if (isRow(element)) return fields.some(({ name }) => name === element[0]);
    return (
      element === "OR" || element === "NOT" || (Array.isArray(element) && isOn(element, fields))
    );
  });

/** With numbers for the times of day or longer that are written for fields of times: what the library takes. */
export function withTimes(list: CriteriaList, fields: readonly TimeField[]): CriteriaList {
  const units = new Map(fields.map(({ name, unit }) => [name, unit]));
  return list.map((element) => {
    if (!isRow(element)) return Array.isArray(element) ? withTimes(element, fields) : element;
    const [field, operator, value] = element;
    const unit = units.get(field);
    if (unit === undefined) return element;
    const read = (each: unknown): unknown =>
      typeof each === "string" && each.length >= 10
        ? (numberOf(each, operator, unit) ?? each)
        : each;
    const next = Array.isArray(value) ? value.map(read) : read(value);
    return isEqual(next, value) ? element : [field, operator, next];
  });
}

type TimeField = Pick<FieldInfo, "name" | "unit">;

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

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

/** A criterion with one of these operators is the choice of its facet, even if it was typed. */
const OF_A_CHART = [
  ...["exactly", "in", "has", "has_any"],
  ...["greater_than", "at_least", "less_than", "at_most"],
];
const OF_A_SEARCH = ["contains"];

function isOfFacet(part: Part, { field, kind }: Facet): part is readonly [CriterionRow] {
  const operators = kind === "search" ? OF_A_SEARCH : OF_A_CHART;
  const [row] = part;
  return part.length === 1 && isRow(row) && row[0] === field && operators.includes(row[1]);
}

/** The criteria without what a facet selects; `null` where a group then selects all. */
export function withoutFacet(list: CriteriaList, facet: Facet): CriteriaList | null {
  const groups = groupsOf(list).map((group) => group.filter((each) => !isOfFacet(each, facet)));
  return groups.some((group) => group.length === 0) ? null : joined(groups);
}

/** The criteria with another choice in a facet, in each of the groups. */
export function withFacet(
  list: CriteriaList,
  facet: Facet,
  choice: FacetChoice | undefined,
): CriteriaList {
  const chosen = choice === undefined ? [] : criteriaOf(facet, choice);
  const groups = groupsOf(list).map((group) => [
    ...group.filter((each) => !isOfFacet(each, facet)),
    ...chosen.map((row) => [row]),
  ]);
  // A group of nothing selects everything, and so do all of them together.
  return groups.some((group) => group.length === 0) ? [] : joined(groups);
}

function criteriaOf(facet: Facet, choice: FacetChoice): CriterionRow[] {
  const { field } = facet;
  if ("text" in choice) return choice.text === "" ? [] : [[field, "contains", choice.text]];
  if ("values" in choice) {
    const operator = facet.kind === "values" && facet.areElements === true ? "has_any" : "in";
    return choice.values.length === 0 ? [] : [[field, operator, choice.values]];
  }
  const { from, end } = choice;
  const hasAtLeast = facet.kind === "range" && facet.hasAtLeast;
  const lower: CriterionRow = hasAtLeast
    ? [field, "at_least", from]
    : [field, "greater_than", from - 1];
  const upper: CriterionRow = [field, "less_than", end];
  return [lower, upper].filter(([, , bound]) => Number.isFinite(bound));
}

/** What the criteria of the first group select in a facet. */
export function facetChoice(list: CriteriaList, facet: Facet): FacetChoice | undefined {
  const step = facet.kind === "range" ? facet.step : 0;
  let [from, end] = [-Infinity, Infinity];
  for (const part of groupsOf(list)[0] ?? []) {
    if (!isOfFacet(part, facet)) continue;
    const [[, operator, value]] = part;
    const bound = typeof value === "number" ? value : Number.parseFloat(typed(value));
    switch (operator) {
      case "contains":
        return { text: typed(value) };
      case "in":
      case "has_any":
        return { values: valuesOf(value) };
      case "has":
        return { values: valuesOf([value]) };
      case "exactly":
        if (facet.kind !== "range" || Number.isNaN(bound)) return { values: valuesOf([value]) };
        from = Math.max(from, bound);
        end = Math.min(end, bound + step);
        break;
      case "greater_than":
        from = Math.max(from, bound + step);
        break;
      case "at_least":
        from = Math.max(from, bound);
        break;
      case "less_than":
        end = Math.min(end, bound);
        break;
      default:
        end = Math.min(end, bound + step);
    }
  }
  // A bound that is not a number selects nothing.
  return (from === -Infinity && end === Infinity) || Number.isNaN(from + end)
    ? undefined
    : { from, end };
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
  return /,\s*$/.test(text) ? values : values.slice(0, Math.max(1, values.length - 1));
}

/** The text of a value that criteria compare. */
export function textFormOf(value: Scalar): string | null {
  return value === null ? null : String(value);
}
