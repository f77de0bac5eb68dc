// Queries from texts: the parameters of a URL, or the fields of a form.

import { criterionFromText } from "../criteria/criterion-from-text.ts";
import type { Criteria } from "../criteria/criteria.ts";
import { operatorsOf } from "../criteria/operators-of.ts";
import type { OperatorName } from "../criteria/operators.ts";
import type { SortPair } from "../engine/query.ts";
import { alternatives, describe, InputError, member, quote } from "../schema/errors.ts";
import { isIterable, iterate, reading } from "../schema/input.ts";
import { fieldOf, type FieldName } from "../schema/names.ts";
import { suggestion } from "../schema/nearest.ts";
import { must, oneOf, optional, readOptions } from "../schema/options.ts";
import { requireSchema, type Schema } from "../schema/schema.ts";

/** What the parameters may ask for. */
export interface TextQueryOptions<
  S extends Schema = Schema,
  Paging extends TextPaging = TextPaging,
> {
  /** The fields that criteria, sorts and selections may name. Default: all. */
  readonly fields?: readonly FieldName<S>[] | undefined;
  /** The operators of criteria. Default: all. */
  readonly operators?: readonly OperatorName[] | undefined;
  /** Whether pages are reached by `after`, `before` and `last`, or by `offset`. Default `"cursor"`. */
  readonly paging?: Paging | undefined;
}

/** How the pages of a query are reached. */
export type TextPaging = "cursor" | "offset";

/**
 * A query read from texts: for `page` of a collection or, with offsets, for `query`. It has only the members that were
 * given.
 */
export type TextQuery<
  S extends Schema = Schema,
  Paging extends TextPaging = "cursor",
> = TextQueryBase<S> & (Paging extends "cursor" ? TextPosition : { readonly offset?: number });

/** The members of a query that do not depend on how its pages are reached. */
export interface TextQueryBase<S extends Schema = Schema> {
  readonly criteria: Criteria<S>;
  readonly sort?: readonly SortPair<S>[];
  readonly limit?: number;
  readonly select?: readonly string[];
}

/** Where a page is: see {@link PagePosition}. */
export interface TextPosition {
  readonly after?: string;
  readonly before?: string;
  readonly last?: boolean;
}

/** The parameters of a URL or a form: names and texts. */
export type TextParameters = string | Iterable<readonly [name: string, value: unknown]>;

/**
 * Reads a query from the parameters of a URL, or the fields of a form: `state=open&votes.at_least=5&sort=-votes`. The
 * collection checks the values. All criteria must hold; add your own: `[["owner", "exactly", user], query.criteria]`.
 *
 * @param parameters a query string, `URLSearchParams`, `FormData`, or other pairs of a name and a text
 * @param options what the parameters may ask for
 * @throws InputError with the path of the first parameter that is not valid, such as `parameters.titel`; SchemaError
 */
export function queryFromText<S extends Schema, Paging extends TextPaging = "cursor">(
  schema: S,
  parameters: TextParameters,
  options?: TextQueryOptions<S, Paging>,
): TextQuery<S, Paging>;
export function queryFromText(
  schema: Schema,
  parameters: unknown,
  options: unknown = {},
): TextQuery {
  requireSchema(schema);
  const { fields, operators, paging } = readOptions(options, "options", optionReaders);
  const ofPages: readonly string[] = paging === "offset" ? ["offset"] : ["after", "before", "last"];
  const readers = new Map(
    Object.entries(memberReaders).filter(
      ([name]) => ofPages.includes(name) || ["sort", "select", "limit"].includes(name),
    ),
  );
  const isAllowed = (name: string) =>
    fieldOf(schema, name) !== undefined && (fields === undefined || fields.includes(name));
  const known = Object.keys(schema.fields).filter(isAllowed);
  const allOperators = operatorsOf(schema);
  const criteria: unknown[] = [];
  const members: Record<string, unknown> = {};
  for (const [name, texts] of textsByName(parameters)) {
    const path = member("parameters", name);
    const read = readers.get(name);
    if (read !== undefined) {
      const [text, ...others] = texts;
      if (others.length > 0) throw new InputError(path, "may be given once");
      if (text === undefined) continue;
      members[name] = read(text, path, (field) => {
        if (!isAllowed(field)) throw unknownField(path, field, known);
        return field;
      });
    } else criteria.push(...criteriaOf(name, texts, path));
  }
  // Criteria and names that were checked, as far as their types are known at run time only.
  return { criteria, ...members } as TextQuery;

  /** The criteria of a parameter. */
  function criteriaOf(name: string, texts: readonly string[], path: string): unknown[] {
    const dot = isAllowed(name) ? -1 : name.lastIndexOf(".");
    const field = dot < 0 ? name : name.slice(0, dot);
    const isStep = dot >= 0 && !allOperators.some((each) => each.name === name.slice(dot + 1));
    const through = isStep ? known.filter((each) => each.startsWith(`${field}.`)) : [];
    if (through.length > 0) throw unknownField(path, name, through);
    if (!isAllowed(field))
      throw unknownField(path, field, [...new Set([...known, ...readers.keys()])]);
    const offered = operatorsOf(schema, field).filter(
      (each) => operators === undefined || operators.includes(each.name),
    );
    const isOffered = (wanted: string) => offered.find((each) => each.name === wanted);
    const isArray = fieldOf(schema, field)?.type === "strings";
    const wanted = dot < 0 ? (isArray ? "has" : "exactly") : name.slice(dot + 1);
    const operator = isOffered(wanted);
    if (operator === undefined) {
      const names = offered.map((each) => each.name);
      const reason =
        names.length === 0
          ? `${quote(field)} can't be searched`
          : `unknown operator ${quote(wanted)}; use ${alternatives(names)}`;
      throw new InputError(path, reason);
    }
    const [first, ...others] = texts;
    if (first === undefined) return [];
    if (others.length === 0) return [criterionFromText(schema, field, wanted, first)];
    const { takes } = operator;
    if (takes === "values" || takes === "elements" || takes === "range") {
      return [criterionFromText(schema, field, wanted, texts)];
    }
    const any = takes === "element" ? "has_any" : wanted === "exactly" ? "in" : undefined;
    if (any !== undefined && isOffered(any) !== undefined) {
      return [criterionFromText(schema, field, any, texts)];
    }
    return texts.map((text) => criterionFromText(schema, field, wanted, text));
  }
}

const unknownField = (path: string, field: string, known: readonly string[]) =>
  new InputError(
    path,
    `unknown field ${quote(field)}${suggestion(field, known) || `; use ${alternatives(known)}`}`,
    { code: "unknown_field" },
  );

const names = must("an array of names", (given): given is readonly unknown[] =>
  Array.isArray(given),
);

const optionReaders = {
  fields: optional(names),
  operators: optional(names),
  paging: optional(oneOf("cursor", "offset"), "cursor"),
};

type ReadMember = (text: string, path: string, fieldOf: (name: string) => string) => unknown;

const count: ReadMember = (text, path) => {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new InputError(path, `must be a non-negative integer, not ${describe(text)}`);
};

const asItIs: ReadMember = (text) => text;

/** The parameters that are no criteria. */
const memberReaders: Readonly<Record<string, ReadMember>> = {
  sort: (text, _, fieldNamed) =>
    text
      .split(",")
      .map((each) =>
        each.startsWith("-")
          ? ([fieldNamed(each.slice(1)), "DESC"] as const)
          : ([fieldNamed(each), "ASC"] as const),
      ),
  select: (text, _, fieldNamed) => text.split(",").map(fieldNamed),
  limit: count,
  offset: count,
  after: asItIs,
  before: asItIs,
  last: (text, path) => {
    if (text === "true" || text === "false") return text === "true";
    throw new InputError(path, `must be "true" or "false", not ${describe(text)}`);
  },
};

/** The texts of each name, those that are empty left out, in the order in which the names are first given. */
function textsByName(parameters: unknown): ReadonlyMap<string, readonly string[]> {
  const pairs =
    typeof parameters === "string"
      ? new URLSearchParams(parameters)
      : reading("parameters", () => parameters);
  if (!isIterable(pairs)) {
    throw new InputError(
      "parameters",
      `must be a query string, URLSearchParams, or pairs of a name and a text, not ${describe(parameters)}`,
    );
  }
  const texts = new Map<string, string[]>();
  for (const pair of iterate(pairs, "parameters")) {
    const parts: readonly unknown[] = Array.isArray(pair) ? pair : [];
    const [name, text] = parts;
    if (typeof name !== "string") {
      throw new InputError(
        "parameters",
        `must be pairs of a name and a text, not ${describe(pair)}`,
      );
    }
    if (typeof text !== "string") {
      throw new InputError(member("parameters", name), `must be a text, not ${describe(text)}`);
    }
    const own = texts.get(name) ?? [];
    texts.set(name, own);
    if (text !== "") own.push(text);
  }
  return texts;
}
