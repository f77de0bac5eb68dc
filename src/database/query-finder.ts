// Finds the live queries that select a record. Queries that require a value, an element of an array, a part of a string
// or a range in a field are looked up by it. Their predicates decide, as those of all other queries do.

import { requiredText, type IntervalBounds } from "../criteria/bounds.ts";
import { predicateOf, testsOfRecords } from "../criteria/compile.ts";
import { CriteriaError, readCriteria } from "../criteria/parse.ts";
import { isNested, type ParsedCriteria, type ParsedCriterion } from "../criteria/tree.ts";
import { IntervalTree } from "../engine/algorithms/interval-tree.ts";
import { compareSortValues, sortValueOf } from "../engine/execution/value-groups.ts";
import type { SortValue } from "../engine/versions/sort-order.ts";
import type { FieldType, TextValue } from "../schema/field.ts";
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

export class QueryFinder {
  readonly schema: Schema;
  readonly #source: string;
  readonly #selects = new Map<LiveQuery, (record: AnyRecord) => boolean>();
  readonly #byField = new Map<string, RequiringField>();
  /** The queries that require nothing. */
  readonly #others = new Set<LiveQuery>();

  /** @param source of the records */
  constructor(schema: Schema, source: string, queries: Iterable<LiveQuery>) {
    this.schema = schema;
    this.#source = source;
    for (const query of queries) this.add(query);
  }

  add(query: LiveQuery): void {
    const criteria = this.#criteriaOf(query);
    this.#selects.set(
      query,
      criteria === undefined ? () => true : predicateOf(criteria, testsOfRecords(this.schema)),
    );
    const required = criteria && requirementsOf(criteria);
    if (required === undefined) this.#others.add(query);
    for (const each of required ?? []) this.#requiring(each.field).add(each, query);
  }

  delete(query: LiveQuery): void {
    this.#selects.delete(query);
    this.#others.delete(query);
    for (const requiring of this.#byField.values()) requiring.delete(query);
  }

  /** The queries that select a record. */
  selecting(record: AnyRecord): Set<LiveQuery> {
    const found = new Set<LiveQuery>();
    const test = (query: LiveQuery) => {
      if (!found.has(query) && this.#selects.get(query)?.(record) === true) found.add(query);
    };
    for (const requiring of this.#byField.values()) requiring.visit(record, test);
    this.#others.forEach(test);
    return found;
  }

  /** The criteria of a query; `undefined` if they can't be compiled, which running the query will report. */
  #criteriaOf({ sources, options }: LiveQuery): ParsedCriteria | undefined {
    try {
      return readCriteria(this.schema, sources.get(this.#source), options);
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
  readonly #byInterval = new IntervalTree<SortValue, LiveQuery>(compareSortValues);

  constructor(schema: Schema, field: string) {
    this.#type = fieldOf(schema, field)?.type;
    this.#read = schema.readerOf(field);
  }

  add(required: Requirement, query: LiveQuery): void {
    switch (required.kind) {
      case "values":
        for (const value of required.keys) this.#byValue.add(value, query);
        return;
      case "elements":
        for (const element of required.keys) this.#byElement.add(element, query);
        return;
      case "text":
        this.#byPart.add(this.#byPart.rarest(partsOf(required.text)), query);
        return;
      case "interval": {
        const { limits } = required;
        const lower = limits.find(({ comparison }) => comparison.startsWith(">"));
        const upper = limits.find(({ comparison }) => comparison.startsWith("<"));
        this.#byInterval.add(lower?.bound, upper?.bound, query);
      }
    }
  }

  delete(query: LiveQuery): void {
    this.#byValue.delete(query);
    this.#byElement.delete(query);
    this.#byPart.delete(query);
    this.#byInterval.delete(query);
  }

  /** Visits the queries whose requirements a record may meet, some of them more than once. */
  visit(record: AnyRecord, visit: (query: LiveQuery) => void): void {
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
  readonly #byKey = new Map<TextValue, Set<LiveQuery>>();
  readonly #keys = new Map<LiveQuery, TextValue[]>();

  get size(): number {
    return this.#keys.size;
  }

  add(key: TextValue, query: LiveQuery): void {
    const queries = this.#byKey.get(key);
    if (queries === undefined) this.#byKey.set(key, new Set([query]));
    else queries.add(query);
    const keys = this.#keys.get(query);
    if (keys === undefined) this.#keys.set(query, [key]);
    else keys.push(key);
  }

  delete(query: LiveQuery): void {
    for (const key of this.#keys.get(query) ?? []) {
      const queries = this.#byKey.get(key);
      if (queries?.delete(query) === true && queries.size === 0) this.#byKey.delete(key);
    }
    this.#keys.delete(query);
  }

  visit(key: TextValue, visit: (query: LiveQuery) => void): void {
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
