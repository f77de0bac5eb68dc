// From unknown input to parsed criteria. Every reason why criteria are not valid, error 311 of the
// service, originates here.

import {
  alternatives,
  describe,
  quote,
  TercetError,
  type TercetErrorCode,
  type TercetErrorOptions,
} from "../schema/errors.ts";
import { toWireFloat, toWireInteger } from "../schema/numbers.ts";
import { suggestion } from "../schema/nearest.ts";
import { count, oneOf, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import type { FieldType } from "../schema/field.ts";
import { fieldOf, requireSchema, type Schema } from "../schema/schema.ts";
import {
  appliesTo,
  isOperatorName,
  MemberRefused,
  operatorNames,
  operators,
  TooManyValues,
  type OperandValue,
  type OperatorName,
  type Bounds,
  type ValueTest,
} from "./operators.ts";

export interface CriteriaOptions {
  /** How many criteria there may be (rule C10). Default 1,000. */
  readonly maxCriteria?: number;
  /** How many values an `in` may have. Default: no limit. */
  readonly maxValues?: number;
  /** How to treat an operator that is not in the table (rule E12). Default `"error"`. */
  readonly unknownOperator?: "error" | "exactly";
}

export const DEFAULT_MAX_CRITERIA = 1000;

/** A valid criterion, its value in normal form. */
export interface ParsedCriterion {
  /** Its position in the given list, counting `"OR"`. */
  readonly position: number;
  readonly field: string;
  readonly operator: OperatorName;
  readonly value: OperandValue;
  /** Whether the criterion holds for a value of its field. */
  readonly test: ValueTest;
  /** The same values, in terms of their order. */
  readonly bounds: Bounds;
}

/**
 * Valid criteria, in groups. They select a record if all criteria of one group hold for it. If there
 * are no criteria, one empty group selects every record. Deeply frozen.
 */
export interface ParsedCriteria {
  readonly groups: readonly (readonly ParsedCriterion[])[];
}

/**
 * Criteria are not valid. `position` is that of the offending element in the list, or `null` if the
 * list itself is at fault; `reason` says what is wrong.
 */
export class CriteriaError extends TercetError {
  override readonly name = "CriteriaError";
  declare readonly code: TercetErrorCode;
  readonly position: number | null;
  readonly reason: string;

  constructor(position: number | null, reason: string, options?: TercetErrorOptions) {
    super(position === null ? `criteria: ${reason}` : `criteria[${position}]: ${reason}`, options);
    this.position = position;
    this.reason = reason;
  }
}

const everything: ParsedCriteria = Object.freeze({ groups: Object.freeze([Object.freeze([])]) });

/**
 * Checks criteria against a schema.
 *
 * Reads each element of the input once and keeps no reference to it (rule C11).
 *
 * @param input criteria from any source; `undefined`, `null` and `[]` mean every record
 * @returns the parsed form, deeply frozen
 * @throws CriteriaError with the position of the offending criterion and the reason; SchemaError or
 *   InputError if the schema or an option is not valid
 */
export function parseCriteria(
  schema: Schema,
  input: unknown,
  options: CriteriaOptions = {},
): ParsedCriteria {
  requireSchema(schema);
  const criteria = readCriteria(schema, input, readOptions(options, "options", criteriaOptions));
  for (const group of criteria.groups) {
    for (const criterion of group) {
      if (criterion.bounds.kind === "values") Object.freeze(criterion.bounds.values);
      Object.freeze(criterion.bounds);
      Object.freeze(criterion);
    }
    Object.freeze(group);
  }
  Object.freeze(criteria.groups);
  return Object.freeze(criteria);
}

/** How the options of criteria are read. */
export const criteriaOptions: OptionReaders<Required<CriteriaOptions>> = {
  maxCriteria: optional(count, DEFAULT_MAX_CRITERIA),
  maxValues: optional(count, Number.MAX_SAFE_INTEGER),
  unknownOperator: optional(oneOf("error", "exactly"), "error"),
};

/** {@link parseCriteria} for callers that have checked schema and options, and do not share the result. */
export function readCriteria(
  schema: Schema,
  input: unknown,
  options: Required<CriteriaOptions>,
): ParsedCriteria {
  if (input === undefined || input === null) return everything;
  return { groups: readGroups(schema, input, options) };
}

/** The groups of a list of criteria; one empty group if there are none. @throws CriteriaError */
function readGroups(
  schema: Schema,
  input: unknown,
  options: Required<CriteriaOptions>,
): ParsedCriterion[][] {
  let position: number | null = null;
  try {
    if (!Array.isArray(input)) {
      throw new CriteriaError(null, `must be an array of criteria, not ${describe(input)}`);
    }
    const list: readonly unknown[] = input;
    const length = list.length;
    const { maxCriteria } = options;
    // Before the loop: a sparse array of four billion holes must cost nothing.
    if (length > 2 * maxCriteria) throw tooMany(maxCriteria);

    let group: ParsedCriterion[] = [];
    const groups = [group];
    let count = 0;
    for (position = 0; position < length; position++) {
      const element = list[position];
      if (element === "OR") {
        if (group.length === 0 || position === length - 1) {
          throw new CriteriaError(position, '"OR" must stand between two criteria');
        }
        groups.push((group = []));
      } else {
        if (++count > maxCriteria) throw tooMany(maxCriteria);
        group.push(readCriterion(schema, element, position, options));
      }
    }
    return groups;
  } catch (error) {
    throw criteriaErrorOf(error, position);
  }
}

/** An error thrown while reading a criterion, as one that names its position. */
function criteriaErrorOf(error: unknown, position: number | null): CriteriaError {
  if (error instanceof CriteriaError) return error;
  if (error instanceof TooManyValues || error instanceof MemberRefused) {
    return new CriteriaError(position, error.message, {
      code: error instanceof TooManyValues ? "limit" : "invalid",
    });
  }
  // A getter or a proxy threw, or a list of values was too long for the engine.
  return new CriteriaError(position, "could not be read", { cause: error });
}

/**
 * A criterion, an element of the list other than `"OR"`. Each of its members is read once.
 *
 * @throws CriteriaError, TooManyValues, MemberRefused
 */
function readCriterion(
  schema: Schema,
  input: unknown,
  position: number,
  options: Required<CriteriaOptions>,
): ParsedCriterion {
  const fail = (reason: string, code?: TercetErrorCode) =>
    new CriteriaError(position, reason, { code });
  if (!Array.isArray(input)) {
    throw fail(
      `must be [field, operator, value] or "OR", not ${describe(input)}; criteria are a list of such triples`,
    );
  }
  const triple: readonly unknown[] = input;
  const length = triple.length;
  if (length !== 3) {
    throw fail(`must have exactly three elements [field, operator, value], not ${length}`);
  }
  const name = triple[0];
  const given = triple[1];
  const value = triple[2];

  if (typeof name !== "string") throw fail(`field must be a string, not ${describe(name)}`);
  const field = fieldOf(schema, name);
  if (field === undefined) {
    const near = suggestion(name, searchableNames(schema));
    throw fail(`unknown field ${quote(name)}${near}`, "unknown_field");
  }
  if (!field.searchable) throw fail(`field ${quote(name)} is not searchable`);

  if (typeof given !== "string") throw fail(`operator must be a string, not ${describe(given)}`);
  const operator = isOperatorName(given, schema.form)
    ? given
    : options.unknownOperator === "exactly"
      ? "exactly"
      : undefined;
  if (operator === undefined) {
    throw fail(`unknown operator ${quote(given)}; use ${alternatives(operatorNames(schema.form))}`);
  }
  if (!appliesTo(operator, field.type)) {
    const needed = schema.form === "contract" ? "an int field" : "an int or float field";
    throw fail(`${operator} needs ${needed}; ${quote(name)} is a ${field.type} field`);
  }
  const { type, ignoreCase } = field;
  const row = operators[operator];
  const bound = row.bind(value, { type, ignoreCase, maxValues: options.maxValues });
  if (bound === undefined) {
    const remedy = row.takes === "number" ? canonicalOf(type, value) : "";
    throw fail(`${operator} takes ${row.accepts(type)}, not ${describe(value)}${remedy}`);
  }
  const { test, bounds } = bound;
  return { position, field: name, operator, value: bound.value, test, bounds };
}

/** What to write for a number in another spelling than its canonical one, such as `"1.50"` or `"+5"`. */
function canonicalOf(type: FieldType, value: unknown): string {
  if (typeof value !== "string" || value.trim() === "") return "";
  const wire = (type === "int" ? toWireInteger : toWireFloat)(Number(value));
  return wire === undefined ? "" : `; write ${wire} or ${quote(wire)}`;
}

/** Lazy, because a schema may have thousands. */
function* searchableNames({ fields }: Schema): Generator<string, void> {
  for (const name of Object.keys(fields)) if (fields[name]?.searchable === true) yield name;
}

function tooMany(maxCriteria: number): CriteriaError {
  return new CriteriaError(null, `there may be at most ${maxCriteria} criteria`, { code: "limit" });
}
