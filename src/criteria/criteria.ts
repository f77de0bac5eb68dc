// The types of criteria: which criteria fit a schema, and the type of each value.

import type { Field, FieldType, ListedField, RecordForm } from "../schema/field.ts";
import type { FieldName } from "../schema/names.ts";
import type { Fields } from "../schema/field-types.ts";
import type { Schema } from "../schema/schema.ts";
import type { IsSearchable } from "../schema/field-types.ts";
import type { OperatorName } from "./operators.ts";
import type {
  BooleanText,
  BooleanValueFor,
  ComparisonName,
  OperatorsFor,
  OperatorsIn,
  ValueFor,
  WrittenValueFor,
} from "./operator-types.ts";

/** A criterion for a schema: a field, one of its operators, and a value for the operator. */
export type Criterion<S extends Schema = Schema> = CriteriaOn<S>["criterion"];

/** A table, like {@link OperatorsFor}, so that errors list its members instead of its definition. */
export interface CriteriaOn<S extends Schema> {
  /** The names of the fields. */
  readonly any: {
    [K in FieldName<S>]: IsSearchable<S["fields"][K]> extends true ? K : never;
  }[FieldName<S>];
  /** The fields of numbers that `exactly`, `not` and `in` compare only with numbers (rule C5a). */
  readonly exact: [S["form"]] extends ["values"] ? CriteriaOn<S>["numeric"] : never;
  /** The other fields of single values. */
  readonly other: Exclude<
    {
      [K in CriteriaOn<S>["any"]]: S["fields"][K]["type"] extends "strings" ? never : K;
    }[CriteriaOn<S>["any"]],
    CriteriaOn<S>["exact"] | CriteriaOn<S>["time"]
  >;
  readonly numeric: Searchable<S["fields"], "int"> | Searchable<S["fields"], "float">;
  readonly strings: Searchable<S["fields"], "strings">;
  /** Not fields that are known only at run time: criteria on these have no Dates. */
  readonly time: {
    [K in CriteriaOn<S>["any"]]: S["fields"][K]["type"] extends "time" ? K : never;
  }[CriteriaOn<S>["any"]];
  /** String fields, where comparisons apply. */
  readonly string: S["form"] extends "contract" ? never : Searchable<S["fields"], "string">;
  readonly boolean: Searchable<S["fields"], "boolean">;
  /** The values of the enumerated fields. */
  readonly listed: Listed<S["fields"][FieldName<S>]>;
  readonly operators: OperatorsIn<S["form"]>;
  /** If any field is boolean, every field accepts a boolean: separate members would make type checking slow. */
  readonly criterion:
    | {
        [Op in CriteriaOn<S>["operators"]["int"]]: Op extends ComparisonName
          ? | TripleOn<S, CriteriaOn<S>["numeric"], Op, "int">
            | TripleOn<S, CriteriaOn<S>["string"], Op, "string">
            | TripleOn<S, CriteriaOn<S>["time"], Op, "time">
          : | TripleOn<S, CriteriaOn<S>["time"], Op, "time">
            | TripleOn<S, CriteriaOn<S>["exact"], Op, "int">
            | readonly [
                field: CriteriaOn<S>["other"],
                operator: Op,
                value:
                  | ValueFor<Op, CriteriaOn<S>["listed"], "string", S["form"]>
                  | ([CriteriaOn<S>["boolean"]] extends [never] ? never : BooleanValueFor<Op>),
              ];
      }[CriteriaOn<S>["operators"]["int"]]
    | {
        [Op in OperatorsFor["strings"]]: TripleOn<S, CriteriaOn<S>["strings"], Op, "strings">;
      }[OperatorsFor["strings"]];
  /**
   * In functions that are generic over the schema, criteria on any of its fields, which are checked at run time; `never`
   * for a schema whose fields are known.
   */
  readonly generic: GenericLists<S["fields"]>[keyof GenericLists<S["fields"]>];
  /** Groups and NOT, which the contract does not have (rule C3a). */
  readonly nested: [S["form"]] extends ["contract"] ? never : "NOT" | Criteria<S>;
}

/**
 * Lists of criteria on fields that are known only at run time: there are none in a schema that is known. With a schema
 * that is a type parameter, the compiler compares the names with those of its constraint, any string.
 */
type GenericLists<F extends Fields> = {
  [K in keyof F as string extends K ? K : never]: GenericList<K>;
};
type GenericList<Name> = readonly (
  | readonly [field: Name, operator: OperatorName, value: unknown]
  | "OR"
  | "NOT"
  | GenericList<Name>
)[];

/** A criterion on a field with one of these names, all of one type; `never` if there are no names. */
type TripleOn<
  S extends Schema,
  Name extends string,
  Op extends OperatorName,
  Type extends FieldType,
> = [Name] extends [never]
  ? never
  : readonly [field: Name, operator: Op, value: ValueFor<Op, never, Type, S["form"]>];

/** The names of the searchable fields of a type. */
type Searchable<F extends Fields, Type> = {
  [K in keyof F & string]: Type extends F[K]["type"]
    ? IsSearchable<F[K]> extends true
      ? K
      : never
    : never;
}[keyof F & string];

/**
 * Criteria for a schema: all must hold. `"OR"` between two of them splits the list into groups, and then one group
 * must hold. In your own schemas, an element may also be a list of criteria, a group in parentheses, and `"NOT"`
 * before a criterion or a group negates it.
 */
export type Criteria<S extends Schema = Schema> = readonly (
  | Criterion<S>
  | "OR"
  | CriteriaOn<S>["nested"]
)[];

/**
 * What criteria of the type `C` must be, for functions that infer it. The field and operator of each inline triple
 * determine its type, so that editors suggest what fits and errors point at one word. Types such as `unknown` are
 * checked at run time. Do not combine this type with `null` or `undefined` in a parameter: the compiler would infer
 * from the first of several lists. `Others` are names that may be fields as well, of either type.
 */
export type CheckedCriteria<S extends Schema, C, Others = never> = unknown extends C
  ? C
  : C extends readonly [unknown, ...unknown[]] | readonly []
    ? { readonly [I in keyof C]: CheckedCriterion<S, C[I], Others> } | CriteriaOn<S>["generic"]
    : // Prevents inference here, which would list the criteria of every schema.
      NoInfer<MadeCriteria<CriteriaOnOthers<S, Others>, C>>;

/** Criteria on the fields of a schema, and on other fields of which only the names are known. */
export type CriteriaOnOthers<S extends Schema, Others> = readonly (
  | Criterion<S>
  | {
      [Op in OperatorsFor["int"]]: readonly [
        field: Others,
        operator: Op,
        value: ValueFor<Op, never, "int", "contract">,
      ];
    }[OperatorsFor["int"]]
  | "OR"
  | CriteriaOn<S>["nested"]
)[];

/** Lists defined elsewhere that are or may be criteria. */
type MadeCriteria<Valid, C> = C extends Valid | null | undefined
  ? C
  : C extends readonly unknown[]
    ? MadeList<Valid, C, Exclude<C[number], "OR" | "NOT">>
    : // oxlint-disable-next-line typescript/no-empty-object-type -- what is left of unknown
      {} extends C
      ? C
      : Refused;

type ElementOf<List> = List extends readonly (infer Element)[] ? Element : never;

/** Checks that do not depend on the schema come first: they also work in generic functions. */
type MadeList<Valid, C, Element> = [Element] extends [string]
  ? Refused
  : IsVague<Element> extends true
    ? C
    : IsVague<Exclude<Element, ElementOf<Valid>>> extends true
      ? C
      : Refused;

/** The type that compiler errors show for invalid criteria. */
type Refused =
  | readonly (readonly [field: never, operator: OperatorName, value: unknown] | "OR" | "NOT")[]
  | null
  | undefined;

/** Whether a type leaves open which criterion it is. */
type IsVague<C> = unknown extends C
  ? true
  : C extends readonly [unknown, unknown, unknown]
    ? IsVagueTriple<C>
    : C extends readonly unknown[]
      ? number extends C["length"]
        ? true
        : false
      : string extends C
        ? true
        : false;

type IsVagueTriple<C extends readonly unknown[]> = string extends C[0] | C[1]
  ? true
  : unknown extends C[2]
    ? true
    : false;

/** What an element of the type `C` must be: a criterion, a word between criteria, or a group. */
export type CheckedCriterion<S extends Schema, C, Others = never> = C extends readonly [
  infer Name extends ConditionName<S>,
  "some" | "none",
  infer Nested,
]
  ? readonly [Name, "some" | "none", CheckedCriteria<SchemaBehind<S, Name>, Nested>]
  : CheckedOwnCriterion<S, C, Others>;

/** The schemas of the other collections on which criteria may have conditions, by their names. */
type ConditionsOf<S extends Schema> = S extends {
  readonly "~conditions": infer Schemas extends Readonly<Record<string, Schema>>;
}
  ? Schemas
  : Readonly<Record<never, Schema>>;
type ConditionName<S extends Schema> = keyof ConditionsOf<S> & string;
type SchemaBehind<S extends Schema, Name> = Name extends keyof ConditionsOf<S>
  ? ConditionsOf<S>[Name] extends infer Other extends Schema
    ? Other
    : never
  : never;

type CheckedOwnCriterion<S extends Schema, C, Others> = C extends Group
  ? [S["form"]] extends ["contract"]
    ? readonly [field: string, operator: string, value: unknown]
    : CheckedCriteria<S, C, Others>
  : C extends readonly [unknown, unknown, ...unknown[]]
    ? IsVagueTriple<C> extends true
      ? C
      : readonly [
          field: CriteriaOn<S>["any"] | Others,
          ...operation: OperationOn<FieldAt<S["fields"], C[0]>, S["form"], C[1], C[2]>,
        ]
    : C extends "OR" | Extract<CriteriaOn<S>["nested"], string>
      ? C
      : IsVague<C> extends true
        ? C
        : | readonly [field: CriteriaOn<S>["any"] | Others, operator: OperatorName, value: unknown]
          | "OR"
          | Extract<CriteriaOn<S>["nested"], string>;

/** A list that is certainly a group: a criterion begins with a name, and has three elements. */
type Group =
  | readonly []
  | readonly [readonly unknown[], ...unknown[]]
  | readonly ["NOT", readonly unknown[], ...unknown[]]
  | readonly (readonly unknown[] | "OR" | "NOT")[];

/** Independent of the name, so that the compiler evaluates it once for all fields of the same type. */
export type OperationOn<F extends Field, Form extends RecordForm, Op, Given> = readonly [
  operator: OperatorsIn<Form>[F["type"]],
  value: Op extends OperatorName
    ? | WrittenValueFor<Op, ValuesOf<F>, Given, F["type"], Form>
      | ("boolean" extends F["type"] ? BooleanValueFor<Op, Given> : never)
    : unknown,
];

/** The field with this name; a type with all operators if the schema does not have it. */
export type FieldAt<F extends Fields, Name> = Name extends keyof F ? F[Name] : Field<"int">;

/** The text forms of all values of a field, if they are few. */
type ValuesOf<F extends Field> = F["type"] extends "boolean" ? BooleanText : Listed<F>;

/** The values of an enumerated field. */
type Listed<F extends Field> =
  F extends ListedField<infer Value> ? (string extends Value ? never : Value) : never;
