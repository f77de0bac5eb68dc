// The table of operators (rule C4): the fields each applies to, the values it takes, and when it
// holds. Types, parsing, messages and evaluation derive from the table. CONTRIBUTING.md says what
// else a new operator needs.

import { describe, TercetError } from "../schema/errors.ts";
import { comparisonText, isNumeric, type FieldType, type WireValue } from "../schema/field.ts";
import { parseNumber, toWireFloat, toWireInteger } from "../schema/numbers.ts";
import type { RecordForm } from "../schema/field.ts";

/** Whether a criterion holds for the value of its field. */
export type ValueTest = (value: WireValue) => boolean;

/** The field of a criterion, and how many values it may have. */
export interface OperandSetting {
  readonly type: FieldType;
  readonly ignoreCase: boolean;
  readonly maxValues: number;
}

/**
 * What an operator takes: a `value` of its field or null, any `text`, a `number` to compare with, or several
 * `values`.
 */
export type Taken = "value" | "text" | "number" | "values";

/** A kind of criterion value: what it accepts, in words, and its normal form. */
interface Operand<Input, Normal> {
  readonly takes: Taken;
  readonly accepts: (type: FieldType) => string;
  /**
   * The normal form, or `undefined` if the input is not accepted. `Input` is only a type.
   *
   * @throws TooManyValues if it is a list of more than `maxValues`; MemberRefused if one of its
   *   members is not accepted
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
  constructor(index: number, accepts: string, given: unknown) {
    super(`value[${index}] must be ${accepts}, not ${describe(given)}`);
  }
}

type Text = string | number;
/** Only the text of an integer, so that the compiler rejects `"five"`. */
type Numeric = number | `${bigint}`;

// C5: a number compares as its text. C13: a lone surrogate is not valid. C15: a boolean, too. V11: in lower
// case, if the field ignores case.
const text: Operand<Text, string> = {
  takes: "text",
  accepts: (type) =>
    `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""} or a finite number`,
  normalize: (input, { type, ignoreCase }) => {
    if (typeof input === "string") {
      return input.isWellFormed() ? comparisonText({ ignoreCase }, input) : undefined;
    }
    const isValue = Number.isFinite(input) || (typeof input === "boolean" && type === "boolean");
    return isValue ? String(input) : undefined;
  },
};

const textOrNull: Operand<Text | null, WireValue> = {
  takes: "value",
  accepts: (type) =>
    `a string of well-formed Unicode${type === "boolean" ? ", a boolean" : ""}, a finite number or null`,
  normalize: (input, setting) => (input === null ? null : text.normalize(input, setting)),
};

const numeric: Operand<Numeric, number> = {
  takes: "number",
  accepts: (type) =>
    type === "int"
      ? "a safe integer or its canonical decimal string"
      : "a finite number or its canonical string",
  normalize: (input, { type }) => {
    if (typeof input === "bigint") return undefined;
    const wire = type === "int" ? toWireInteger(input) : toWireFloat(input);
    return wire === undefined ? undefined : parseNumber(wire);
  },
};

const members: Operand<string | readonly (Text | null)[], readonly WireValue[]> = {
  takes: "values",
  accepts: (type) =>
    `a comma-separated string, or an array of strings, ${type === "boolean" ? "booleans, " : ""}finite numbers and nulls, all of well-formed Unicode`,
  normalize: (input, setting) => {
    const { type, maxValues } = setting;
    const distinct = new Set<WireValue>();
    if (typeof input === "string") {
      // Checked before the split: no comma can turn a lone surrogate into a character.
      if (!input.isWellFormed()) return undefined;
      let count = 0;
      // Not split(): a hundred million commas make one member, not an array of them.
      for (let start = 0; start <= input.length;) {
        if (++count > maxValues) throw new TooManyValues(maxValues);
        const comma = input.indexOf(",", start);
        const end = comma === -1 ? input.length : comma;
        distinct.add(comparisonText(setting, input.slice(start, end)));
        start = end + 1;
      }
    } else if (Array.isArray(input)) {
      const length = input.length;
      if (length > maxValues) throw new TooManyValues(maxValues);
      for (let i = 0; i < length; i++) {
        const given: unknown = input[i];
        const member = textOrNull.normalize(given, setting);
        if (member === undefined) throw new MemberRefused(i, textOrNull.accepts(type), given);
        distinct.add(member);
      }
    } else {
      return undefined;
    }
    return Object.freeze([...distinct]);
  },
};

/** The fields that an operator applies to. */
export type Applicable = "any" | "numeric";

/** A row of the table. */
export interface Operator<Fields extends Applicable = Applicable, Input = unknown> {
  readonly fields: Fields;
  readonly takes: Taken;
  readonly accepts: (type: FieldType) => string;
  /**
   * The value's normal form and the test it makes, or `undefined` if the value is not accepted.
   *
   * @throws TooManyValues, MemberRefused
   */
  readonly bind: (input: unknown, setting: OperandSetting) => BoundOperator | undefined;
  readonly input?: Input;
}

/**
 * Exactly the values for which an operator holds, as data: indexes and SQL derive from it. An operator that no
 * kind describes needs a new kind; each place that must handle the kind then fails to compile.
 */
export type Bounds =
  /** These values or, if not `inside`, all others. */
  | { readonly kind: "values"; readonly values: readonly WireValue[]; readonly inside: boolean }
  | TextBounds
  /** The numbers that compare in this way with the bound. */
  | { readonly kind: ">" | ">=" | "<" | "<="; readonly bound: number };

/** The strings that begin with the text, end with it, or contain it. */
export interface TextBounds {
  readonly kind: "prefix" | "suffix" | "substring";
  readonly text: string;
}

/** A text that each value within the bounds contains; empty if they require none. */
export function requiredText(bounds: Bounds): string {
  switch (bounds.kind) {
    case "prefix":
    case "suffix":
    case "substring":
      return bounds.text;
    case "values":
    case ">":
    case ">=":
    case "<":
    case "<=":
      return "";
  }
}

export interface BoundOperator {
  readonly value: OperandValue;
  readonly test: ValueTest;
  readonly bounds: Bounds;
}

/** The normal form of a criterion's value. */
export type OperandValue = WireValue | number | readonly WireValue[];

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

// C6: null satisfies only equality with null, and `not` of anything else.
export const operators = {
  exactly: operator(
    "any",
    textOrNull,
    (wanted) => (value) => value === wanted,
    (wanted) => ({ kind: "values", values: [wanted], inside: true }),
  ),
  not: operator(
    "any",
    textOrNull,
    (unwanted) => (value) => value !== unwanted,
    (unwanted) => ({ kind: "values", values: [unwanted], inside: false }),
  ),
  contains: operator(
    "any",
    text,
    (part) => (value) => value?.includes(part) === true,
    (part) => ({ kind: "substring", text: part }),
  ),
  starts_with: operator(
    "any",
    text,
    (prefix) => (value) => value?.startsWith(prefix) === true,
    (prefix) => ({ kind: "prefix", text: prefix }),
  ),
  ends_with: operator(
    "any",
    text,
    (suffix) => (value) => value?.endsWith(suffix) === true,
    (suffix) => ({ kind: "suffix", text: suffix }),
  ),
  greater_than: operator(
    "numeric",
    numeric,
    (bound) => (value) => value !== null && parseNumber(value) > bound,
    (bound) => ({ kind: ">", bound }),
  ),
  less_than: operator(
    "numeric",
    numeric,
    (bound) => (value) => value !== null && parseNumber(value) < bound,
    (bound) => ({ kind: "<", bound }),
  ),
  at_least: operator(
    "numeric",
    numeric,
    (bound) => (value) => value !== null && parseNumber(value) >= bound,
    (bound) => ({ kind: ">=", bound }),
  ),
  at_most: operator(
    "numeric",
    numeric,
    (bound) => (value) => value !== null && parseNumber(value) <= bound,
    (bound) => ({ kind: "<=", bound }),
  ),
  in: operator(
    "any",
    members,
    (wanted) => {
      const set = new Set(wanted);
      return (value) => set.has(value);
    },
    (wanted) => ({ kind: "values", values: wanted, inside: true }),
  ),
};

export type OperatorName = keyof typeof operators;

type Row<Name extends OperatorName> = (typeof operators)[Name];

/** The operators that users' schemas have and the contract lacks (rule C14). */
const ownOperators = ["at_least", "at_most"] as const;

/** The operators of the contract. */
export type ContractOperatorName = Exclude<OperatorName, (typeof ownOperators)[number]>;

/** The operators that apply to fields of a type. */
export type OperatorFor<Type extends FieldType> = OperatorsFor[Type];

/** A table, not a function of types, so that errors list the operators and not where they come from. */
export interface OperatorsFor {
  readonly int: OperatorName;
  readonly float: OperatorName;
  readonly boolean: OperatorsFor["string"];
  readonly string: {
    [Name in OperatorName]: Row<Name>["fields"] extends "any" ? Name : never;
  }[OperatorName];
  readonly json: never;
}

/** {@link OperatorsFor} in the two methods of the service. */
export interface ContractOperatorsFor {
  readonly int: ContractOperatorName;
  readonly float: ContractOperatorName;
  readonly boolean: ContractOperatorsFor["string"];
  readonly string: Extract<OperatorsFor["string"], ContractOperatorName>;
  readonly json: never;
}

/** The operators of a field in a schema whose records have a form: all, if it is known only at run time. */
export type OperatorsIn<Form extends RecordForm> = [Form] extends ["contract"]
  ? ContractOperatorsFor
  : OperatorsFor;

/** The values that an operator takes. `Value` are those of the field, if it is enumerated. */
export type ValueFor<Name extends OperatorName, Value extends string = never> = [Value] extends [
  never,
]
  ? InputFor<Name>
  : Offering<InputFor<Name>, Value>;

type InputFor<Name extends OperatorName> = Exclude<Row<Name>["input"], undefined>;

/** The wire texts of booleans. */
export type BooleanText = "true" | "false";

/** What an operator also takes on a boolean field (rule C15), if a value of the type `Given` is written. */
export type BooleanValueFor<Name extends OperatorName, Given = readonly Text[]> = Name extends "in"
  ? readonly (Findable<BooleanText, MemberOf<Given>> | boolean)[]
  : Row<Name>["fields"] extends "any"
    ? boolean
    : never;

/**
 * The values that an operator takes if a value of the type `Given` is written. On an enumerated field and on
 * a boolean one, `exactly`, `not` and `in` refuse any other literal, since it could never match.
 */
export type WrittenValueFor<Name extends OperatorName, Value extends string, Given> = [
  Value,
] extends [never]
  ? InputFor<Name>
  : Name extends "exactly" | "not"
    ? Findable<Value, Given>
    : Name extends "in"
      ? Exclude<Findable<Value, Given>, number | null> | readonly Findable<Value, MemberOf<Given>>[]
      : ValueFor<Name, Value>;

type MemberOf<Given> = Given extends readonly (infer Member)[] ? Member : never;

/** The values themselves, `null`, and the given value if it is not a literal, or is the number of a value. */
type Findable<Value extends string, Given> = [Value] extends [never]
  ? never
  : Value | null | (Given extends string | number ? FindableOf<Value, Given> : never);

/** A record that must have a member named by a literal; for any other type it may have none. */
type FindableOf<Value extends string, Given extends string | number> =
  // oxlint-disable-next-line typescript/no-empty-object-type -- what need have no member
  {} extends Record<Given, never>
    ? Given
    : Given extends number
      ? `${Given}` extends Value
        ? Given
        : never
      : never;

/** Any string, with completions in editors. */
export type Suggested<Value extends string> = Value | (string & {});

/** The same, with suggestions where any string is legal (V7). */
type Offering<Input, Value extends string> = Input extends string
  ? string extends Input
    ? Suggested<Value>
    : Input
  : Input extends readonly (infer Member)[]
    ? readonly Offering<Member, Value>[]
    : Input;

const allNames: readonly string[] = Object.freeze(Object.keys(operators));
const own: readonly string[] = ownOperators;
const contractNames: readonly string[] = Object.freeze(
  allNames.filter((name) => !own.includes(name)),
);

/** The names of the operators that criteria on records of a form may have. */
export function operatorNames(form: RecordForm): readonly string[] {
  return form === "contract" ? contractNames : allNames;
}

/** Whether a name is in the table; inherited ones such as `constructor` are not (E11). */
export function isOperatorName(name: string, form: RecordForm): name is OperatorName {
  return Object.hasOwn(operators, name) && (form !== "contract" || !own.includes(name));
}

/** Whether an operator applies to fields of a type. */
export function appliesTo(name: OperatorName, type: FieldType): boolean {
  return operators[name].fields === "any" || isNumeric(type);
}
