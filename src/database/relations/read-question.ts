// Reads questions that cross collections (rule C20): a path such as `customer.country` is a field that each record of the
// asked collection has, with the value of the record to which it refers; and `["orders", "some", criteria]` is one that
// says whether records of another collection that the criteria select refer to it.

import { CriteriaError } from "../../criteria/criteria-error.ts";
import { alternatives, describe, InputError, quote } from "../../schema/errors.ts";
import type { Field } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
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

/** How many long names are kept. */
const MOST_NAMES = 16;

/** Of longer conditions, the names of fields have only the beginning. */
const LONGEST_WORDS = 200;

/** A field that the records of a collection have by others. */
export type OtherField = FieldAtPath | Condition;

interface Other {
  readonly name: string;
  /** By which the records refer to the others, or the others to the records. */
  readonly reference: Reference;
  /** The fields of further collections that the other one needs for it. */
  readonly fields: readonly OtherField[];
}

/** A field of the records to which others refer. */
export interface FieldAtPath extends Other {
  readonly kind: "path";
  /** The field of the other record, which is one of `fields` if the path goes on. */
  readonly field: string;
  readonly described: Field;
}

/** Whether records that criteria select refer to a record. */
export interface Condition extends Other {
  readonly kind: "condition";
  /** Criteria on the other collection with `fields`. */
  readonly criteria: unknown;
}

/** The collection whose records have the value of a field of others, or tell it. */
export const otherOf = ({ kind, reference }: OtherField): string =>
  kind === "path" ? reference.to : reference.from;

/** Every collection that a question about one of them reads. */
export function* sourcesOf(name: string, fields: readonly OtherField[]): Generator<string, void> {
  yield name;
  for (const field of fields) yield* sourcesOf(otherOf(field), field.fields);
}

/** A question in which fields of others have names, and these fields. */
export interface ReadQuestion {
  readonly asked: unknown;
  readonly fields: readonly OtherField[];
}

/** The collections about which questions are read. */
export interface Asked {
  readonly references: readonly Reference[];
  readonly schemaOf: (name: string) => Schema;
  /** Checks criteria on a collection with fields of others. @throws CriteriaError */
  readonly checkCriteria: (name: string, fields: readonly OtherField[], criteria: unknown) => void;
}

/** The criteria that are being read. */
interface Reading {
  /** The path of the current element, as in {@link CriteriaError}. */
  readonly path: readonly number[];
  /** How many conditions on other collections were read so far. */
  readonly count: { conditions: number };
  /** The fields of others so far. */
  readonly others: Map<string, OtherField>;
  /** The lists so far, and what became of them: one may be in several others, or in itself. */
  readonly mapped: Map<unknown, unknown[]>;
}

export class QuestionReader {
  readonly #of: Asked;
  /** The names of long conditions, by their words. Most recently used last. */
  readonly #names = new Map<string, string>();
  #named = 0;

  constructor(of: Asked) {
    this.#of = of;
  }

  /**
   * @param asked a copy
   * @throws CriteriaError if a condition on another collection is not valid
   */
  read(name: string, asked: unknown): ReadQuestion {
    return this.#read(name, asked, [], { conditions: 0 });
  }

  /**
   * The fields of others at some paths. Fields of the collection itself may be among these.
   *
   * @throws InputError with the place of the first path that leads nowhere, and the names that are known there
   */
  fieldsAt(name: string, paths: readonly string[], place: string): readonly OtherField[] {
    return [...new Set(paths)].flatMap((path) => {
      if (fieldOf(this.#of.schemaOf(name), path) !== undefined) return [];
      const through = this.#path(name, path, MOST_STEPS);
      if (through !== undefined) return [through];
      throw new InputError(`${place}[${paths.indexOf(path)}]`, this.#lost(name, path, MOST_STEPS), {
        code: "unknown_field",
      });
    });
  }

  /** Where a path leads nowhere. */
  #lost(name: string, path: string, steps: number): string {
    if (steps === 0) return `a path may have at most ${MOST_STEPS} steps`;
    const references = this.#of.references.filter(({ from }) => from === name);
    const through = references.find(({ field }) => path.startsWith(`${field}.`));
    if (through !== undefined) {
      return this.#lost(through.to, path.slice(through.field.length + 1), steps - 1);
    }
    const dot = path.indexOf(".");
    const [step, what, known] =
      dot < 0
        ? [path, "", Object.keys(this.#of.schemaOf(name).fields)]
        : [path.slice(0, dot), " that refers to records", references.map(({ field }) => field)];
    const use = known.length === 0 ? "; it has none" : `; use ${alternatives(known)}`;
    return `${quote(name)} has no field ${quote(step)}${what}${suggestion(step, known) || use}`;
  }

  #read(
    name: string,
    asked: unknown,
    path: readonly number[],
    count: Reading["count"],
  ): ReadQuestion {
    const others = new Map<string, OtherField>();
    const reading = { path, count, others, mapped: new Map<unknown, unknown[]>() };
    const mapped = mapCriteria(asked, (list) => this.#conditions(name, list, reading));
    for (const each of namedFields(mapped)) {
      const through = this.#path(name, each, MOST_STEPS);
      if (through !== undefined) others.set(each, through);
    }
    return { asked: mapped, fields: [...others.values()] };
  }

  /**
   * The path with a name; `undefined` if it is none, or too long. A field may have any name, dots included.
   *
   * @param failed the ends of the path that are none: names with dots can lead to one in many ways
   */
  #path(
    name: string,
    path: string,
    steps: number,
    failed = new Set<string>(),
  ): FieldAtPath | undefined {
    const { references, schemaOf } = this.#of;
    const end = `${steps} ${path.length} ${name}`;
    if (steps === 0 || failed.has(end) || fieldOf(schemaOf(name), path) !== undefined) {
      return undefined;
    }
    for (const reference of references) {
      const { from, field: by, to } = reference;
      if (from !== name || !path.startsWith(`${by}.`)) continue;
      const field = path.slice(by.length + 1);
      const own = fieldOf(schemaOf(to), field);
      const further = own === undefined ? this.#path(to, field, steps - 1, failed) : undefined;
      const described: Field | undefined = own ?? further?.described;
      if (described === undefined) continue;
      const fields = further === undefined ? [] : [further];
      return { kind: "path", name: path, reference, field, described: asOther(described), fields };
    }
    failed.add(end);
    return undefined;
  }

  /** A list of criteria in which conditions on other collections are criteria on fields. */
  #conditions(name: string, list: readonly unknown[], reading: Reading): readonly unknown[] {
    const { mapped: all, path, others } = reading;
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
        if (condition !== undefined) others.set(condition.name, condition);
        mapped.push(
          condition === undefined ? given : [condition.name, "exactly", operator === "some"],
        );
      }
    }
    return mapped;
  }

  /** The reference that a condition names, as the operators of fields are others. @throws CriteriaError unless there is one */
  #reference(to: string, given: string, path: readonly number[]): Reference {
    const fullName = ({ from, field }: Reference) => `${from}.${field}`;
    const here = this.#of.references.filter((each) => each.to === to);
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
  ): Condition | undefined {
    const [given, operator] = triple;
    if (typeof given !== "string" || (operator !== "some" && operator !== "none")) return undefined;
    // C1: null selects every record.
    const criteria = triple[2] ?? [];
    const reference = this.#reference(name, given, path);
    const { from } = reference;
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
    const { asked: read, fields } = this.#read(from, { criteria }, within, count);
    const { criteria: asked } = read as { readonly criteria: unknown };
    try {
      this.#of.checkCriteria(from, fields, asked);
    } catch (error) {
      if (!(error instanceof CriteriaError)) throw error;
      throw new CriteriaError([...within, ...error.path], error.reason, error);
    }
    // By its words, so that the same condition is the same field, and `explain` shows it.
    const words = `${given} some ${JSON.stringify(asked, bigintAsText)}`;
    return { kind: "condition", name: this.#nameOf(words), reference, criteria: asked, fields };
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
    keep(this.#names, words, name, MOST_NAMES);
    return name;
  }
}

/** A field of another record: null without a reference, and in results only where it is selected. */
const asOther = (field: Field): Field => ({
  ...field,
  ...{ nullable: true, unique: false, stored: false, path: undefined },
});

/** Puts an entry last, and drops the first one if there are too many. */
export function keep<Value>(
  entries: Map<string, Value>,
  key: string,
  value: Value,
  most: number,
): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest = key] = entries.keys();
  if (entries.size > most) entries.delete(oldest);
}

const isCriterion = ([first, second]: readonly unknown[]): boolean =>
  typeof first === "string" && !(first === "NOT" && Array.isArray(second));

const bigintAsText = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
