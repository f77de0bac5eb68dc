// Parses criteria from unknown input. Every reason for error 311 originates here.

import { alternatives, describe, quote, type TercetErrorCode } from "../schema/errors.ts";
import { suggestion } from "../schema/nearest.ts";
import { CriteriaError } from "./criteria-error.ts";
import { count, oneOf, optional, readOptions, type OptionReaders } from "../schema/options.ts";
import { remedyFor, type FieldType, type RecordForm } from "../schema/field.ts";
import { fieldTypes, kinds } from "../schema/kinds.ts";
import { fieldOf, hintFor } from "../schema/names.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";
import { accepted, bind, OperandError, type BoundOperator } from "./operands.ts";
import { operatorNamed, operatorsFor, type OperatorChoice } from "./operators.ts";
import { appliesTo } from "./operators-of.ts";
import { exactly } from "./operators/exactly.ts";
import { acceptedSpans, bindSpans } from "./periods.ts";
import {
  isNested,
  negated as negatedGroups,
  negatedOperator,
  normalized,
  type CriteriaPart,
  type ParsedCriteria,
  type ParsedCriterion,
} from "./tree.ts";

/** The options of `compileCriteria` and `parseCriteria`. */
export interface CriteriaOptions {
  /** The maximum number of criteria (rule C10). Default 1,000. */
  readonly maxCriteria?: number | undefined;
  /** The maximum number of values of an `in`. Default: no limit. */
  readonly maxValues?: number | undefined;
  /** How to treat an operator that is not in the table (rule E12). Default `"error"`. */
  readonly unknownOperator?: "error" | "exactly" | undefined;
}

export const DEFAULT_MAX_CRITERIA = 1000;

/** How deeply groups may be nested (rule C3a). */
export const DEEPEST = 32;

/** How many elements a list may have per allowed criterion, including groups, "OR" and "NOT". */
const MOST_ELEMENTS = 6;

const everything: ParsedCriteria = Object.freeze({ groups: Object.freeze([Object.freeze([])]) });

/**
 * Checks criteria against a schema.
 *
 * Reads each element of the input once and keeps no reference to it (rule C11).
 *
 * @param input criteria from any source; `undefined`, `null` and `[]` mean every record
 * @returns the parsed form, deeply frozen
 * @throws CriteriaError with the path of the offending element and the reason; SchemaError or
 *   InputError if the schema or an option is not valid
 */
export function parseCriteria(
  schema: Schema,
  input: unknown,
  options: CriteriaOptions = {},
): ParsedCriteria {
  requireSchema(schema);
  const criteria = readCriteria(schema, input, readOptions(options, "options", criteriaOptions));
  return frozen(criteria);
}

function frozen(criteria: ParsedCriteria): ParsedCriteria {
  for (const group of criteria.groups) {
    for (const part of group) {
      if (isNested(part)) frozen(part);
      else {
        freezeData(part.bounds);
        Object.freeze(part);
      }
    }
    Object.freeze(group);
  }
  Object.freeze(criteria.groups);
  return Object.freeze(criteria);
}

/** Freezes an object with all objects in it. */
function freezeData(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  Object.values(data).forEach(freezeData);
  Object.freeze(data);
}

/** How the options of criteria are read. */
/** Those options, with their defaults. */
export type CriteriaSettings = {
  readonly [Name in keyof CriteriaOptions]-?: Exclude<CriteriaOptions[Name], undefined>;
};

export const criteriaOptions: OptionReaders<CriteriaSettings> = {
  maxCriteria: optional(count, DEFAULT_MAX_CRITERIA),
  maxValues: optional(count, Number.MAX_SAFE_INTEGER),
  unknownOperator: optional(oneOf("error", "exactly"), "error"),
};

/** Criteria that are being read. */
interface Reading {
  readonly schema: Schema;
  readonly options: CriteriaSettings;
  /** The path of the current element, as in {@link CriteriaError}. */
  readonly path: number[];
  /** How many criteria and groups were read so far. */
  criteria: number;
  groups: number;
}

/** {@link parseCriteria} for callers that have checked schema and options, and do not share the result. */
export function readCriteria(
  schema: Schema,
  input: unknown,
  options: CriteriaSettings,
): ParsedCriteria {
  if (input === undefined || input === null) return everything;
  const reading: Reading = { schema, options, path: [], criteria: 0, groups: 0 };
  try {
    if (!Array.isArray(input)) {
      throw new CriteriaError([], `must be an array of criteria, not ${describe(input)}`);
    }
    return readList(reading, input, false);
  } catch (error) {
    throw criteriaErrorOf(error, reading.path);
  }
}

/**
 * A list of criteria, or a group. Each element is read once.
 *
 * @param isNegated whether the result is the negation of the list
 * @throws CriteriaError, OperandError
 */
function readList(reading: Reading, list: readonly unknown[], isNegated: boolean): ParsedCriteria {
  const { path, schema } = reading;
  const isContract = schema.form === "contract";
  const { length } = list;
  // Checked before the loop, since a sparse array may have four billion holes.
  if (length > (isContract ? 2 : MOST_ELEMENTS) * reading.options.maxCriteria) {
    throw tooMany(reading);
  }

  const depth = path.length;
  let group: CriteriaPart[] = [];
  const groups = [group];
  let negates = isNegated;
  for (let position = 0; position < length; position++) {
    path[depth] = position;
    const element = list[position];
    if (element === "OR") {
      if (group.length === 0 || position === length - 1 || negates !== isNegated) {
        throw new CriteriaError(path, '"OR" must be between two criteria');
      }
      groups.push((group = []));
    } else if (element === "NOT" && !isContract) {
      if (negates !== isNegated || position === length - 1) {
        throw new CriteriaError(path, '"NOT" must be before a criterion or a group');
      }
      negates = !isNegated;
    } else {
      group.push(readPart(reading, element, negates));
      negates = isNegated;
    }
  }
  path.length = depth;
  if (isNegated) return negatedGroups(groups);
  return normalized(groups);
}

/** An element of a list other than `"OR"` and `"NOT"`. @throws CriteriaError, OperandError */
function readPart(reading: Reading, input: unknown, isNegated: boolean): CriteriaPart {
  const { path, schema } = reading;
  const isContract = schema.form === "contract";
  if (!Array.isArray(input)) {
    const expected = isContract ? ' or "OR"' : ', a group of criteria, "OR" or "NOT"';
    throw new CriteriaError(
      path,
      `must be [field, operator, value]${expected}, not ${describe(input)}; criteria are a list of such triples`,
    );
  }
  const given: readonly unknown[] = input;
  const { length } = given;
  if (length > MOST_ELEMENTS * Math.max(1, reading.options.maxCriteria)) throw tooMany(reading);
  // A copy, since its elements must be read only once, and they tell whether it is a group.
  const elements: readonly unknown[] =
    length === 3 ? [given[0], given[1], given[2]] : Array.from({ length }, (_, i) => given[i]);
  // A proxy may report any length.
  if (elements.length !== length) throw new CriteriaError(path, "could not be read");
  if (isContract || !isGroup(elements)) return readCriterion(reading, elements, isNegated);
  if (path.length > DEEPEST) {
    throw new CriteriaError(path, `groups may be nested at most ${DEEPEST} deep`, {
      code: "limit",
    });
  }
  if (++reading.groups > reading.options.maxCriteria) throw tooMany(reading);
  return readList(reading, elements, isNegated);
}

/** Whether an element is a group rather than a criterion, which begins with the name of a field; that may be `NOT`. */
function isGroup(elements: readonly unknown[]): boolean {
  const [first, second] = elements;
  return (
    elements.length === 0 || Array.isArray(first) || (first === "NOT" && Array.isArray(second))
  );
}

/** Adds the position to an error thrown while reading a criterion. */
function criteriaErrorOf(error: unknown, path: readonly number[]): CriteriaError {
  if (error instanceof CriteriaError) return error;
  if (error instanceof OperandError) {
    return new CriteriaError(path, error.message, { code: error.code });
  }
  // A getter or a proxy threw, or a list of values was too long for the engine.
  return new CriteriaError(path, "could not be read", { cause: error });
}

/** @throws CriteriaError, OperandError */
function readCriterion(
  reading: Reading,
  triple: readonly unknown[],
  isNegated: boolean,
): CriteriaPart {
  const { schema, options, path } = reading;
  if (++reading.criteria > options.maxCriteria) throw tooMany(reading);
  const fail = (reason: string, code?: TercetErrorCode) =>
    new CriteriaError(path, reason, { code });
  if (triple.length !== 3) {
    throw fail(`must have exactly three elements [field, operator, value], not ${triple.length}`);
  }
  const [name, given, value] = triple;

  if (typeof name !== "string") throw fail(`field must be a string, not ${describe(name)}`);
  const field = fieldOf(schema, name);
  if (field === undefined) {
    const near = hintFor(schema, name, () => searchableNames(schema));
    throw fail(`unknown field ${quote(name)}${near}`, "unknown_field");
  }
  if (!field.searchable) throw fail(`field ${quote(name)} is not searchable`);

  if (typeof given !== "string") throw fail(`operator must be a string, not ${describe(given)}`);
  const { type, ignoreCase, ignoreAccents, precision, zone } = field;
  const { form } = schema;
  const operator =
    operatorNamed(given, form) ?? (options.unknownOperator === "exactly" ? exactly : undefined);
  if (operator === undefined) {
    const own = namesFor(type, form);
    const meant = suggestion(given, own) || `; use ${alternatives(own)}`;
    throw fail(`unknown operator ${quote(given)}${meant}`);
  }
  if (!appliesTo(operator, type, form)) {
    const needed = neededBy(operator, form);
    throw fail(`${operator.name} needs ${needed}; ${quote(name)} is a ${type} field`);
  }
  const { maxValues } = options;
  const setting = { type, form, ignoreCase, ignoreAccents, precision, zone, maxValues };
  const { spans } = kinds[type];
  const one = spans === undefined ? bind(operator, value, setting) : undefined;
  const any = spans === undefined ? one && [one] : bindSpans(operator, value, setting, spans);
  if (any === undefined) {
    const remedy = type === "strings" ? ofElements(operator, value) : remedyFor(field, value);
    const takes =
      spans === undefined
        ? accepted(operator, setting)
        : acceptedSpans(operator.takes, spans.accepts);
    throw fail(`${operator.name} takes ${takes}, not ${describe(value)}${remedy}`);
  }
  const position = path[0] ?? 0;
  // Written out: copying members takes longer than counting ten records.
  const criterionOf = (own: BoundOperator): ParsedCriterion => {
    const { value: operand, test, bounds } = isNegated ? negatedOperator(own) : own;
    const { name: named } = operator;
    return {
      position,
      field: name,
      operator: named,
      value: operand,
      negated: isNegated,
      test,
      bounds,
    };
  };
  const [only] = any;
  if (only !== undefined && any.length === 1) return criterionOf(only);
  const groups = any.map((bound) => [criterionOf(bound)]);
  return isNegated ? negatedGroups(groups) : { groups };
}

/** The names of the operators for fields of a type. */
const namesFor = (type: FieldType, form: RecordForm): readonly string[] =>
  operatorsFor(form)
    .filter((operator) => appliesTo(operator, type, form))
    .map(({ name }) => name);

/** The kind of field that an operator requires, for a message. */
function neededBy(operator: OperatorChoice, form: RecordForm): string {
  switch (operator.fields) {
    case "any":
    case "single":
      return `a field of single values; ${inWords(
        ofStrings.map(({ name }) => name),
        "and",
      )} search strings`;
    case "ordered":
      return form === "contract" ? "an int field" : `an ${comparedTypes()} field`;
    case "strings":
      return "a strings field";
  }
}

/** The types whose values are compared with bounds, in words. */
const comparedTypes = (): string =>
  inWords(
    fieldTypes.filter((type) => appliesTo({ fields: "ordered" }, type, "values")),
    "or",
  );

const inWords = (names: readonly string[], last: "and" | "or"): string =>
  names.join(", ").replace(/, (\w+)$/, ` ${last} $1`);

/** Suggests the operator for a list when another one was given a list, in a strings field. */
function ofElements(operator: OperatorChoice, value: unknown): string {
  const takes = Array.isArray(value) ? "elements" : typeof value === "string" ? "element" : "none";
  const other = ofStrings.find((each) => each.takes === takes) ?? operator;
  return other.takes === operator.takes ? "" : `; use ${other.name}`;
}

const ofStrings = operatorsFor("values").filter(({ fields }) => fields === "strings");

/** Lazy, because a schema may have thousands. */
function* searchableNames({ fields }: Schema): Generator<string, void> {
  for (const name of Object.keys(fields)) if (fields[name]?.searchable === true) yield name;
}

function tooMany({ options: { maxCriteria } }: Reading): CriteriaError {
  return new CriteriaError([], `there may be at most ${maxCriteria} criteria`, { code: "limit" });
}
