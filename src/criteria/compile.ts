// Compiles criteria to a predicate. The predicate defines the meaning of criteria: every plan must select the same
// records.

import { InputError, member } from "../schema/errors.ts";
import { comparisonText, readField, type TextValue } from "../schema/field.ts";
import { membersOf, reading } from "../schema/input.ts";
import type { Place } from "../schema/place.ts";
import type { InputOf } from "../schema/record-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { CheckedCriteria } from "./criteria.ts";
import { parseCriteria, type CriteriaOptions } from "./parse.ts";
import { criteriaIn, isNested, type CriteriaPart, type ParsedCriteria } from "./tree.ts";

/**
 * Whether the criteria select a record in wire or input form. Pure.
 *
 * It first reads every field that the criteria name, so an invalid record always throws.
 *
 * @throws InputError with the path of the first of these fields that the schema would reject, such as `record.size`
 */
export type Predicate<S extends Schema = Schema> = (record: InputOf<S>) => boolean;

/**
 * Compiles criteria to a predicate over records.
 *
 * @param criteria from any source; the TypeScript compiler also checks inline ones
 * @returns a pure function that says whether the criteria select a record; cost: linear in the fields that they name
 * @throws CriteriaError with the position of the offending criterion and the reason; SchemaError if the schema is not
 *   valid; InputError with the path of an option that is not valid
 */
export function compileCriteria<S extends Schema, const C = unknown>(
  schema: S,
  criteria: CheckedCriteria<S, C>,
  options?: CriteriaOptions,
): Predicate<S> {
  const parsed = parseCriteria(schema, criteria, options);
  const named = new Set(criteriaIn(parsed.groups).map(({ field }) => field));
  const places = schema.places.filter(({ name }) => named.has(name));
  const columns = new Map(places.map(({ name }, column) => [name, column]));
  const decides = predicateOf<readonly TextValue[]>(parsed, (field) => {
    const column = columns.get(field) ?? -1;
    return (values) => values[column] ?? null;
  });
  return (record) => decides(reading("record", () => readFields(record, schema, places)));
}

/** The values of some fields of an unchecked record, in the form in which they are compared. */
function readFields(
  record: unknown,
  { deriveFields }: Schema,
  places: readonly Place[],
): readonly TextValue[] {
  const given = membersOf(deriveFields === undefined ? record : deriveFields(record), "record");
  return places.map(({ name, field }) => {
    const [textForm, reason] = readField(given, name, field);
    if (reason !== undefined) throw new InputError(member("record", name), reason);
    return comparisonText(field, textForm);
  });
}

/** Makes the function that reads a field from a predicate's subject: a record, or a row number. */
export type ReaderOf<Subject> = (field: string) => (subject: Subject) => TextValue;

/** The predicate of parsed criteria over any subject whose fields can be read. */
export function predicateOf<Subject>(
  { groups }: ParsedCriteria,
  readerOf: ReaderOf<Subject>,
): (subject: Subject) => boolean {
  return some(groups.map((group) => every(group.map((part) => testOf(part, readerOf)))));
}

type Test<Subject> = (subject: Subject) => boolean;

function testOf<Subject>(part: CriteriaPart, readerOf: ReaderOf<Subject>): Test<Subject> {
  if (isNested(part)) return predicateOf(part, readerOf);
  const { field, test } = part;
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
