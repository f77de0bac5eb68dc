// The values that operators take: how each kind is described, brought into its normal form, and turned into bounds.

import { describe, TercetError, type TercetErrorCode } from "../schema/errors.ts";
import {
  comparisonText,
  isNumeric,
  isText,
  remedyFor,
  type FieldType,
  type RecordForm,
  type TextValue,
} from "../schema/field.ts";
import type { Folding } from "../schema/folding.ts";
import type { ValueOptions } from "../schema/kinds/kind.ts";
import { isSafeBigInt, toFloatText, toIntegerText, parseNumber } from "../schema/numbers.ts";
import { compareCodePoints } from "../schema/order.ts";
import { NO_ELEMENTS } from "../schema/strings.ts";
import type { Bounds } from "./bounds.ts";
import type { Operator, Selects, Taken } from "./operator.ts";
import { testOfTexts, type ValueTest } from "./value-test.ts";

/** The field of a criterion, the form of the schema's records, and the maximum number of values. */
export interface OperandSetting extends ValueOptions, Folding {
  readonly type: FieldType;
  readonly form: RecordForm;
  readonly maxValues: number;
}

/** What decides which values an operator takes. */
type OperandContext = Pick<OperandSetting, "type" | "form">;

/** The normal forms of values. */
interface Normal {
  readonly value: TextValue;
  readonly text: string;
  readonly bound: number | string;
  readonly range: readonly [low: number | string, high: number | string];
  readonly values: readonly TextValue[];
  readonly element: string;
  readonly elements: readonly string[];
}

/** The normal form of a criterion's value. */
export type OperandValue = Normal[Taken];

/** A kind of value. */
interface Operand<Takes extends Taken> {
  /** Completes "takes …" in messages. */
  readonly accepts: (context: OperandContext) => string;
  /**
   * The normal form, or `undefined` if the input is not accepted.
   *
   * @throws OperandError if a member of a list is not accepted, or it has more than `maxValues`
   */
  readonly normalize: (input: unknown, setting: OperandSetting) => Normal[Takes] | undefined;
  readonly bounds: (normal: Normal[Takes], selects: Selects[Takes]) => Bounds;
}

/** A list of values is not valid because of its members or their number. */
export class OperandError extends TercetError {
  declare readonly code: TercetErrorCode;
}

const tooMany = (maxValues: number) =>
  new OperandError(`there may be at most ${maxValues} values`, { code: "limit" });

/** A member of a list of values is not valid. */
function memberRefused(index: number, accepts: string, given: unknown, remedy = "") {
  return new OperandError(`value[${index}] must be ${accepts}, not ${describe(given)}${remedy}`);
}

// C5, C15: numbers and booleans compare in text form. C13: no lone surrogates. V11, V17: folded if the
// field ignores case or accents.
const text: Operand<"text"> = {
  accepts: ({ type }) =>
    `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""} or a finite number`,
  normalize: (input, setting) => {
    const { type, form } = setting;
    switch (typeof input) {
      case "string":
        return input.isWellFormed() ? comparisonText(setting, input) : undefined;
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
  bounds: (normal, kind) => ({ kind, text: normal }),
};

/**
 * Whether `exactly`, `not` and `in` take only values that a field of the type can hold, and so report a misspelt number
 * (C5a). In the contract, and in string fields, other values match nothing.
 */
const takesOnlyValues = ({ type, form }: OperandContext): boolean =>
  form !== "contract" && (isNumeric(type) || type === "boolean");

const value: Operand<"value"> = {
  accepts: (context) => {
    const { type } = context;
    if (type === "strings") return "[] or null";
    if (!takesOnlyValues(context)) {
      return `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""}, a finite number or null`;
    }
    return type === "boolean" ? "true, false or null" : `${acceptedNumber(context)}, or null`;
  },
  normalize: (input, setting) => {
    if (input === null) return null;
    const { type } = setting;
    if (type === "strings") return isEmptyArray(input) ? NO_ELEMENTS : undefined;
    if (!takesOnlyValues(setting)) return text.normalize(input, setting);
    if (type !== "boolean") {
      const number = numberIn(input, setting);
      return number === undefined ? undefined : String(number);
    }
    const textForm = text.normalize(input, setting);
    return textForm === "true" || textForm === "false" ? textForm : undefined;
  },
  bounds: (normal, selects) => ({
    kind: "values",
    values: [normal],
    inside: selects === "equal",
  }),
};

const isEmptyArray = (input: unknown): boolean => Array.isArray(input) && input.length === 0;

/** A number of the field, given as a number, a bigint or in text form; `undefined` for anything else. */
function numberIn(input: unknown, { type, form }: OperandContext): number | undefined {
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

const acceptedNumber = ({ type }: OperandContext): string =>
  type === "int"
    ? "a safe integer or its canonical decimal string"
    : "a finite number or its canonical string";

const bound: Operand<"bound"> = {
  accepts: (context) =>
    isText(context.type) ? "a string of well-formed Unicode" : acceptedNumber(context),
  normalize: (input, setting) => {
    if (!isText(setting.type)) return numberIn(input, setting);
    return typeof input === "string" ? text.normalize(input, setting) : undefined;
  },
  bounds: (normal, comparison) => ({
    kind: "interval",
    limits: [{ comparison, bound: normal }],
  }),
};

/** Two bounds, both of them members of the range. */
const range: Operand<"range"> = {
  accepts: (context) =>
    `an array of two bounds, the lower one first, each ${bound.accepts(context)}`,
  normalize: (input, setting) => {
    if (!Array.isArray(input) || input.length !== 2) return undefined;
    const given: readonly unknown[] = [input[0], input[1]];
    const [low, high] = given.map((each, index) => {
      const one = bound.normalize(each, setting);
      if (one !== undefined) return one;
      throw memberRefused(index, bound.accepts(setting), each, remedyFor(setting, each));
    });
    if (low === undefined || high === undefined) return undefined;
    if (isAbove(low, high)) {
      const [above, below] = given.map(describe);
      throw new OperandError(
        `value[0] must not be above value[1], and ${above} is above ${below}; write [${below}, ${above}]`,
      );
    }
    return Object.freeze([low, high] as const);
  },
  bounds: ([low, high], [from, to]) => ({
    kind: "interval",
    limits: [
      { comparison: from, bound: low },
      { comparison: to, bound: high },
    ],
  }),
};

const isAbove = (a: number | string, b: number | string): boolean =>
  typeof a === "string" && typeof b === "string" ? compareCodePoints(a, b) > 0 : a > b;

const values: Operand<"values"> = {
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
        const remedy = remedyFor(setting, given);
        throw memberRefused(index, value.accepts(setting), given, remedy);
      }
      distinct.add(member);
    };
    if (typeof input === "string") {
      // Checked before splitting: a comma can't turn a lone surrogate into a character.
      if (!input.isWellFormed()) return undefined;
      let count = 0;
      // Not split(), because a string of a hundred million commas counts as one member.
      for (let start = 0; start <= input.length; count++) {
        if (count === maxValues) throw tooMany(maxValues);
        const comma = input.indexOf(",", start);
        const end = comma === -1 ? input.length : comma;
        add(count, input.slice(start, end));
        start = end + 1;
      }
    } else if (Array.isArray(input)) {
      const length = input.length;
      if (length > maxValues) throw tooMany(maxValues);
      for (let i = 0; i < length; i++) add(i, input[i]);
    } else {
      return undefined;
    }
    return Object.freeze([...distinct]);
  },
  bounds: (normal) => ({ kind: "values", values: normal, inside: true }),
};

// C16, C17: the elements of an array of strings. A string that is not well-formed Unicode is in no record.
const element: Operand<"element"> = {
  accepts: () => "a string of well-formed Unicode",
  normalize: (input) => (typeof input === "string" && input.isWellFormed() ? input : undefined),
  bounds: (normal) => ({ kind: "elements", elements: [normal], areAll: false }),
};

const elements: Operand<"elements"> = {
  accepts: () => "an array of strings of well-formed Unicode",
  normalize: (input, setting) => {
    if (!Array.isArray(input)) return undefined;
    const { length } = input;
    if (length > setting.maxValues) throw tooMany(setting.maxValues);
    const distinct = new Set<string>();
    for (let i = 0; i < length; i++) {
      const given: unknown = input[i];
      const member = element.normalize(given, setting);
      if (member === undefined) throw memberRefused(i, element.accepts(setting), given);
      distinct.add(member);
    }
    return Object.freeze([...distinct]);
  },
  bounds: (normal, selects) => ({
    kind: "elements",
    elements: normal,
    areAll: selects === "containing all",
  }),
};

const operands: { readonly [Takes in Taken]: Operand<Takes> } = {
  value,
  text,
  bound,
  range,
  values,
  element,
  elements,
};

/** An operator with its value: the test of a stored value, and the same condition as bounds, for indexes. */
export interface BoundOperator {
  readonly value: OperandValue;
  readonly test: ValueTest;
  readonly bounds: Bounds;
}

/**
 * An operator with a value, or `undefined` if it does not take the value.
 *
 * @throws OperandError
 */
export function bind<Takes extends Taken>(
  { takes, selects }: Pick<Operator<string, never, Takes>, "takes" | "selects">,
  input: unknown,
  setting: OperandSetting,
): BoundOperator | undefined {
  const operand: Operand<Takes> = operands[takes];
  const value = operand.normalize(input, setting);
  if (value === undefined) return undefined;
  const bounds = operand.bounds(value, selects);
  return { value, test: testOfTexts(bounds), bounds };
}

/** The values that an operator takes, for a message: completes "takes …". */
export const accepted = ({ takes }: Pick<Operator, "takes">, context: OperandContext): string =>
  operands[takes].accepts(context);
