// Parameters: the places of a prepared query whose values come with each run, and the types of these
// values, which follow from the places.

import { describe, InputError } from "../../schema/errors.ts";
import type { Schema } from "../../schema/schema.ts";
import type { OperatorName } from "../../criteria/operators.ts";
import type {
  CheckedCriterion,
  CriteriaOn,
  FieldAt,
  OperationOn,
  CheckedCriteria,
} from "../../criteria/criteria.ts";
import type { Query, Vague } from "./query.ts";

/** A named placeholder for a value. Made by {@link parameter}; frozen. */
export class Parameter<Name extends string = string> {
  readonly #name: Name;

  /** @internal */
  constructor(name: Name) {
    this.#name = name;
    Object.freeze(this);
  }

  get name(): Name {
    return this.#name;
  }

  /** @internal Whether a value is one. Reads no property of the value: it may be a proxy. */
  static is(value: unknown): value is Parameter {
    return typeof value === "object" && value !== null && #name in value;
  }
}

/**
 * The place of a value in a prepared query.
 *
 * @param name the name of the value when the query runs. Places with the same name get the same value.
 * @throws InputError if the name is not a string
 */
export function parameter<const Name extends string>(name: Name): Parameter<Name> {
  if (typeof name === "string") return new Parameter(name);
  throw new InputError("name", `must be a string, not ${describe(name)}`);
}

/** A limit or an offset of a prepared query. */
export type CountOrParameter = Query["limit"] | Parameter;

/** A {@link Query} to be prepared: values of criteria, the limit and the offset may be parameters. */
export interface PreparableQuery<
  S extends Schema,
  C,
  SortBy,
  Order,
  Limit,
  Offset,
  Sorting,
> extends Omit<
  Query<S, C, Vague<SortBy>, Vague<Order>, never, never, Vague<Sorting>>,
  "limit" | "offset"
> {
  readonly limit?: Limit;
  readonly offset?: Offset;
}

/** {@link CheckedCriteria} whose values may be parameters. */
export type PreparableCriteria<S extends Schema, C> = unknown extends C
  ? C
  : C extends readonly [unknown, ...unknown[]]
    ? { readonly [I in keyof C]: PreparableCriterion<S, C[I]> }
    : CheckedCriteria<S, C>;

type PreparableCriterion<S extends Schema, C> = C extends readonly [
  infer Name,
  infer Op,
  infer Value extends Parameter,
]
  ? readonly [
      field: CriteriaOn<S>["any"],
      operator: OperationOn<FieldAt<S["fields"], Name>, S["form"], Op, Value>[0],
      value: Value,
    ]
  : CheckedCriterion<S, C>;

/** The values of the parameters of a prepared query, by name. */
export type ParameterValues<S extends Schema, C, Limit, Offset> = ValuesOf<
  UseInCriteria<S, C> | UseAs<Limit, Query["limit"]> | UseAs<Offset, Query["offset"]>
>;

/** An occurrence of a parameter: its name, and what accepts its value there. */
interface Use<Name extends string = string, Value = never> {
  readonly name: Name;
  readonly take: (value: Value) => void;
}

type UseAs<Given, Value> =
  Given extends Parameter<infer Name> ? Use<Name, NonNullable<Value> | null> : never;

type UseInCriteria<S extends Schema, C> = C extends readonly unknown[]
  ? { [I in keyof C]: UseIn<S, C[I]> }[number]
  : never;

type UseIn<S extends Schema, C> = C extends readonly [
  infer Field,
  infer Op extends OperatorName,
  Parameter<infer Name>,
]
  ? Use<Name, OperationOn<FieldAt<S["fields"], Field>, S["form"], Op, string | number>[1]>
  : never;

/** One value for all places of a name: it must suit each. */
type ValuesOf<Uses extends Use> = {
  readonly [Name in Uses["name"]]: Extract<Uses, { readonly name: Name }>["take"] extends (
    value: infer Value,
  ) => void
    ? Value
    : never;
};
