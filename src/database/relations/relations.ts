// Questions that cross collections (rule C20): a path such as `customer.country` is a field that each record of the
// asked collection has, with the value of the record to which it refers; and `["orders", "some", criteria]` is one that
// says whether records of another collection that the criteria select refer to it.

import { Collection, type AnyCollection } from "../../collection/collection.ts";
import { CriteriaError, readCriteria } from "../../criteria/parse.ts";
import { refuseField } from "../../collection/asking.ts";
import { currentDeadline } from "../../engine/algorithms/deadline.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { countBy, readCountByOptions } from "../../engine/execution/count-by.ts";
import { groupValueIn } from "../../engine/execution/value-groups.ts";
import { deadlineOf, parseSelection, type QueryOptions } from "../../engine/query.ts";
import { ExistenceField } from "../../engine/relations/existence-field.ts";
import { Join } from "../../engine/relations/join.ts";
import type { JoinedField } from "../../engine/relations/joined-field.ts";
import { PathField } from "../../engine/relations/path-field.ts";
import type { Snapshot } from "../../engine/versions/snapshot.ts";
import { alternatives, describe, quote } from "../../schema/errors.ts";
import {
  comparisonText,
  textFormOfStored,
  type Field,
  type TextValue,
} from "../../schema/field.ts";
import { countableField, fieldOf } from "../../schema/names.ts";
import { suggestion } from "../../schema/nearest.ts";
import type { Schema } from "../../schema/schema.ts";
import { mapCriteria, namedFields } from "./named-fields.ts";
import type { Reference } from "./references.ts";

/** How many steps a path may have. */
const MOST_STEPS = 8;

/** How many conditions on other collections a question may have, those within them included. */
const MOST_CONDITIONS = 32;

/** The length of paths to which criteria are read here; collections refuse deeper groups. */
const DEEPEST_PATH = 100;

/** How many combinations of fields of others are kept ready. */
const MOST_JOINS = 16;

/** Of longer conditions, the names of fields have only the beginning. */
const LONGEST_WORDS = 200;

/** A field of others, and the fields of others that the other collection needs for it. */
interface Joined {
  readonly field: JoinedField;
  readonly to: string;
  readonly fields: readonly Joined[];
}

/** A question about a collection, which may need fields of others. */
export interface Question {
  readonly asked: unknown;
  /** Whether it crosses collections. */
  readonly isJoined: boolean;
  /** Every collection on which the answer depends. */
  readonly sources: ReadonlySet<string>;
  /** The current version of the asked collection, with the fields of others. */
  readonly collection: () => Collection;
}

/** The criteria that are being read. */
interface Reading {
  /** The path of the current element, as in {@link CriteriaError}. */
  readonly path: readonly number[];
  /** How many conditions on other collections were read so far. */
  readonly count: { conditions: number };
  /** The fields of others so far. */
  readonly joined: Map<string, Joined>;
  /** The lists so far, and what became of them: one may be in several others, or in itself. */
  readonly mapped: Map<unknown, unknown[]>;
}

export class Relations {
  readonly #references: readonly Reference[];
  readonly #collectionOf: (name: string) => AnyCollection;
  /** Most recently used last. */
  readonly #joins = new Map<string, Join>();
  /** The names of long conditions, by their words. Most recently used last. */
  readonly #names = new Map<string, string>();
  #named = 0;

  /** @param collectionOf the current version of a collection */
  constructor(references: readonly Reference[], collectionOf: (name: string) => AnyCollection) {
    this.#references = references;
    this.#collectionOf = collectionOf;
  }

  /**
   * @param asked a copy
   * @throws CriteriaError if a condition on another collection is not valid
   */
  question(name: string, asked: unknown): Question {
    const { mapped, fields } = this.#read(name, asked, [], { conditions: 0 });
    return {
      asked: mapped,
      isJoined: fields.length > 0,
      sources: new Set(sourcesOf(name, fields)),
      collection: () => this.#collection(name, fields),
    };
  }

  /** A question with conditions on other collections as fields, and all fields of others that it needs. */
  #read(
    name: string,
    asked: unknown,
    path: readonly number[],
    count: Reading["count"],
  ): { readonly mapped: unknown; readonly fields: readonly Joined[] } {
    const joined = new Map<string, Joined>();
    const reading = { path, count, joined, mapped: new Map<unknown, unknown[]>() };
    const mapped = mapCriteria(asked, (list) => this.#conditions(name, list, reading));
    for (const each of namedFields(mapped)) {
      const through = this.#path(name, each, MOST_STEPS);
      if (through !== undefined) joined.set(each, through);
    }
    return { mapped, fields: [...joined.values()] };
  }

  #schemaOf(name: string): Schema {
    return this.#collectionOf(name).schema;
  }

  /**
   * The path with a name; `undefined` if it is none, or too long. A field may have any name, dots included.
   *
   * @param failed the ends of the path that are none: names with dots can lead to one in many ways
   */
  #path(name: string, path: string, steps: number, failed = new Set<string>()): Joined | undefined {
    const end = `${steps} ${path.length} ${name}`;
    const schema = this.#schemaOf(name);
    if (steps === 0 || failed.has(end) || fieldOf(schema, path) !== undefined) return undefined;
    for (const { from, field: by, to, key } of this.#references) {
      if (from !== name || !path.startsWith(`${by}.`)) continue;
      const field = path.slice(by.length + 1);
      const own = fieldOf(this.#schemaOf(to), field);
      const further = own === undefined ? this.#path(to, field, steps - 1, failed) : undefined;
      const described: Field | undefined = own ?? further?.field.described;
      if (described === undefined) continue;
      const fields = further === undefined ? [] : [further];
      return { field: new PathField(path, { by, key, field }, described), to, fields };
    }
    failed.add(end);
    return undefined;
  }

  /** A list of criteria in which conditions on other collections are criteria on fields. */
  #conditions(name: string, list: readonly unknown[], reading: Reading): readonly unknown[] {
    const { mapped: all, path, joined } = reading;
    const known = all.get(list);
    if (known !== undefined) return known;
    const mapped: unknown[] = [];
    all.set(list, mapped);
    for (const [i, element] of list.entries()) {
      const given: readonly unknown[] | undefined = Array.isArray(element) ? element : undefined;
      if (given === undefined) mapped.push(element);
      else if (!isCriterion(given) && path.length < DEEPEST_PATH) {
        mapped.push(this.#conditions(name, given, { ...reading, path: [...path, i] }));
      } else {
        const [, operator] = given;
        const condition = this.#condition(name, given, { ...reading, path: [...path, i] });
        if (condition !== undefined) joined.set(condition.field.name, condition);
        mapped.push(
          condition === undefined ? given : [condition.field.name, "exactly", operator === "some"],
        );
      }
    }
    return mapped;
  }

  /** The reference that a condition names, as the operators of fields are others. @throws CriteriaError unless there is one */
  #reference(to: string, given: string, path: readonly number[]): Reference {
    const fullName = ({ from, field }: Reference) => `${from}.${field}`;
    const here = this.#references.filter((each) => each.to === to);
    const [only, ...others] = here.filter(
      (each) => each.from === given || fullName(each) === given,
    );
    if (only === undefined) {
      const near = suggestion(given, new Set(here.flatMap((each) => [each.from, fullName(each)])));
      const reason = `no records of ${quote(given)} refer to ${quote(to)}${near}`;
      throw new CriteriaError(path, reason, { code: "unknown_field" });
    }
    if (others.length === 0) return only;
    const names = [only, ...others].map(fullName);
    throw new CriteriaError(
      path,
      `several fields of ${quote(given)} refer to ${quote(to)}; write ${alternatives(names)}`,
    );
  }

  /** The condition of a criterion; `undefined` if it is one on a field. @throws CriteriaError */
  #condition(
    name: string,
    triple: readonly unknown[],
    { path, count }: Reading,
  ): Joined | undefined {
    const [given, operator] = triple;
    if (typeof given !== "string" || (operator !== "some" && operator !== "none")) return undefined;
    // C1: null selects every record.
    const criteria = triple[2] ?? [];
    const { from, field, key } = this.#reference(name, given, path);
    if (triple.length > 3) {
      const reason = `must have exactly three elements [collection, ${quote(operator)}, criteria], not ${triple.length}`;
      throw new CriteriaError(path, reason);
    }
    const within = [...path, 2];
    if (++count.conditions > MOST_CONDITIONS) {
      const reason = `there may be at most ${MOST_CONDITIONS} conditions on other collections`;
      throw new CriteriaError(path, reason, { code: "limit" });
    }
    if (!Array.isArray(criteria)) {
      const reason = `must be criteria of ${quote(from)}, not ${describe(criteria)}`;
      throw new CriteriaError(within, reason);
    }
    const { mapped, fields } = this.#read(from, { criteria }, within, count);
    const schema = this.#joinOf(from, fields)?.schema ?? this.#schemaOf(from);
    const asked = (mapped as { readonly criteria: unknown }).criteria;
    try {
      readCriteria(schema, asked, this.#collectionOf(from).state.options);
    } catch (error) {
      if (!(error instanceof CriteriaError)) throw error;
      throw new CriteriaError([...within, ...error.path], error.reason, error);
    }
    const namedBy = (snapshot: Snapshot) =>
      namedValues(snapshot, schema, asked, field, this.#collectionOf(from).state.options);
    // By its words, so that the same condition is the same field, and `explain` shows it.
    const words = `${given} some ${JSON.stringify(asked, bigintAsText)}`;
    const called = this.#nameOf(words);
    return { field: new ExistenceField(called, key.name, namedBy), to: from, fields };
  }

  /**
   * The name of the field of a condition. The words of one have the names of those within it, as JSON, so a chain of them
   * would double with each step if names had any length.
   */
  #nameOf(words: string): string {
    if (words.length <= LONGEST_WORDS) return words;
    const name =
      this.#names.get(words) ??
      `${words.slice(0, LONGEST_WORDS).toWellFormed()}… (${++this.#named})`;
    keep(this.#names, words, name);
    return name;
  }

  /** The current version of a collection, with fields of others. */
  #collection(name: string, fields: readonly Joined[]): Collection {
    const { state } = this.#collectionOf(name);
    const join = this.#joinOf(name, fields);
    if (join === undefined) return Collection.of(state);
    const others = fields.map(
      ({ to, fields: further }) => this.#collection(to, further).state.snapshot,
    );
    const snapshot = join.of(state.snapshot, others);
    return Collection.of({ ...state, codec: Codec.of(join.schema), snapshot });
  }

  /** The join of a collection with fields of others; `undefined` if there are none. */
  #joinOf(name: string, fields: readonly Joined[]): Join | undefined {
    if (fields.length === 0) return undefined;
    const key = JSON.stringify([name, ...fields.map(({ field }) => field.name)]);
    const known = this.#joins.get(key);
    const schema = this.#schemaOf(name);
    const join =
      known ??
      new Join(
        schema,
        fields.map(({ field }) => field),
      );
    keep(this.#joins, key, join);
    return join;
  }
}

/**
 * The values of a field in the records that criteria select, by which they are compared. Null names no record, not even
 * one whose key is null (rule C21). It is part of a question, whose deadline it has.
 */
function namedValues(
  snapshot: Snapshot,
  schema: Schema,
  criteria: unknown,
  name: string,
  options: QueryOptions,
): ReadonlySet<TextValue> {
  const deadline = currentDeadline() ?? deadlineOf(options);
  const asked = { ...parseSelection(schema, criteria, options), deadline };
  const [, field] = countableField(schema, name, refuseField);
  const toStored = groupValueIn(schema.form, field);
  const listing = readCountByOptions(schema, name, field);
  const texts = countBy(snapshot, asked, name, toStored, listing).flatMap(({ value }) =>
    value === null ? [] : [comparisonText(field, textFormOfStored(field, value))],
  );
  return new Set(texts);
}

/** Puts an entry last, and drops the first one if there are too many. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest = key] = entries.keys();
  if (entries.size > MOST_JOINS) entries.delete(oldest);
}

const isCriterion = ([first, second]: readonly unknown[]): boolean =>
  typeof first === "string" && !(first === "NOT" && Array.isArray(second));

const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;

/** Every collection that a question about one of them reads. */
function* sourcesOf(name: string, fields: readonly Joined[]): Generator<string, void> {
  yield name;
  for (const { to, fields: further } of fields) yield* sourcesOf(to, further);
}
