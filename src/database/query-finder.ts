// Finds the live queries that select a record. Queries that require a value, an element of an array, a part of a string
// or a range in a field are looked up by it. Their predicates decide, as those of all other queries do.

import { requiredText, type IntervalBounds } from "../criteria/bounds.ts";
import { predicateOf, testsOfRecords } from "../criteria/compile.ts";
import { CriteriaError } from "../criteria/criteria-error.ts";
import { readCriteria } from "../criteria/parse.ts";
import { isNested, type ParsedCriteria, type ParsedCriterion } from "../criteria/tree.ts";
import { IntervalTree } from "../engine/algorithms/interval-tree.ts";
import { compareSortValues, sortValueOf } from "../engine/execution/value-groups.ts";
import type { SortValue } from "../engine/versions/sort-order.ts";
import {
  comparisonText,
  textFormOfStored,
  type FieldType,
  type TextValue,
} from "../schema/field.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import { fieldOf } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import { parseStrings } from "../schema/strings.ts";
import type { LiveQuery } from "./live-query.ts";

/** A field, and what every selected record has in it. */
type Requirement = { readonly field: string } & (
  | { readonly kind: "values"; readonly keys: readonly TextValue[] }
  | { readonly kind: "elements"; readonly keys: readonly string[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "interval"; readonly limits: IntervalBounds["limits"] }
);

/** Those that fewer records meet come first. */
const PREFERENCE: readonly Requirement["kind"][] = ["values", "elements", "text", "interval"];

/** The length of the parts of strings by which queries are found. */
const PART = 3;

/** A query that may select a record. */
class Candidate {
  readonly query: LiveQuery;
  readonly selects: (record: AnyRecord) => boolean;
  /** The number of the last search that came across it. */
  search = 0;

  constructor(query: LiveQuery, selects: (record: AnyRecord) => boolean) {
    this.query = query;
    this.selects = selects;
  }
}

export class QueryFinder {
  readonly schema: Schema;
  readonly #candidates = new Map<LiveQuery, Candidate>();
  readonly #byField = new Map<string, RequiringField>();
  /** The queries that require nothing. */
  readonly #others = new Set<Candidate>();
  #searches = 0;

  constructor(schema: Schema, queries: Iterable<LiveQuery>) {
    this.schema = schema;
    for (const query of queries) this.add(query);
  }

  add(query: LiveQuery): void {
    const criteria = this.#criteriaOf(query);
    const candidate = new Candidate(
      query,
      criteria === undefined ? () => true : predicateOf(criteria, testsOfRecords(this.schema)),
    );
    this.#candidates.set(query, candidate);
    const required = criteria && requirementsOf(criteria);
    if (required === undefined) this.#others.add(candidate);
    for (const each of required ?? []) this.#requiring(each.field).add(each, candidate);
  }

  delete(query: LiveQuery): void {
    const candidate = this.#candidates.get(query);
    if (candidate === undefined) return;
    this.#candidates.delete(query);
    this.#others.delete(candidate);
    for (const requiring of this.#byField.values()) requiring.delete(candidate);
  }

  /**
   * Visits the queries that select a record before or after a change.
   *
   * @param before the record; `undefined` if it was added
   * @param after the record; `undefined` if it was removed
   */
  visit(
    before: AnyRecord | undefined,
    after: AnyRecord | undefined,
    visit: (query: LiveQuery, isBefore: boolean, isAfter: boolean) => void,
  ): void {
    const left = before === undefined ? [] : this.#selecting(before);
    const entered = after === undefined ? [] : this.#selecting(after);
    const search = ++this.#searches;
    for (const candidate of entered) candidate.search = search;
    for (const candidate of left) {
      const stays = candidate.search === search;
      candidate.search = 0;
      visit(candidate.query, true, stays);
    }
    for (const { query, search: found } of entered) {
      if (found === search) visit(query, false, true);
    }
  }

  #selecting(record: AnyRecord): readonly Candidate[] {
    const found: Candidate[] = [];
    const search = ++this.#searches;
    const test = (candidate: Candidate) => {
      if (candidate.search === search) return;
      candidate.search = search;
      if (candidate.selects(record)) found.push(candidate);
    };
    for (const requiring of this.#byField.values()) requiring.visit(record, test);
    this.#others.forEach(test);
    return found;
  }

  /** The criteria of a query; `undefined` if they can't be compiled, which running the query will report. */
  #criteriaOf({ criteria, options }: LiveQuery): ParsedCriteria | undefined {
    try {
      return readCriteria(this.schema, criteria, options);
    } catch (error) {
      if (error instanceof CriteriaError) return undefined;
      throw error;
    }
  }

  #requiring(field: string): RequiringField {
    let requiring = this.#byField.get(field);
    if (requiring === undefined) {
      requiring = new RequiringField(this.schema, field);
      this.#byField.set(field, requiring);
    }
    return requiring;
  }
}

/** The queries that require something in one field. */
class RequiringField {
  readonly #type: FieldType | undefined;
  readonly #read: (record: AnyRecord) => TextValue;
  readonly #byValue = new QueriesByKey();
  readonly #byElement = new QueriesByKey();
  /** By a part of the text that they require. */
  readonly #byPart = new QueriesByKey();
  readonly #byInterval = new IntervalTree<SortValue, Candidate>(compareSortValues);

  constructor(schema: Schema, field: string) {
    const described = fieldOf(schema, field);
    this.#type = described?.type;
    // The records are flat: they have the values of computed fields, which may be those of an earlier version.
    this.#read =
      described === undefined || schema.form !== "values"
        ? schema.readerOf(field)
        : (record) => comparisonText(described, textFormOfStored(described, record[field] ?? null));
  }

  add(required: Requirement, candidate: Candidate): void {
    switch (required.kind) {
      case "values":
        for (const value of required.keys) this.#byValue.add(value, candidate);
        return;
      case "elements":
        for (const element of required.keys) this.#byElement.add(element, candidate);
        return;
      case "text":
        this.#byPart.add(this.#byPart.rarest(partsOf(required.text)), candidate);
        return;
      case "interval": {
        const { limits } = required;
        const lower = limits.find(({ comparison }) => comparison.startsWith(">"));
        const upper = limits.find(({ comparison }) => comparison.startsWith("<"));
        this.#byInterval.add(lower?.bound, upper?.bound, candidate);
      }
    }
  }

  delete(candidate: Candidate): void {
    this.#byValue.delete(candidate);
    this.#byElement.delete(candidate);
    this.#byPart.delete(candidate);
    this.#byInterval.delete(candidate);
  }

  /** Visits the queries whose requirements a record may meet, some of them more than once. */
  visit(record: AnyRecord, visit: (candidate: Candidate) => void): void {
    const value = this.#read(record);
    this.#byValue.visit(value, visit);
    if (value === null || this.#type === undefined) return;
    if (this.#byElement.size > 0) {
      for (const element of parseStrings(value)) this.#byElement.visit(element, visit);
    }
    if (this.#byPart.size > 0) {
      for (const part of partsOf(value)) this.#byPart.visit(part, visit);
    }
    if (this.#byInterval.size > 0) this.#byInterval.visit(sortValueOf(this.#type, value), visit);
  }
}

class QueriesByKey {
  readonly #byKey = new Map<TextValue, Set<Candidate>>();
  readonly #keys = new Map<Candidate, TextValue[]>();

  get size(): number {
    return this.#keys.size;
  }

  add(key: TextValue, candidate: Candidate): void {
    const queries = this.#byKey.get(key);
    if (queries === undefined) this.#byKey.set(key, new Set([candidate]));
    else queries.add(candidate);
    const keys = this.#keys.get(candidate);
    if (keys === undefined) this.#keys.set(candidate, [key]);
    else keys.push(key);
  }

  delete(candidate: Candidate): void {
    for (const key of this.#keys.get(candidate) ?? []) {
      const queries = this.#byKey.get(key);
      if (queries?.delete(candidate) === true && queries.size === 0) this.#byKey.delete(key);
    }
    this.#keys.delete(candidate);
  }

  visit(key: TextValue, visit: (candidate: Candidate) => void): void {
    this.#byKey.get(key)?.forEach(visit);
  }

  /** The key that the fewest queries have. */
  rarest(keys: readonly string[]): string {
    const count = (key: string) => this.#byKey.get(key)?.size ?? 0;
    return keys.reduce((a, b) => (count(b) < count(a) ? b : a));
  }
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let i = 0; i + PART <= text.length; i++) parts.push(text.slice(i, i + PART));
  return parts;
}

/** Requirements, one of which every selected record meets; `undefined` if there are none. */
function requirementsOf({ groups }: ParsedCriteria): readonly Requirement[] | undefined {
  const all: Requirement[] = [];
  for (const group of groups) {
    const [best] = group
      .flatMap((part) => {
        const found = isNested(part) ? requirementsOf(part) : requirementOf(part);
        return found === undefined ? [] : [found];
      })
      .sort((a, b) => rankOf(a) - rankOf(b));
    if (best === undefined) return undefined;
    all.push(...best);
  }
  return all;
}

/** The rank of the requirement that most records meet. */
const rankOf = (requirements: readonly Requirement[]): number =>
  Math.max(-1, ...requirements.map(({ kind }) => PREFERENCE.indexOf(kind)));

function requirementOf({ field, bounds }: ParsedCriterion): readonly Requirement[] | undefined {
  if (bounds.kind === "values") {
    return bounds.inside ? [{ field, kind: "values", keys: bounds.values }] : undefined;
  }
  if (bounds.kind === "elements") {
    const { elements, areAll } = bounds;
    if (!areAll) return [{ field, kind: "elements", keys: elements }];
    // Each of them is required, so one is enough to find the query.
    return elements.length === 0
      ? undefined
      : [{ field, kind: "elements", keys: elements.slice(0, 1) }];
  }
  if (bounds.kind === "interval") return [{ field, kind: "interval", limits: bounds.limits }];
  const text = requiredText(bounds);
  return text.length < PART ? undefined : [{ field, kind: "text", text }];
}
