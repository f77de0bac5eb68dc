// Compiles criteria to a predicate. The predicate defines the meaning of criteria: every plan must select the same
// records.

import { GIVEN } from "../schema/computed.ts";
import { InputError, member } from "../schema/errors.ts";
import { isNext, readField, storedTestOf, storedValue, type FieldValue } from "../schema/field.ts";
import { isMembers, membersOf, reading } from "../schema/input.ts";
import { fieldOf } from "../schema/names.ts";
import type { Place } from "../schema/place.ts";
import type { InputOf } from "../schema/record-types.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { CheckedCriteria } from "./criteria.ts";
import { parseCriteria, type CriteriaOptions } from "./parse.ts";
import {
  criteriaIn,
  isNested,
  type CriteriaPart,
  type ParsedCriteria,
  type ParsedCriterion,
} from "./tree.ts";
import { testOfValues } from "./value-test.ts";

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
  const isAnyComputed = places.some(({ name }) => schema.computed.has(name));
  const testOf = testsOfValues(schema);
  const read = (record: unknown) => reading("record", () => readFields(record, schema, places));
  // Derived and computed fields are in no record, and without criteria it is only checked whether it is one.
  const isDirect = schema.deriveFields === undefined && !isAnyComputed;
  const readers = isDirect ? places.map(storedReaderOf) : [];
  const [only] = readers;
  if (only !== undefined && readers.length === 1) {
    const decides = predicateOf(parsed, testOf);
    return (record) => {
      const value = only(record);
      return decides(value === undefined ? (read(record)[0] ?? null) : value);
    };
  }
  const decides = predicateOf<readonly FieldValue[]>(parsed, (criterion) => {
    const test = testOf(criterion);
    const column = places.findIndex(({ name }) => name === criterion.field);
    return (values) => test(values[column] ?? null);
  });
  return (record) => decides(storedIn(record, readers) ?? read(record));
}

type StoredReader = (record: unknown) => FieldValue | undefined;

/** What all of some readers read; `undefined` if one does not, or there are none. */
function storedIn(
  record: unknown,
  readers: readonly StoredReader[],
): readonly FieldValue[] | undefined {
  if (readers.length === 0) return undefined;
  const values: FieldValue[] = [];
  for (const read of readers) {
    const value = read(record);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

/**
 * Makes a function that reads a field of an unchecked record, if the value is there as records of one's own schemas
 * hold it; otherwise it returns `undefined`. That takes a fraction of the time of {@link readFields}.
 */
function storedReaderOf({ name, field }: Place): StoredReader {
  const isStored = storedTestOf(field);
  return (record) => {
    try {
      if (!isMembers(record) || !Object.hasOwn(record, name)) return undefined;
      const value = record[name];
      return isStored(value) ? value : undefined;
    } catch {
      // It is read again, for the error that says where.
      return undefined;
    }
  };
}

/** The values of some fields of an unchecked record. */
function readFields(
  record: unknown,
  { deriveFields, computed, places: all, makeRecord }: Schema,
  places: readonly Place[],
): readonly FieldValue[] {
  const given = membersOf(deriveFields === undefined ? record : deriveFields(record), "record");
  const read = ({ name, field }: Place): FieldValue => {
    const [textForm, reason] = readField(given, name, field);
    if (reason !== undefined) throw new InputError(member("record", name), reason);
    return storedValue("values", field, textForm);
  };
  return places.map((place) => {
    const own = computed.get(place.name);
    if (own === undefined) return read(place);
    if (Object.hasOwn(given, own.name)) throw new InputError(member("record", own.name), GIVEN);
    const values = all.map((): FieldValue => null);
    for (const source of own.sources) {
      // A collection gives the number.
      const isNumbered = isNext(source.field.default) && given[source.name] === undefined;
      if (!isNumbered) values[source.position] = read(source);
    }
    return own.read(Object.freeze(makeRecord(values)));
  });
}

/** Makes the test of a criterion from a predicate's subject: a record, or a row number. */
export type TestOf<Subject> = (criterion: ParsedCriterion) => Test<Subject>;

/** The tests of criteria over the values of their fields. */
function testsOfValues(schema: Schema): TestOf<FieldValue> {
  return ({ field: name, bounds }) => {
    const field = fieldOf(schema, name);
    if (field === undefined) throw new RangeError(`the criteria are not of a schema with ${name}`);
    return testOfValues(field, bounds);
  };
}

/** The tests of criteria over records of a collection. */
export function testsOfRecords(schema: Schema): TestOf<AnyRecord> {
  const testOf = testsOfValues(schema);
  return (criterion) => {
    const { field } = criterion;
    if (schema.form === "values") {
      const accepts = testOf(criterion);
      return (record) => accepts(record[field] ?? null);
    }
    const { test } = criterion;
    const read = schema.readerOf(field);
    return (record) => test(read(record));
  };
}

/** The predicate of parsed criteria over any subject for which each criterion has a test. */
export function predicateOf<Subject>(
  { groups }: ParsedCriteria,
  testOf: TestOf<Subject>,
): Test<Subject> {
  const ofPart = (part: CriteriaPart) =>
    isNested(part) ? predicateOf(part, testOf) : testOf(part);
  return some(groups.map((group) => every(group.map(ofPart))));
}

/** Whether a predicate, or a part of it, holds for a subject. */
export type Test<Subject> = (subject: Subject) => boolean;

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
