// The types derived from the declared operators: the operators of a field, and the values of each operator.

import type { FieldType, RecordForm } from "../schema/field.ts";
import type { TimeInput } from "../schema/field-types.ts";
import type { ContractOperatorName, OperatorName, OperatorsByName } from "./operators.ts";

export type Text = string | number | bigint;
/** Only the text form of an integer, so that the compiler rejects `"five"`. */
export type Numeric = number | bigint | `${bigint}`;

/**
 * The operators for fields of each type. A table rather than a conditional type, so that errors list the operators
 * instead of its definition.
 */
export interface OperatorsFor {
  readonly int: {
    [Name in OperatorName]: OperatorsByName[Name]["fields"] extends "any" | "single" | "ordered"
      ? Name
      : never;
  }[OperatorName];
  readonly float: OperatorsFor["int"];
  readonly boolean: {
    [Name in OperatorName]: OperatorsByName[Name]["fields"] extends "any" | "single" ? Name : never;
  }[OperatorName];
  readonly string: OperatorsFor["int"];
  readonly strings: {
    [Name in OperatorName]: OperatorsByName[Name]["fields"] extends "any" | "strings"
      ? Name
      : never;
  }[OperatorName];
  readonly json: never;
  readonly time: OperatorsFor["int"];
}

/** {@link OperatorsFor} in the two methods of the service, where comparisons apply only to integers. */
export interface ContractOperatorsFor {
  readonly int: ContractOperatorName;
  readonly float: ContractOperatorName;
  readonly boolean: Extract<OperatorsFor["boolean"], ContractOperatorName>;
  readonly string: ContractOperatorsFor["boolean"];
  readonly strings: never;
  readonly json: never;
  readonly time: never;
}

/** The operators that compare with bounds. */
export type ComparisonName = {
  [Name in OperatorName]: OperatorsByName[Name]["fields"] extends "ordered" ? Name : never;
}[OperatorName];

/**
 * The operators of a field in a schema with a given record form: all operators if the form is known only at run time.
 */
export type OperatorsIn<Form extends RecordForm> = [Form] extends ["contract"]
  ? ContractOperatorsFor
  : OperatorsFor;

/**
 * The values that an operator takes on a field of a type. `Value` is the type of the field's values, if it is
 * enumerated.
 */
export type ValueFor<
  Name extends OperatorName,
  Value extends string = never,
  Type extends FieldType = FieldType,
  Form extends RecordForm = "values",
> = [Value] extends [never]
  ? InputFor<Name, Type, Form>
  : Offering<InputFor<Name, Type, Form>, Value>;

/** Distributes over types: a field that is known only at run time may have any type. */
type InputFor<
  Name extends OperatorName,
  Type extends FieldType,
  Form extends RecordForm,
> = Name extends OperatorName
  ? Type extends FieldType
    ? WithoutBigIntIn<Form, ValuesFor<Type, Form>[TakenBy<Name>]>
    : never
  : never;

/** The kind of value that an operator takes. */
type TakenBy<Name extends OperatorName> = OperatorsByName[Name]["takes"];

/** The values of each kind on a field of a type. */
export interface ValuesFor<Type extends FieldType, Form extends RecordForm> {
  readonly value: (Type extends "strings" ? readonly [] : EqualFor<Type, Form>) | null;
  readonly text: Text;
  readonly bound: BoundFor<Type>;
  readonly range: readonly [low: BoundFor<Type>, high: BoundFor<Type>];
  readonly values: string | readonly (EqualFor<Type, Form> | null)[];
  readonly element: string;
  readonly elements: readonly string[];
}

/** The values that a field of a type may equal (rule C5a). */
type EqualFor<Type extends FieldType, Form extends RecordForm> = [Type, Form] extends [
  "int" | "float",
  "values",
]
  ? Numeric
  : Type extends "time"
    ? TimeInput
    : Text;

/** The contract has no bigints (rule C5a). */
type WithoutBigIntIn<Form extends RecordForm, Input> = [Form] extends ["contract"]
  ? Input extends readonly (infer Member)[]
    ? readonly Exclude<Member, bigint>[]
    : Exclude<Input, bigint>
  : Input;

/** The values that a field of a type can be compared with. */
type BoundFor<Type extends FieldType> = Type extends "string"
  ? string
  : Type extends "int" | "float"
    ? Numeric
    : Type extends "time"
      ? TimeInput
      : never;

/** Booleans in text form. */
export type BooleanText = "true" | "false";

/** The additional values of an operator on a boolean field (rule C15), given a value of type `Given`. */
export type BooleanValueFor<Name extends OperatorName, Given = readonly Text[]> =
  TakenBy<Name> extends "values"
    ? readonly (Findable<BooleanText, MemberOf<Given>> | boolean)[]
    : OperatorsByName[Name]["fields"] extends "any" | "single"
      ? boolean
      : never;

/**
 * The values that an operator takes, given a value of type `Given`. On an enumerated or boolean field, `exactly`, `not`
 * and `in` refuse any other literal, since it could never match.
 */
export type WrittenValueFor<
  Name extends OperatorName,
  Value extends string,
  Given,
  Type extends FieldType,
  Form extends RecordForm,
> = [Value] extends [never]
  ? InputFor<Name, Type, Form>
  : TakenBy<Name> extends "value"
    ? WithoutBigIntIn<Form, Findable<Value, Given>>
    : TakenBy<Name> extends "values"
      ? | Exclude<Findable<Value, Given>, number | bigint | null>
        | WithoutBigIntIn<Form, readonly Findable<Value, MemberOf<Given>>[]>
      : ValueFor<Name, Value, Type, Form>;

type MemberOf<Given> = Given extends readonly (infer Member)[] ? Member : never;

/**
 * The values themselves, `null`, and the given value if it is not a literal, or if it is the number form of a value.
 */
type Findable<Value extends string, Given> = [Value] extends [never]
  ? never
  : | Value
    | null
    | (Given extends string | number
        ? FindableOf<Value, Given>
        : // Not the key of a record.
          Given extends bigint
          ? bigint extends Given
            ? Given
            : `${Given}` extends Value
              ? Given
              : never
          : never);

/** A record that must have a member named by a literal; for any other type it may be empty. */
type FindableOf<Value extends string, Given extends string | number> =
  // oxlint-disable-next-line typescript/no-empty-object-type -- no member is required
  {} extends Record<Given, never>
    ? Given
    : Given extends number
      ? `${Given}` extends Value
        ? Given
        : never
      : never;

/** Any string, with suggestions in editors. */
export type Suggested<Value extends string> = Value | (string & {});

/** The input of a field, with suggestions where any string is legal (V7). */
type Offering<Input, Value extends string> = Input extends string
  ? string extends Input
    ? Suggested<Value>
    : Input
  : Input extends readonly unknown[]
    ? { readonly [I in keyof Input]: Offering<Input[I], Value> }
    : Input;
