// A query with parameters, parsed and checked once. Filling in their values makes a parsed query.

import { distinct } from "../../criteria/distinct.ts";
import {
  bindCriterion,
  CriteriaError,
  criteriaErrorOf,
  readGroups,
  readTriple,
  type CriteriaOptions,
  type ParsedCriteria,
  type ParsedCriterion,
  type ReadCriterion,
  type Triple,
} from "../../criteria/parse.ts";
import { alternatives, InputError, quote } from "../../schema/errors.ts";
import { membersOf, reading } from "../../schema/input.ts";
import type { Schema } from "../../schema/schema.ts";
import { Parameter } from "./parameter.ts";
import {
  deadlineOf,
  parametersOf,
  parseLimit,
  parseOffset,
  parseSort,
  QueryError,
  type ParsedQuery,
  type QueryOptions,
} from "./query.ts";

/** A parameter: its name, and the position of its value among those of a run. */
class Placeholder {
  readonly name: string;
  readonly index: number;

  constructor(name: string, index: number) {
    this.name = name;
    this.index = index;
  }
}

/** A criterion whose value is a parameter. */
interface UnboundCriterion extends Triple {
  readonly position: number;
  readonly value: Placeholder;
}

type Group = readonly (ParsedCriterion | UnboundCriterion)[];

/** The place of a parameter: the position of its criterion, or its role in the page. */
type Place = number | "limit" | "offset";

/** The values of one run, in the order of their parameters. */
type Values = readonly unknown[];

/** The parameters of a query, in the order they are found. */
class Placeholders {
  readonly names: string[] = [];
  /** For each the first place where it occurs. */
  readonly places: Place[] = [];

  of({ name }: Parameter, place: Place): Placeholder {
    const known = this.names.indexOf(name);
    if (known >= 0) return new Placeholder(name, known);
    this.places.push(place);
    return new Placeholder(name, this.names.push(name) - 1);
  }
}

export class QueryTemplate {
  readonly #options: QueryOptions;
  readonly #groups: readonly Group[];
  /** `undefined` if values are missing. */
  readonly #criteria: ParsedCriteria | undefined;
  readonly #sort: ParsedQuery["sort"];
  readonly #limit: number | Placeholder;
  readonly #offset: number | Placeholder;
  readonly #placeholders = new Placeholders();
  /** The only query that it can make, if it has no parameter. */
  readonly #constant: ParsedQuery | undefined;

  /**
   * Checks a query like {@link parseQuery}, except the values of its parameters.
   *
   * @throws CriteriaError, QueryError
   */
  constructor(schema: Schema, query: unknown, options: QueryOptions) {
    const placeholders = this.#placeholders;
    const { criteria, limit, offset, sortBy, sortOrder, sort } = parametersOf(query ?? {});
    this.#options = options;
    this.#groups = readGroups(schema, criteria ?? [], options, openReader(placeholders));
    this.#limit = Parameter.is(limit) ? placeholders.of(limit, "limit") : parseLimit(limit);
    this.#offset = Parameter.is(offset) ? placeholders.of(offset, "offset") : parseOffset(offset);
    this.#sort = parseSort(schema, sortBy, sortOrder, sort);
    this.#criteria = this.#groups.some((group) => group.some(isOpen)) ? undefined : this.#bind([]);
    const isConstant = placeholders.names.length === 0 && options.milliseconds === undefined;
    if (isConstant) this.#constant = this.fill({});
  }

  /** Whether the criteria are the same in every run. */
  get isSelectingSame(): boolean {
    return this.#criteria !== undefined;
  }

  /**
   * The query with values in the places of its parameters. Reads each value once.
   *
   * @throws CriteriaError or QueryError with the place of a parameter whose value is missing or not valid
   *   there; InputError if the values are not an object, or have an unknown member
   */
  fill(given: unknown): ParsedQuery {
    if (given === undefined && this.#constant !== undefined) return this.#constant;
    const values = this.#read(given);
    const criteria = this.#criteria ?? this.#bind(values);
    const limit = this.#limit instanceof Placeholder ? limitOf(this.#limit, values) : this.#limit;
    const offset =
      this.#offset instanceof Placeholder ? offsetOf(this.#offset, values) : this.#offset;
    return { criteria, sort: this.#sort, offset, limit, deadline: deadlineOf(this.#options) };
  }

  #read(given: unknown): Values {
    const { names, places } = this.#placeholders;
    const values = reading("values", () => readValues(given ?? {}, names));
    for (let i = 0; i < values.length; i++) {
      if (values[i] === undefined) throw missing(names[i]!, places[i]!);
    }
    return values;
  }

  #bind(values: Values): ParsedCriteria {
    const options = this.#options;
    const groups = this.#groups.map((group) =>
      group.map((criterion) => (isOpen(criterion) ? bound(criterion, values, options) : criterion)),
    );
    return distinct({ groups });
  }
}

/** The members with these names, each read once; `undefined` if there are none. */
function readValues(given: unknown, names: readonly string[]): Values {
  const values = names.map((): unknown => undefined);
  const members = membersOf(given, "values");
  for (const name of Object.keys(members)) {
    const index = names.indexOf(name);
    if (index < 0) {
      throw new InputError("values", `has no member ${quote(name)}; use ${alternatives(names)}`);
    }
    values[index] = members[name];
  }
  return values;
}

function missing(name: string, place: Place): CriteriaError | QueryError {
  const reason = `parameter ${quote(name)} has no value`;
  return typeof place === "number"
    ? new CriteriaError(place, reason, { code: "missing" })
    : new QueryError(place, reason, { code: "missing" });
}

function openReader(placeholders: Placeholders): ReadCriterion<ParsedCriterion | UnboundCriterion> {
  return (schema, element, position, options) => {
    const triple = readTriple(schema, element, position, options);
    const { value } = triple;
    return Parameter.is(value)
      ? { ...triple, position, value: placeholders.of(value, position) }
      : bindCriterion(position, triple, value, options);
  };
}

function isOpen(criterion: ParsedCriterion | UnboundCriterion): criterion is UnboundCriterion {
  return criterion.value instanceof Placeholder;
}

/** @throws CriteriaError */
function bound(
  criterion: UnboundCriterion,
  values: Values,
  options: Required<CriteriaOptions>,
): ParsedCriterion {
  const { position } = criterion;
  const { name, index } = criterion.value;
  try {
    return bindCriterion(position, criterion, values[index], options);
  } catch (error) {
    const { reason, cause, code } = criteriaErrorOf(error, position);
    throw new CriteriaError(position, `parameter ${quote(name)}: ${reason}`, { cause, code });
  }
}

/** @throws QueryError */
function limitOf({ name, index }: Placeholder, values: Values): number {
  try {
    return parseLimit(values[index]);
  } catch (error) {
    throw namingParameter(name, error);
  }
}

/** @throws QueryError */
function offsetOf({ name, index }: Placeholder, values: Values): number {
  try {
    return parseOffset(values[index]);
  } catch (error) {
    throw namingParameter(name, error);
  }
}

function namingParameter(name: string, error: unknown): unknown {
  if (!(error instanceof QueryError)) return error;
  return new QueryError(error.parameter, `parameter ${quote(name)}: ${error.reason}`, error);
}
