// The ways to answer the criteria on one field of a group together: by the codes of its index, by trigrams, or by
// testing values; and the filter that does the same for rows from another source.

import { lowestRow } from "../algorithms/bitset.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { positiveOf, requiredText, type Bounds } from "../../criteria/bounds.ts";
import {
  isNegated,
  onlyCriterion,
  oppositeOf,
  type CriteriaGroup,
  type ParsedCriterion,
} from "../../criteria/tree.ts";
import { complement, countCodes, intersect, onlyRange, type CodeSet } from "../indexes/code-set.ts";
import { keepAfter, scanAfter } from "../operators/after.ts";
import { rowsOfCodes } from "../operators/bitmap-scan.ts";
import { complementOfPlan, removePlan } from "../operators/complement.ts";
import { costs } from "../operators/costs.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { IndexName } from "../indexes/index-names.ts";
import { kindNames, type IndexKind, type IndexOf } from "../indexes/kinds.ts";
import { candidatesOf } from "../operators/trigrams.ts";
import { searchFilter, testFilter } from "../operators/test-values.ts";
import type { SelectedCodes } from "../operators/operator.ts";
import {
  PRESORTED,
  type FilterPlan,
  type Paging,
  type Plan,
  type SourcePlan,
} from "../operators/plan.ts";
import { rowsOfSet } from "../operators/row-set.ts";
import { FoundCodes, isSearch, RowSet, textOf, type Search } from "../cache/search.ts";
import { UNLIMITED } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import { TRIGRAM_LENGTH, type Posting } from "../indexes/postings.ts";
import { intersection, joinPostings, type TrigramIndex } from "../indexes/trigram-index.ts";
import { planWithCost } from "./cost.ts";

/** One way to answer some criteria on one field together. */
export interface Access {
  /** At least one of the groups must hold completely. */
  readonly groups: readonly CriteriaGroup[];
  /** Keep the rows of another source that satisfy the criteria. */
  readonly filters: readonly FilterPlan[];
  /** An equivalent filter that makes the set of all such rows first, for rows read in an order. */
  readonly setFilter?: FilterPlan | undefined;
  /** The rows that may satisfy the criteria. */
  readonly source?: (() => SourcePlan) | undefined;
  /** The filters that the rows of `source` have yet to pass. Default: none. */
  readonly verifying?: readonly FilterPlan[] | undefined;
  /** The codes of the values that satisfy the criteria. */
  readonly codes?: Selection | undefined;
  /** The plan of the rows that do not satisfy the criteria, if it is known how to find them. */
  readonly opposite?: Plan | undefined;
}

export type CodeAccess = Access & { readonly codes: Selection };

/** Some codes of an index, and how many rows have them. */
export interface Selection extends SelectedCodes {
  readonly rows: number;
}

/** The assumed share of rows with all trigrams of a string that contain the string. */
const TRUE_CANDIDATES = 0.95;

/**
 * The assumed share of rows that a criterion selects, if no index gives it; for a negated criterion, one minus this.
 */
const GUESS = 0.1;

const guessOf = (criterion: ParsedCriterion): number => (isNegated(criterion) ? 1 - GUESS : GUESS);

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

/** The minimum number of rows that any access leaves, as far as indexes give it. */
export const rowsLeft = ({ size }: Segment, accesses: readonly Access[], rows = size): number =>
  accesses.reduce((least, { codes, setFilter }) => {
    const left = codes?.rows ?? (setFilter ? setFilter.selectivity * size : least);
    return Math.min(least, left);
  }, rows);

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

/** A kind of index for criteria that the order of values does not determine. */
type NarrowingKind = Exclude<IndexKind, "ordered">;

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

const narrowingKinds = kindNames.filter((kind) => kind !== "ordered");

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

/** The way to select the rows that a plan does not. @param filters the same row by row */
export function complementAccess(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  opposite: Plan,
  filters: readonly FilterPlan[],
): Access {
  return {
    groups,
    filters,
    setFilter: removePlan(segment, groups, opposite),
    source: () => complementOfPlan(segment, groups, opposite),
    opposite,
  };
}

/** No page, but every row. */
export const everyRow = (deadline: Deadline | undefined): Paging => ({
  sort: undefined,
  offset: 0,
  limit: UNLIMITED,
  afterKey: -1,
  deadline,
});

/** The cached rows of a search. */
export function keptRows(
  { cache, rows, size }: Segment,
  groups: readonly CriteriaGroup[],
): SourcePlan | undefined {
  const search = onlySearch({ groups });
  if (search === undefined) return undefined;
  const set = cache.get(RowSet, rows, search.field, textOf(search));
  return set && rowsOfSet(size, [[search]], set);
}

/** Answers criteria by codes of an index. */
export function codeAccess(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  index: FieldIndex,
  set: CodeSet,
  rows = index.count(set),
): Access {
  const codes: Selection = { index, set, rows };
  const source = () => rowsOfCodes(segment, groups, codes);
  return { groups, codes, filters: [codePlan(segment, groups, codes)], source };
}

function substringAccess(
  segment: Segment,
  ordered: FieldIndex,
  criteria: readonly ParsedCriterion[],
  trigrams: TrigramIndex,
  page: Paging,
  most: number,
): Access {
  const all = joinPostings(
    criteria.map((criterion) => trigrams.postings(requiredText(criterion.bounds))),
  );
  // Any plan of a page in an order, or of all rows, needs the candidates. Where other criteria leave few rows, testing
  // these may take less time; and a page in insertion order is full before all candidates are found.
  const finding = all.length * segment.size * costs.bitsetRow;
  const isNeeded = page.sort !== undefined || page.limit === UNLIMITED;
  const postings =
    isNeeded && finding <= most * costs.valueTest ? [intersection(all, page.deadline)] : all;
  const { count, bits } = postings[0]!;
  const share =
    page.sort === undefined || page.limit === UNLIMITED || ordered.areCodesInPieces
      ? TRUE_CANDIDATES
      : shareOfCandidates(segment, ordered, criteria, postings[0]!);
  const narrowing: FilterPlan = {
    step: { path: "trigrams", postings, groups: [criteria] },
    unbuiltIndexes: [],
    selectivity: count / Math.max(1, segment.size),
    setUp:
      (bits === undefined ? count * costs.trigramRow : 0) +
      postings.length * segment.size * costs.bitsetRow,
    perRow: costs.codeTest,
    randomAccessCost: costs.scatteredBit,
  };
  const searched = ordered.findsTexts ? ordered : undefined;
  const verifying = criteria.map((criterion, i) =>
    testPlan(criterion, i === 0 ? share : TRUE_CANDIDATES, undefined, searched),
  );
  const source = () => candidatesOf([criteria], postings);
  return { groups: [criteria], filters: [narrowing, ...verifying], source, verifying };
}

/** How many candidates are tested before a plan is chosen. Up to as many are tested faster than rows are read in order. */
const TESTED_CANDIDATES = 64;

/** The share of candidates that satisfies some criteria, judging by a few. */
function shareOfCandidates(
  segment: Segment,
  ordered: FieldIndex,
  criteria: readonly ParsedCriterion[],
  candidates: Posting,
): number {
  const { count } = candidates;
  if (count <= TESTED_CANDIDATES) return TRUE_CANDIDATES;
  const some = spread(candidates, TESTED_CANDIDATES);
  const kept = criteria.reduce((length, criterion) => {
    const filter = ordered.findsTexts
      ? searchFilter(ordered, criterion)
      : testFilter(segment.schema, segment.rows, criterion);
    return filter.keep(some, length);
  }, some.length);
  // Even if none is, one in twice as many may be.
  return Math.min(TRUE_CANDIDATES, (kept + 0.5) / some.length);
}

/** Some rows of a posting, from all over it. */
function spread({ count, bits, rows }: Posting, some: number): Uint32Array {
  if (bits === undefined) {
    const all = rows;
    return Uint32Array.from({ length: some }, (_, i) => all[Math.floor((i * count) / some)]!);
  }
  const found: number[] = [];
  const step = Math.max(1, Math.floor(bits.length / some));
  for (let first = 0; first < step && found.length < some; first++) {
    for (let word = first; word < bits.length && found.length < some; word += step) {
      if (bits[word] !== 0) found.push(lowestRow(word, bits[word]!));
    }
  }
  return Uint32Array.from(found).sort();
}

function codePlan(
  segment: Segment,
  groups: readonly CriteriaGroup[],
  { index, set, rows }: Selection,
): FilterPlan {
  return {
    step: { path: "codes", index, groups, set, rows },
    unbuiltIndexes: [],
    selectivity: rows / Math.max(1, segment.size),
    setUp: onlyRange(set) === undefined ? index.values.length * costs.bitsetRow : 0,
    perRow: costs.codeTest,
    randomAccessCost: 0,
  };
}

function testAccess(
  criterion: ParsedCriterion,
  unbuilt: IndexName | undefined,
  {
    share = guessOf(criterion),
    index,
  }: { readonly share?: number; readonly index?: FieldIndex } = {},
): Access {
  const filter = testPlan(criterion, share, unbuilt, index);
  return { groups: [[criterion]], filters: [filter] };
}

function testPlan(
  criterion: ParsedCriterion,
  selectivity: number,
  unbuilt: IndexName | undefined,
  searched?: FieldIndex,
): FilterPlan {
  return {
    step: { path: "test", groups: [[criterion]], criterion, searched },
    unbuiltIndexes: unbuilt === undefined ? [] : [unbuilt],
    selectivity,
    setUp: 0,
    perRow: costs.valueTest,
    randomAccessCost: costs.scatteredTest,
  };
}

/** Skips the rows before a page that begins after a key. */
export function afterAccess(segment: Segment, key: number): Access {
  return {
    groups: [[]],
    filters: [keepAfter(segment, key)],
    source: () => scanAfter(segment, key),
  };
}

/** The search in groups of criteria, if they contain nothing else. */
export function onlySearch({ groups }: Pick<Access, "groups">): Search | undefined {
  const criterion = onlyCriterion(groups);
  return criterion !== undefined && isSearch(criterion) ? criterion : undefined;
}

export function isByCodes(access: Access): access is CodeAccess {
  return access.codes !== undefined;
}

/** The criteria of accesses that must all hold, as groups. */
export function groupsOfAll(accesses: readonly Access[]): readonly CriteriaGroup[] {
  const [only] = accesses;
  if (only !== undefined && accesses.length === 1) return only.groups;
  return [accesses.flatMap(({ groups }) => (groups.length === 1 ? groups[0]! : [{ groups }]))];
}

/** The filters of all accesses, or of all except the source. */
export function filtersOf(accesses: readonly Access[], source?: Access): FilterPlan[] {
  const filters: FilterPlan[] = [];
  for (const access of accesses) if (access !== source) filters.push(...access.filters);
  return filters;
}

/** The same with sets instead of filters where that is possible; `undefined` if it is nowhere. */
export function setFiltersOf(
  accesses: readonly Access[],
  source?: Access,
): FilterPlan[] | undefined {
  const isBySet = ({ setFilter }: Access) => setFilter !== undefined;
  if (!accesses.some((access) => access !== source && isBySet(access))) return undefined;
  return accesses.flatMap((access) =>
    access === source ? [] : access.setFilter === undefined ? access.filters : [access.setFilter],
  );
}
