// Tables of groups: what records are grouped by, what is computed of each group, and how a link says so.

import { bothOf, isChosen, isScalar, type FacetChoice } from "./criteria-list.ts";
import { BOUNDS, MEASURES, ORDERS, PARTS, SHOWS, STEPS } from "./group-types.ts";
import type { GroupBy, Measure, Part } from "./group-types.ts";
import type { Facet, FieldInfo, Loaded, RangeFacet } from "./messages.ts";

export * from "./group-types.ts";

/** Weekdays in the order of their numbers. */
export const WEEKDAYS = "Monday,Tuesday,Wednesday,Thursday,Friday,Saturday,Sunday".split(",");

export const isNumber = ({ type }: Pick<FieldInfo, "type">): boolean =>
  type === "int" || type === "float";

/** How far apart the numbers of a field are: 1 for integers, 0 for fractions; `undefined` if they are no numbers. */
export const stepOf = (type: FieldInfo["type"]): 0 | 1 | undefined =>
  type === "int" ? 1 : type === "float" ? 0 : undefined;

type Timed = Pick<FieldInfo, "type" | "unit"> & Partial<Pick<FieldInfo, "form">>;

/** Dates have none of these. */
const CLOCK_PARTS: readonly Part[] = ["hour", "5 minutes", "minute", "hourOfDay"];

/** What a field can be grouped by; nothing for JSON. A record is in the group of each of its strings. */
export function partsOf({ type, unit, form }: Timed): readonly Part[] {
  if (type === "json") return [];
  if (unit !== undefined) {
    const all = [...STEPS, "weekday", "hourOfDay", "value"] as const;
    return form?.separator === "" ? all.filter((part) => !CLOCK_PARTS.includes(part)) : all;
  }
  return isNumber({ type }) ? ["range", "log", "value"] : ["value"];
}

/** Whether a field has what a measure takes: any values, or numbers that are no times. */
export const canMeasure = (measure: Measure, field: Pick<FieldInfo, "type" | "unit">): boolean =>
  measure === "distinct" ? field.type !== "json" : isNumber(field) && field.unit === undefined;

/** Whether a record can be in several groups. */
export const isInSeveral = ({ type }: Pick<FieldInfo, "type">): boolean => type === "strings";

/** Parts that are read in their own order. */
export const isOrdered = (part: Part): boolean => part !== "value";

/** Groups by the field that looks most like one for it: that of the fewest values, or else the first. */
export function firstGroup({ fields, facets }: Pick<Loaded, "fields" | "facets">) {
  const can = fields
    .filter((each) => partsOf(each).length > 0)
    .sort((a, b) => Number(isInSeveral(a)) - Number(isInSeveral(b)));
  const few = facets
    .flatMap((facet) => (facet.kind === "values" ? [facet] : []))
    .sort((a, b) => a.distinct - b.distinct)
    .flatMap(({ field }) => can.filter(({ name, type }) => name === field && type === "string"));
  const field = few[0] ?? can[0];
  return field && groupedBy(field);
}

/** Groups of a field that count records, or measure what was measured before. */
export function groupedBy(
  field: Timed & Pick<FieldInfo, "name">,
  part?: Part,
  before: Partial<GroupBy> = {},
): GroupBy {
  const [first = "value"] = partsOf(field);
  // Ids are numbers that nobody wants in ranges, but then one click is enough.
  const chosen = part ?? (first === "year" ? "month" : first);
  return {
    measure: "count",
    of: "",
    where: undefined,
    least: 1,
    ...before,
    edges: undefined,
    by: field.name,
    part: chosen,
    order: isOrdered(chosen) ? "key" : "most",
  };
}

/** The facet in which a group is chosen. */
export function facetOfGroups({ by, part }: GroupBy, fields: readonly FieldInfo[]): Facet {
  const field = fields.find(({ name }) => name === by);
  if (field !== undefined && isOrdered(part) && part !== "weekday" && part !== "hourOfDay") {
    return rangeOf(field);
  }
  const areElements = field !== undefined && isInSeveral(field);
  const step = field && stepOf(field.type);
  return { kind: "values", field: by, values: [], distinct: 0, areElements, step };
}

/** A facet in which ranges of a field are chosen, though none is drawn. */
export const rangeOf = ({ name, type, unit, operators }: FieldInfo): RangeFacet => ({
  ...{ kind: "range", field: name, unit, from: 0, end: 0, bins: 1, edges: [], calendar: undefined },
  highest: 0,
  step: stepOf(type) ?? 0,
  hasAtLeast: operators.some((each) => each.selects === ">="),
});

/** Whether a group is chosen: by its values, or by a range that does not go beyond it. */
export function isWithin(group: FacetChoice, choice: FacetChoice | undefined): boolean {
  if (choice === undefined) return false;
  if ("from" in choice) {
    return "from" in group && choice.from >= group.from && choice.end <= group.end;
  }
  if (!("values" in choice)) return false;
  return "values" in group
    ? group.values.length > 0 && group.values.every((value) => isChosen(choice, value))
    : choice.values.some((value) => isChosen(group, value));
}

/**
 * The choice after a click on a group. One more value is added to others; otherwise nothing but the group stays
 * chosen, as far as it was, so that no other records are.
 */
export function toggled(
  choice: FacetChoice | undefined,
  group: FacetChoice,
): FacetChoice | undefined {
  if (choice === undefined) return group;
  const isTaken = isWithin(group, choice);
  if (!("values" in choice)) return isTaken ? undefined : bothOf(choice, group);
  if (isTaken) return { values: choice.values.filter((value) => !isChosen(group, value)) };
  return "values" in group ? { values: [...choice.values, ...group.values] } : choice;
}

/** As a link has it. */
export const groupsAsJson = (group: GroupBy): string => {
  const { by, part, measure, of, where, order, least, also, edges, having, then } = group;
  // The zone is that of the page.
  const second = then && { by: then.by, part: then.part, show: then.show };
  const more = { also, edges, having, then: second };
  const known = Object.values(more).some((each) => each !== undefined) ? [more] : [];
  const [field = 0, value = 0] = where ?? [];
  const pair = where === undefined && known.length === 0 ? [] : [field, value];
  return JSON.stringify([by, part, measure, of, order, least, ...pair, ...known]);
};

const hasKey = <Names extends object>(names: Names, name: unknown): name is keyof Names =>
  typeof name === "string" && Object.hasOwn(names, name);

/** `undefined` if the text is not that of a table of groups. */
export function groupsFromJson(text: string): GroupBy | undefined {
  const [by, part, measure, of, order, least, field, value, more] = membersIn(text);
  const known = PARTS.find((each) => each === part);
  if (typeof by !== "string" || known === undefined || typeof of !== "string") return undefined;
  if (!hasKey(MEASURES, measure) || !hasKey(ORDERS, order)) return undefined;
  if (typeof least !== "number" || !Number.isSafeInteger(least) || least < 1) return undefined;
  const where =
    typeof field === "string" && isScalar(value) ? ([field, value] as const) : undefined;
  return { by, part: known, measure, of, where, order, least, ...moreIn(Object(more) as object) };
}

const MOST_EDGES = 100;

/** What most tables of groups do not have, as far as it is valid. */
function moreIn(given: object): Pick<GroupBy, "also" | "edges" | "having" | "then"> {
  const { also, edges, having, then } = given as Readonly<Record<string, unknown>>;
  const [bound, value] = Array.isArray(having) ? (having as unknown[]) : [];
  const known = BOUNDS.find((each) => each === bound);
  const { by, part, show } = Object(then) as Readonly<Record<string, unknown>>;
  const cut = PARTS.find((each) => each === part);
  const isAscending =
    Array.isArray(edges) &&
    edges.length <= MOST_EDGES &&
    edges.every((each, i) => Number.isFinite(each) && (i === 0 || each > Number(edges[i - 1])));
  return {
    ...(Array.isArray(also) && {
      also: (Object.keys(MEASURES) as Measure[]).filter((each) => also.includes(each)),
    }),
    ...(isAscending && { edges: edges as readonly number[] }),
    ...(known && typeof value === "number" && { having: [known, value] }),
    ...(typeof by === "string" && cut && hasKey(SHOWS, show) && { then: { by, part: cut, show } }),
  };
}

function membersIn(text: string): readonly unknown[] {
  try {
    const members: unknown = JSON.parse(text);
    return Array.isArray(members) ? members : [];
  } catch {
    return [];
  }
}

/** Whether the fields of a table have what is grouped and measured. */
export function fits(group: GroupBy, fields: readonly FieldInfo[]): boolean {
  const { by, part, measure, of, where, then } = group;
  const fieldOf = (name: string) => fields.find((each) => each.name === name);
  const [field, measured] = [fieldOf(by), fieldOf(of)];
  if (field === undefined || !partsOf(field).includes(part)) return false;
  if (where !== undefined && fieldOf(where[0]) === undefined) return false;
  if (then !== undefined) {
    const second = fieldOf(then.by);
    if (second === undefined || !partsOf(second).includes(then.part)) return false;
    if (isInSeveral(second) && isInSeveral(field)) return false;
  }
  if (measure === "count") return true;
  return measured !== undefined && canMeasure(measure, measured);
}
