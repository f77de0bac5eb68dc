// The ways to answer the criteria on one field of a group together: by the codes of its index, by trigrams, or by
// testing values; and the filter that does the same for rows from another source.

import type { Deadline } from "../algorithms/deadline.ts";
import { positiveOf, requiredText, type Bounds } from "../../criteria/bounds.ts";
import { oppositeOf, type ParsedCriterion } from "../../criteria/tree.ts";
import { complement, countCodes, intersect, type CodeSet } from "../indexes/code-set.ts";
import { costs } from "../operators/costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { kindNames, type IndexKind, type IndexOf } from "../indexes/kinds.ts";
import { searchFilter } from "../operators/test-values.ts";
import {
  PRESORTED,
  type FilterPlan,
  type Paging,
  type Plan,
  type SourcePlan,
} from "../operators/plan.ts";
import { FoundCodes, isSearch, textOf } from "../cache/search.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { TRIGRAM_LENGTH } from "../indexes/postings.ts";
import { planWithCost } from "./cost.ts";
import {
  type Access,
  guessOf,
  rowsLeft,
  complementAccess,
  everyRow,
  keptRows,
  codeAccess,
  testAccess,
  testPlan,
} from "./access.ts";
import { substringAccess } from "./substring-access.ts";

/** How many rows are searched for a string before all values are. */
const FIRST_ROWS = 1024;

/** How much less than that search a scan must cost, since the string may be rarer in other rows than in the first. */
const CAUTION = 4;

/**
 * The ways to answer criteria that must all hold with the indexes that exist or are due.
 *
 * @param rows the maximum number of rows that other criteria leave
 * @throws DeadlineError
 */
export function accessesOf(
  segment: Segment,
  group: readonly ParsedCriterion[],
  page: Paging,
  rows = segment.size,
): Access[] {
  if (group.length === 1) return accessesOfField(segment, group, page, rows);
  const byField = new Map<string, ParsedCriterion[]>();
  for (const criterion of group) {
    const criteria = byField.get(criterion.field);
    if (criteria === undefined) byField.set(criterion.field, [criterion]);
    else criteria.push(criterion);
  }
  const accesses: Access[] = [];
  // Searches come last: the fewer rows the others leave, the less worthwhile it is to search all values of a field.
  const fields = [...byField.values()];
  const isLast = (criteria: readonly ParsedCriterion[]) => criteria.some(isOnText);
  for (const criteria of [...fields.filter((each) => !isLast(each)), ...fields.filter(isLast)]) {
    accesses.push(...accessesOfField(segment, criteria, page, rowsLeft(segment, accesses, rows)));
  }
  return accesses;
}

const isOnText = ({ bounds }: ParsedCriterion): boolean => requiredText(positiveOf(bounds)) !== "";

/** @param criteria the criteria of a group on one field; not empty */
function accessesOfField(
  segment: Segment,
  criteria: readonly ParsedCriterion[],
  page: Paging,
  rows: number,
): Access[] {
  const { field } = criteria[0]!;
  const { deadline } = page;
  const index = segment.indexes.ordered(field, deadline);
  if (index === undefined) {
    return criteria.map((criterion) => testAccess(criterion, { kind: "ordered", field }));
  }
  if (criteria.length === 1) {
    // By far the most common case: nothing to combine.
    const criterion = criteria[0]!;
    const set = index.codesFor(criterion, deadline);
    if (set !== undefined) return [codeAccess(segment, [criteria], index, set)];
    const found = foundCodes(segment, index, criterion);
    if (found !== undefined) {
      return [codeAccess(segment, [criteria], index, found.set, found.rows)];
    }
  }
  const accesses: Access[] = [];
  const answeredByIndex: ParsedCriterion[] = [];
  const remaining: ParsedCriterion[] = [];
  let set: CodeSet | undefined;
  for (const criterion of criteria) {
    const own = index.codesFor(criterion, deadline) ?? foundCodes(segment, index, criterion)?.set;
    if (own === undefined) {
      remaining.push(criterion);
      continue;
    }
    answeredByIndex.push(criterion);
    set = set === undefined ? own : intersect(set, own, index.values.length);
    deadline?.check();
  }
  if (remaining.length > 0) {
    const { tested, others } = accessesOfTexts(segment, index, set, remaining, page, rows);
    accesses.push(...others);
    if (tested.length > 0) {
      set = testedCodes(segment, index, tested, set, deadline);
      answeredByIndex.push(...tested);
    }
  }
  if (set !== undefined) accesses.push(codeAccess(segment, [answeredByIndex], index, set));
  return accesses;
}

/**
 * The way to answer criteria that the order of an index does not determine: by an index of another kind, by testing
 * each distinct value, or by testing the value of each row.
 *
 * @param among the codes left by other criteria
 * @param rows the maximum number of rows that criteria on other fields leave
 */
function accessesOfTexts(
  segment: Segment,
  index: FieldIndex,
  among: CodeSet | undefined,
  criteria: readonly ParsedCriterion[],
  page: Paging,
  rows: number,
): { tested: readonly ParsedCriterion[]; others: readonly Access[] } {
  const { indexes, size } = segment;
  const { sort, offset, limit, deadline } = page;
  const { field } = criteria[0]!;
  const others: Access[] = [];
  let rest = criteria;
  for (const kind of narrowingKinds) {
    const existing = indexes.there(kind, field);
    const narrow = rest.filter(({ bounds }) => narrowings[kind].narrows(bounds, existing));
    const access =
      narrow.length === 0 ? undefined : accessBy(kind, segment, index, narrow, page, rows);
    if (access === undefined) continue;
    others.push(access);
    rest = rest.filter((criterion) => !narrow.includes(criterion));
  }
  rest = rest.filter((criterion) => {
    const opposite = oppositePlan(segment, index, criterion, deadline);
    if (opposite === undefined) return true;
    const share = 1 - opposite.rows / Math.max(1, size);
    const test = testPlan(criterion, share, undefined, index.findsTexts ? index : undefined);
    others.push(complementAccess(segment, [[criterion]], opposite, [test]));
    return false;
  });

  if (rest.length === 0) return { tested: rest, others };

  const need = sort === undefined ? offset + limit : Infinity;
  const { findsTexts } = index;
  const testing =
    countCodes(narrowed(segment, index, criteria, among)) *
    (findsTexts ? costs.textSearch : costs.distinctTest);
  /** Searching all values again and again does not help the next query. */
  const isTooLong = deadline?.isRetry === true && !deadline.hasTimeFor(testing * rest.length);
  const isCheaper = (share: number) => {
    if (isTooLong) return false;
    const scanned = Math.min(rows, need / share) * costs.valueTest;
    // Values in sort order are scattered in memory: testing them is worthwhile if they are much fewer than the rows.
    return findsTexts ? testing <= scanned * CAUTION : testing * 4 <= scanned;
  };
  const share =
    findsTexts && !isTooLong && !isCheaper(1)
      ? shareOfFirst(size, index, rest)
      : Math.min(...rest.map(guessOf));
  if (isCheaper(share)) {
    for (const criterion of rest) {
      const kind = kindFor(criterion);
      if (kind !== undefined) indexes.charge(kind, field, testing);
    }
    return { tested: rest, others };
  }
  for (const criterion of rest) {
    const kind = usesIndex(criterion, deadline) ? kindFor(criterion) : undefined;
    others.push(testAccess(criterion, kind && { kind, field }, findsTexts ? { index, share } : {}));
  }
  return { tested: [], others };
}

/** The cached codes of a criterion, or the complement of those of its opposite. */
function foundCodes(
  { cache }: Segment,
  index: FieldIndex,
  criterion: ParsedCriterion,
): Pick<FoundCodes, "set" | "rows"> | undefined {
  const search = isComplement(criterion) ? oppositeOf(criterion) : criterion;
  if (!isSearch(search)) return undefined;
  const found = cache.get(FoundCodes, index, search.field, textOf(search));
  if (found === undefined || search === criterion) return found;
  const set = complement(found.set, index.values.length);
  return { set, rows: index.rows - found.rows };
}

/**
 * Whether the criterion uses an index of another kind. A complement does not after a late query: only what filters find
 * out about each row helps the next one.
 */
const usesIndex = (criterion: ParsedCriterion, deadline: Deadline | undefined): boolean =>
  deadline?.isRetry !== true || !isComplement(criterion);

const isComplement = ({ bounds }: ParsedCriterion): boolean => bounds.kind === "complement";

/**
 * The codes of a set whose values satisfy all given criteria, found by testing each value. Those of a single search are
 * cached.
 *
 * This runs while planning, and not as an operator, because of what codes do for everything else: those of a field are
 * intersected and those of alternatives united, counts need no rows, and groups are counted by runs. Pages would not need
 * it: with the codes' number replaced by a guess, sorted pages took as long, since the search takes nearly all of the time.
 */
function testedCodes(
  segment: Segment,
  index: FieldIndex,
  criteria: readonly ParsedCriterion[],
  among: CodeSet | undefined,
  deadline: Deadline | undefined,
): CodeSet {
  const [search] = criteria;
  if (criteria.length === 1 && search !== undefined && isComplement(search)) {
    const others = testedCodes(segment, index, [oppositeOf(search)], among, deadline);
    const end = index.values.length;
    const set = complement(others, end);
    return among === undefined ? set : intersect(among, set, end);
  }
  const set = index.test(criteria, narrowed(segment, index, criteria, among), deadline);
  if (criteria.length === 1 && search !== undefined && isSearch(search) && among === undefined) {
    const found = new FoundCodes(search, set, index.count(set));
    segment.cache.put(found, index, search.field, textOf(search));
  }
  return set;
}

/**
 * The codes of a set that may satisfy some criteria. If an earlier search looked for a part of the string, as happens
 * with each letter a user types, only the codes it found remain.
 */
function narrowed(
  { cache }: Segment,
  index: FieldIndex,
  criteria: readonly ParsedCriterion[],
  among: CodeSet = [0, index.values.length],
): CodeSet {
  const searches = criteria.filter(isSearch);
  const [search] = searches;
  if (search === undefined) return among;
  let fewest: FoundCodes | undefined;
  for (const found of cache.all(FoundCodes, index, search.field)) {
    if (fewest !== undefined && fewest.rows <= found.rows) continue;
    if (searches.some((each) => found.has(each))) fewest = found;
  }
  return fewest === undefined ? among : intersect(among, fewest.set, index.values.length);
}

/**
 * The share of the first rows that satisfies some criteria: a page that is full among them needs no search of all
 * values.
 */
function shareOfFirst(
  size: number,
  index: FieldIndex,
  criteria: readonly ParsedCriterion[],
): number {
  const first = Uint32Array.from({ length: Math.min(size, FIRST_ROWS) }, (_, row) => row);
  const kept = criteria.reduce(
    (length, criterion) => searchFilter(index, criterion).keep(first, length),
    first.length,
  );
  return kept / Math.max(1, first.length);
}

/** The kinds of index that do not narrow the rows of a criterion. */
type OtherKind = "ordered" | "numbers" | "compound";

const others: readonly IndexKind[] = ["ordered", "numbers", "compound"] satisfies OtherKind[];

/** A kind of index for criteria that the order of values does not determine. */
type NarrowingKind = Exclude<IndexKind, OtherKind>;

/** How criteria use an index of this kind. */
interface Narrowing<Kind extends NarrowingKind> {
  /** Whether the index narrows the rows of a criterion. @param index if it exists */
  readonly narrows: (bounds: Bounds, index: IndexOf<Kind> | undefined) => boolean;
  readonly access: (
    segment: Segment,
    ordered: FieldIndex,
    criteria: readonly ParsedCriterion[],
    index: IndexOf<Kind>,
    page: Paging,
    most: number,
  ) => Access;
}

const narrowings: { readonly [Kind in NarrowingKind]: Narrowing<Kind> } = {
  trigram: {
    narrows(bounds, index) {
      const text = requiredText(bounds);
      if (text.length >= TRIGRAM_LENGTH) return true;
      // Uniting the rows of many trigrams takes time, and those of a frequent text are soon found.
      const count = index?.countOf(text);
      return count !== undefined && count * tuning.rarePart <= index!.all.rows;
    },
    access: substringAccess,
  },
};

const narrowingKinds = kindNames.filter((kind): kind is NarrowingKind => !others.includes(kind));

/** The first kind of index that narrows a criterion, or its opposite. @param indexes those that exist */
const kindFor = ({ bounds, field }: ParsedCriterion, indexes?: Segment["indexes"]) =>
  narrowingKinds.find((kind) =>
    narrowings[kind].narrows(positiveOf(bounds), indexes?.there(kind, field)),
  );

/** The way to answer criteria by an index of a kind, if the index exists or is due. @throws DeadlineError */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it ties the index to its kind
function accessBy<Kind extends NarrowingKind>(
  kind: Kind,
  segment: Segment,
  ordered: FieldIndex,
  criteria: readonly ParsedCriterion[],
  page: Paging,
  most: number,
): Access | undefined {
  const index = segment.indexes.of(kind, criteria[0]!.field, page.deadline);
  return index && narrowings[kind].access(segment, ordered, criteria, index, page, most);
}

/**
 * The plan of the rows that do not satisfy a criterion that the order of values does not determine, if an index of
 * another kind finds them or they are cached.
 *
 * @throws DeadlineError
 */
function oppositePlan(
  segment: Segment,
  index: FieldIndex,
  criterion: ParsedCriterion,
  deadline: Deadline | undefined,
): Plan | undefined {
  if (!isComplement(criterion) || !usesIndex(criterion, deadline)) return undefined;
  const opposite = oppositeOf(criterion);
  const planOf = (source: SourcePlan, filters: readonly FilterPlan[]) =>
    planWithCost(segment, source, filters, everyRow(deadline), PRESORTED);
  const kept = keptRows(segment, [[opposite]]);
  const kind = kindFor(criterion, segment.indexes);
  const access =
    kind && accessBy(kind, segment, index, [opposite], everyRow(deadline), segment.size);
  const source = access?.source?.();
  return kept === undefined ? source && planOf(source, access?.verifying ?? []) : planOf(kept, []);
}
