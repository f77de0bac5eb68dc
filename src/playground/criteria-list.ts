// Criteria as the page edits them: a list, as JSON has it, which may hold anything while it is being
// written. Rows and text are two views of it, and facets change it.

/** Three elements, `"OR"`, or whatever somebody wrote instead. */
export type CriteriaList = readonly unknown[];

export type CriterionRow = readonly [field: string, operator: string, value: unknown];

/** Whether it can be shown as a row; what can't stands as text. */
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

/** @throws Error where the text is not a JSON array */
export function fromText(text: string): CriteriaList {
  if (text.trim() === "") return [];
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) throw new Error("criteria are an array, of criteria and of “OR”");
  return parsed;
}

/** The list with one element changed; with `undefined`, without it, nor an "OR" that joins nothing. */
export function withElement(list: CriteriaList, at: number, element: unknown): CriteriaList {
  if (element !== undefined) return list.map((each, i) => (i === at ? element : each));
  return joined(groupsOf(list.map((each, i) => (i === at ? undefined : each))));
}

/** The groups of which one must hold. What was taken out is `undefined`. */
function groupsOf(list: CriteriaList): unknown[][] {
  const groups: unknown[][] = [[]];
  for (const element of list) {
    if (element === "OR") groups.push([]);
    else if (element !== undefined) groups.at(-1)?.push(element);
  }
  return groups;
}

function joined(groups: readonly (readonly unknown[])[]): CriteriaList {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, i) => (i === 0 ? group : ["OR", ...group]));
}

/** What a facet selects: some values, or the integers from one to another, both included; either may be infinite. */
export type FacetChoice =
  { readonly values: readonly (string | null)[] } | { readonly from: number; readonly to: number };

const OF_A_FACET = new Set(["in", "greater_than", "less_than"]);

const isOfFacet = (element: unknown, field: string): boolean =>
  isRow(element) && element[0] === field && OF_A_FACET.has(element[1]);

/** The criteria without what the facet of a field selects; `null` where a group then selects all. */
export function withoutFacet(list: CriteriaList, field: string): CriteriaList | null {
  const groups = groupsOf(list).map((group) => group.filter((each) => !isOfFacet(each, field)));
  return groups.some((group) => group.length === 0) ? null : joined(groups);
}

/** The criteria with another choice in the facet of a field, in each of the groups. */
export function withFacet(
  list: CriteriaList,
  field: string,
  choice: FacetChoice | undefined,
): CriteriaList {
  const chosen = choice === undefined ? [] : criteriaOf(field, choice);
  const groups = groupsOf(list).map((group) => [
    ...group.filter((each) => !isOfFacet(each, field)),
    ...chosen,
  ]);
  // A group of nothing selects everything, and so do all of them together.
  return groups.some((group) => group.length === 0) ? [] : joined(groups);
}

function criteriaOf(field: string, choice: FacetChoice): CriterionRow[] {
  if ("values" in choice) return choice.values.length === 0 ? [] : [[field, "in", choice.values]];
  const from: CriterionRow = [field, "greater_than", choice.from - 1];
  const to: CriterionRow = [field, "less_than", choice.to + 1];
  return [from, to].filter(([, , bound]) => Number.isFinite(bound));
}

/** What the criteria of the first group select in the facet of a field. */
export function facetChoice(list: CriteriaList, field: string): FacetChoice | undefined {
  let [from, to] = [-Infinity, Infinity];
  for (const element of groupsOf(list)[0] ?? []) {
    if (!isRow(element) || !isOfFacet(element, field)) continue;
    const [, operator, value] = element;
    if (operator === "in") return { values: valuesOf(value) };
    const bound = Number(value);
    if (operator === "greater_than") from = Math.max(from, bound + 1);
    else to = Math.min(to, bound - 1);
  }
  return from === -Infinity && to === Infinity ? undefined : { from, to };
}

function valuesOf(value: unknown): (string | null)[] {
  if (Array.isArray(value)) {
    return value.map((each: unknown) =>
      typeof each === "string" || each === null ? each : JSON.stringify(each),
    );
  }
  return typeof value === "string" ? value.split(",") : [];
}
