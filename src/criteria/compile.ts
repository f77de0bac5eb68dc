// From criteria to a predicate. The predicate is the meaning of criteria: whatever answers a query
// faster must answer it as the predicate does.

import type { WireValue } from "../schema/field.ts";
import type { Schema, SearchRecordOf, WireRecord } from "../schema/schema.ts";
import {
  parseCriteria,
  type CriteriaOptions,
  type ParsedCriteria,
  type ParsedCriterion,
} from "./parse.ts";

/** Whether a record is selected. Pure. */
export type Predicate<S extends Schema = Schema> = (record: SearchRecordOf<S>) => boolean;

/**
 * Compiles criteria to a predicate over records in wire form.
 *
 * @param input criteria as anyone may have sent them
 * @returns a pure function that says whether the criteria select a record; its cost grows with the
 *   number of criteria up to the first that decides
 * @throws CriteriaError with the position of the offending criterion and the reason
 */
export function compileCriteria<S extends Schema>(
  schema: S,
  input: unknown,
  options?: CriteriaOptions,
): Predicate<S> {
  return predicateOf<WireRecord>(
    parseCriteria(schema, input, options),
    (field) => (record) => record[field] ?? null,
  );
}

/** How the value of a field is read from what a predicate judges: a record, or a row number. */
export type ReaderOf<Subject> = (field: string) => (subject: Subject) => WireValue;

/** The predicate of parsed criteria over anything that fields can be read from. */
export function predicateOf<Subject>(
  { groups }: ParsedCriteria,
  readerOf: ReaderOf<Subject>,
): (subject: Subject) => boolean {
  return some(groups.map((group) => every(group.map((criterion) => one(criterion, readerOf)))));
}

type Test<Subject> = (subject: Subject) => boolean;

function one<Subject>(
  { field, test }: ParsedCriterion,
  readerOf: ReaderOf<Subject>,
): Test<Subject> {
  const read = readerOf(field);
  return (subject) => test(read(subject));
}

function every<Subject>(tests: readonly Test<Subject>[]): Test<Subject> {
  const [only] = tests;
  if (only === undefined) return () => true;
  if (tests.length === 1) return only;
  return (subject) => {
    for (const test of tests) if (!test(subject)) return false;
    return true;
  };
}

function some<Subject>(tests: readonly Test<Subject>[]): Test<Subject> {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (subject) => {
    for (const test of tests) if (test(subject)) return true;
    return false;
  };
}
