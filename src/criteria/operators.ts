// The table of operators (rule C4): the fields each applies to, the values it takes, and when it holds. Types, parsing,
// messages and evaluation derive from the table. CONTRIBUTING.md lists what else a new operator needs.

import { describe, TercetError } from "../schema/errors.ts";
import {
  comparisonText,
  isNumeric,
  remedyFor,
  type FieldType,
  type RecordForm,
  type TextValue,
} from "../schema/field.ts";
import { isSafeBigInt, parseNumber, toFloatText, toIntegerText } from "../schema/numbers.ts";
import { compareCodePoints } from "../schema/order.ts";
import { hasElement } from "../schema/strings.ts";

/** Whether a criterion holds for the value of its field. */
export type ValueTest = (value: TextValue) => boolean;

/** The field of a criterion, the form of the schema's records, and the maximum number of values. */
export interface OperandSetting {
  readonly type: FieldType;
  readonly form: RecordForm;
  readonly ignoreCase: boolean;
  readonly maxValues: number;
}

/**
 * The kind of value that an operator takes: a `value` of its field or null, any string (`text`), a `bound` to compare
 * with (a number, or a string on a string field), several `values`, one `element` of an array of strings, or several
 * `elements`.
 */
export type Taken = "value" | "text" | "bound" | "values" | "element" | "elements";

/** A kind of operand: its description in messages, and the function that normalises it. */
interface Operand<Input, Normal> {
  readonly takes: Taken;
  readonly accepts: (context: Pick<OperandSetting, "type" | "form">) => string;
  /**
   * The normal form, or `undefined` if the input is not accepted. `Input` exists only as a type.
   *
   * @throws TooManyValues for a list of more than `maxValues`; MemberRefused if one of its members is not accepted
   */
  readonly normalize: (input: unknown, setting: OperandSetting) => Normal | undefined;
  readonly input?: Input;
}

/** A list has more values than a criterion may have. */
export class TooManyValues extends TercetError {
  constructor(maxValues: number) {
    super(`there may be at most ${maxValues} values`, { code: "limit" });
  }
}

/** A member of a list of values is not valid. */
export class MemberRefused extends TercetError {
  constructor(index: number, accepts: string, given: unknown, remedy = "") {
    super(`value[${index}] must be ${accepts}, not ${describe(given)}${remedy}`);
  }
}

export type Text = string | number | bigint;
/** Only the text form of an integer, so that the compiler rejects `"five"`. */
export type Numeric = number | bigint | `${bigint}`;

// C5, C15: numbers and booleans compare in text form. C13: no lone surrogates. V11: in lower case if the field
// ignores case.
const text: Operand<Text, string> = {
  takes: "text",
  accepts: ({ type }) =>
    `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""} or a finite number`,
  normalize: (input, { type, form, ignoreCase }) => {
    switch (typeof input) {
      case "string":
        return input.isWellFormed() ? comparisonText({ ignoreCase }, input) : undefined;
      case "number":
        return Number.isFinite(input) ? String(input) : undefined;
      case "bigint":
        return form !== "contract" && isSafeBigInt(input) ? String(input) : undefined;
      case "boolean":
        return type === "boolean" ? String(input) : undefined;
      default:
        return undefined;
    }
  },
};

/**
 * Whether `exactly`, `not` and `in` take only values that a field of the type can hold, and so report a misspelt number
 * (C5a). In the contract, and in string fields, other values match nothing.
 */
const takesOnlyValues = ({ type, form }: Pick<OperandSetting, "type" | "form">): boolean =>
  form !== "contract" && (isNumeric(type) || type === "boolean");

const value: Operand<Text | null, TextValue> = {
  takes: "value",
  accepts: (context) => {
    const { type } = context;
    if (type === "strings") return "null";
    if (!takesOnlyValues(context)) {
      return `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""}, a finite number or null`;
    }
    return type === "boolean" ? "true, false or null" : `${number.accepts(context)}, or null`;
  },
  normalize: (input, setting) => {
    if (input === null) return null;
    const { type } = setting;
    if (type === "strings") return undefined;
    if (!takesOnlyValues(setting)) return text.normalize(input, setting);
    if (type !== "boolean") {
      const number = numberIn(input, setting);
      return number === undefined ? undefined : String(number);
    }
    const textForm = text.normalize(input, setting);
    return textForm === "true" || textForm === "false" ? textForm : undefined;
  },
};

/** A number of the field, given as a number, a bigint or in text form; `undefined` for anything else. */
function numberIn(
  input: unknown,
  { type, form }: Pick<OperandSetting, "type" | "form">,
): number | undefined {
  switch (typeof input) {
    case "number": {
      const isValid = type === "int" ? Number.isSafeInteger(input) : Number.isFinite(input);
      return isValid ? input + 0 : undefined;
    }
    case "bigint":
      return form !== "contract" && isSafeBigInt(input) ? Number(input) : undefined;
    case "string": {
      const textForm = (type === "int" ? toIntegerText : toFloatText)(input);
      return textForm === undefined ? undefined : parseNumber(textForm);
    }
    default:
      return undefined;
  }
}

const number: Operand<Numeric, number> = {
  takes: "bound",
  accepts: ({ type }) =>
    type === "int"
      ? "a safe integer or its canonical decimal string"
      : "a finite number or its canonical string",
  normalize: numberIn,
};

const bound: Operand<Numeric, number | string> = {
  takes: "bound",
  accepts: (context) =>
    context.type === "string" ? "a string of well-formed Unicode" : number.accepts(context),
  normalize: (input, setting) => {
    if (setting.type !== "string") return number.normalize(input, setting);
    return typeof input === "string" ? text.normalize(input, setting) : undefined;
  },
};

const members: Operand<string | readonly (Text | null)[], readonly TextValue[]> = {
  takes: "values",
  accepts: (context) => {
    const { type } = context;
    if (takesOnlyValues(context)) {
      return `an array of ${type === "boolean" ? "booleans" : "numbers"} and nulls, or a string of them with commas between`;
    }
    return `a comma-separated string, or an array of strings, ${type === "boolean" ? "booleans, " : ""}finite numbers and nulls, all of well-formed Unicode`;
  },
  normalize: (input, setting) => {
    const { maxValues } = setting;
    const distinct = new Set<TextValue>();
    const add = (index: number, given: unknown) => {
      const member = value.normalize(given, setting);
      if (member === undefined) {
        const remedy = remedyFor(setting.type, given);
        throw new MemberRefused(index, value.accepts(setting), given, remedy);
      }
      distinct.add(member);
    };
    if (typeof input === "string") {
      // Checked before splitting: a comma can't turn a lone surrogate into a character.
      if (!input.isWellFormed()) return undefined;
      let count = 0;
      // Not split(), because a string of a hundred million commas counts as one member.
      for (let start = 0; start <= input.length; count++) {
        if (count === maxValues) throw new TooManyValues(maxValues);
        const comma = input.indexOf(",", start);
        const end = comma === -1 ? input.length : comma;
        add(count, input.slice(start, end));
        start = end + 1;
      }
    } else if (Array.isArray(input)) {
      const length = input.length;
      if (length > maxValues) throw new TooManyValues(maxValues);
      for (let i = 0; i < length; i++) add(i, input[i]);
    } else {
      return undefined;
    }
    return Object.freeze([...distinct]);
  },
};

// C16: the elements of an array of strings. A string that is not well-formed Unicode is in no record.
const element: Operand<string, string> = {
  takes: "element",
  accepts: () => "a string of well-formed Unicode",
  normalize: (input) => (typeof input === "string" && input.isWellFormed() ? input : undefined),
};

const elements: Operand<readonly string[], readonly string[]> = {
  takes: "elements",
  accepts: () => "an array of strings of well-formed Unicode",
  normalize: (input, setting) => {
    if (!Array.isArray(input)) return undefined;
    const { length } = input;
    if (length > setting.maxValues) throw new TooManyValues(setting.maxValues);
    const distinct = new Set<string>();
    for (let i = 0; i < length; i++) {
      const given: unknown = input[i];
      const member = element.normalize(given, setting);
      if (member === undefined) throw new MemberRefused(i, element.accepts(setting), given);
      distinct.add(member);
    }
    return Object.freeze([...distinct]);
  },
};

/**
 * The fields that an operator applies to: any, those with a single value, those of numbers and strings, or those of
 * arrays of strings.
 */
export type Applicable = "any" | "single" | "ordered" | "strings";

/** A row of the table. */
export interface Operator<Fields extends Applicable = Applicable, Input = unknown> {
  readonly fields: Fields;
  readonly takes: Taken;
  readonly accepts: (context: Pick<OperandSetting, "type" | "form">) => string;
  /**
   * The value's normal form and its test, or `undefined` if the value is not accepted.
   *
   * @throws TooManyValues, MemberRefused
   */
  readonly bind: (input: unknown, setting: OperandSetting) => BoundOperator | undefined;
  readonly input?: Input;
}

/**
 * Exactly the values for which an operator holds, as data for indexes and SQL. An operator that fits no kind needs a
 * new one; each place that must handle the new kind then fails to compile.
 */
export type Bounds =
  | PositiveBounds
  /** All values except these, null included; for the operand `values`, `inside` is false instead. */
  | { readonly kind: "complement"; readonly of: Exclude<PositiveBounds, ValueBounds> };

export type PositiveBounds =
  | ValueBounds
  | TextBounds
  /** The numbers, or the strings by code point, that satisfy the comparison with the bound. */
  | { readonly kind: Comparison; readonly bound: number | string }
  /** The arrays that contain one of these strings. */
  | { readonly kind: "elements"; readonly elements: readonly string[] };

export type Comparison = ">" | ">=" | "<" | "<=";

/** These values or, if `inside` is false, all others. */
interface ValueBounds {
  readonly kind: "values";
  readonly values: readonly TextValue[];
  readonly inside: boolean;
}

/** The strings that begin with, end with or contain a string. */
export interface TextBounds {
  readonly kind: "prefix" | "suffix" | "substring";
  readonly text: string;
}

/** The bounds of all other values. */
export function complementOf(bounds: Bounds): Bounds {
  if (bounds.kind === "values") {
    return { kind: "values", values: bounds.values, inside: !bounds.inside };
  }
  return bounds.kind === "complement" ? bounds.of : { kind: "complement", of: bounds };
}

/** The bounds themselves, or the bounds of which they are the complement. */
export const positiveOf = (bounds: Bounds): PositiveBounds =>
  bounds.kind === "complement" ? bounds.of : bounds;

/** A string that each value within the bounds contains; empty if there is none. */
export function requiredText(bounds: Bounds): string {
  switch (bounds.kind) {
    case "prefix":
    case "suffix":
    case "substring":
      return bounds.text;
    case "complement":
    case "values":
    case ">":
    case ">=":
    case "<":
    case "<=":
    case "elements":
      return "";
  }
}

/** An operator with its value: the test of a stored value, and the same condition as bounds, for indexes. */
export interface BoundOperator {
  readonly value: OperandValue;
  readonly test: ValueTest;
  readonly bounds: Bounds;
}

/** The normal form of a criterion's value. */
export type OperandValue = TextValue | number | readonly TextValue[];

function operator<Fields extends Applicable, Input, Normal extends OperandValue>(
  fields: Fields,
  operand: Operand<Input, Normal>,
  holds: (normal: Normal) => ValueTest,
  bounds: (normal: Normal) => Bounds,
): Operator<Fields, Input> {
  return {
    fields,
    takes: operand.takes,
    accepts: operand.accepts,
    bind: (input, setting) => {
      const value = operand.normalize(input, setting);
      return value === undefined ? undefined : { value, test: holds(value), bounds: bounds(value) };
    },
  };
}

function hasOneOf(operand: readonly string[]): ValueTest {
  const has = hasElement(operand);
  return (value) => value !== null && has(value);
}

/** The tests are written out for each comparison because scans spend their time in them. */
function comparison(
  kind: Comparison,
  ofNumbers: (bound: number) => ValueTest,
  ofStrings: (bound: string) => ValueTest,
) {
  return operator(
    "ordered",
    bound,
    (bound) => (typeof bound === "number" ? ofNumbers(bound) : ofStrings(bound)),
    (bound) => ({ kind, bound }),
  );
}

// C6: null matches only `exactly null`, `in` with a list that has null, and `not` with a value.
export const operators = {
  exactly: operator(
    "any",
    value,
    (operand) => (value) => value === operand,
    (operand) => ({ kind: "values", values: [operand], inside: true }),
  ),
  not: operator(
    "any",
    value,
    (unwanted) => (value) => value !== unwanted,
    (unwanted) => ({ kind: "values", values: [unwanted], inside: false }),
  ),
  contains: operator(
    "single",
    text,
    (part) => (value) => value?.includes(part) === true,
    (part) => ({ kind: "substring", text: part }),
  ),
  starts_with: operator(
    "single",
    text,
    (prefix) => (value) => value?.startsWith(prefix) === true,
    (prefix) => ({ kind: "prefix", text: prefix }),
  ),
  ends_with: operator(
    "single",
    text,
    (suffix) => (value) => value?.endsWith(suffix) === true,
    (suffix) => ({ kind: "suffix", text: suffix }),
  ),
  greater_than: comparison(
    ">",
    (bound) => (value) => value !== null && parseNumber(value) > bound,
    (bound) => (value) => value !== null && compareCodePoints(value, bound) > 0,
  ),
  less_than: comparison(
    "<",
    (bound) => (value) => value !== null && parseNumber(value) < bound,
    (bound) => (value) => value !== null && compareCodePoints(value, bound) < 0,
  ),
  at_least: comparison(
    ">=",
    (bound) => (value) => value !== null && parseNumber(value) >= bound,
    (bound) => (value) => value !== null && compareCodePoints(value, bound) >= 0,
  ),
  at_most: comparison(
    "<=",
    (bound) => (value) => value !== null && parseNumber(value) <= bound,
    (bound) => (value) => value !== null && compareCodePoints(value, bound) <= 0,
  ),
  in: operator(
    "single",
    members,
    (operand) => {
      const set = new Set(operand);
      return (value) => set.has(value);
    },
    (operand) => ({ kind: "values", values: operand, inside: true }),
  ),
  has: operator(
    "strings",
    element,
    (operand) => hasOneOf([operand]),
    (operand) => ({ kind: "elements", elements: [operand] }),
  ),
  has_any: operator("strings", elements, hasOneOf, (operand) => ({
    kind: "elements",
    elements: operand,
  })),
};

/** The name of an operator, such as `"exactly"`. */
export type OperatorName = keyof typeof operators;

/** The row of an operator. */
export type OperatorRow<Name extends OperatorName> = (typeof operators)[Name];

/** The operators of your own schemas that the contract does not have (rules C14 and C16). */
const ownOperators = ["at_least", "at_most", "has", "has_any"] as const;

/** The operators of the contract. */
export type ContractOperatorName = Exclude<OperatorName, (typeof ownOperators)[number]>;

const own: readonly string[] = ownOperators;
const allNames: readonly OperatorName[] = Object.freeze(
  Object.keys(operators).filter((name) => isOperatorName(name, "values")),
);
const contractNames: readonly OperatorName[] = Object.freeze(
  allNames.filter((name) => !own.includes(name)),
);

/** The names of the operators for records of a form. */
export function operatorNames(form: RecordForm): readonly OperatorName[] {
  return form === "contract" ? contractNames : allNames;
}

/** Whether a name is in the table; inherited names such as `constructor` are not (E11). */
export function isOperatorName(name: string, form: RecordForm): name is OperatorName {
  return Object.hasOwn(operators, name) && (form !== "contract" || !own.includes(name));
}

/** Whether an operator applies to fields of a type in records of a form (C14). */
export function appliesTo(name: OperatorName, type: FieldType, form: RecordForm): boolean {
  switch (operators[name].fields) {
    case "any":
      return true;
    case "single":
      return type !== "strings";
    case "ordered":
      return isNumeric(type) || (type === "string" && form !== "contract");
    case "strings":
      return type === "strings";
  }
}
