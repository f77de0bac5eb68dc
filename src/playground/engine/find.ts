// Makes criteria of the library of those that only the page has: `finds`, which ignores case and accents, `matches` with
// a regular expression, and any column. The distinct values of a column are tested, and those that match named.

import { CriteriaError, type Collection } from "../../index.ts";
import { ANY_COLUMN, isSearched, OWN_OPERATORS } from "../comparisons.ts";
import { isRow, isScalar, scaleOf, type CriterionRow } from "../criteria-list.ts";
import type { CriteriaList, FieldInfo, Scalar } from "../messages.ts";
import { spanOf } from "../times.ts";
import { patternOf } from "./pattern.ts";

type Test = (text: string) => boolean;

/** So many results are kept: criteria are asked of by several charts. */
const MOST_KEPT = 50;

export class Finder {
  readonly #collection: Collection;
  readonly #fields: readonly FieldInfo[];
  readonly #values = new Map<string, readonly Scalar[]>();
  readonly #found = new Map<string, CriteriaList>();
  /** What was found last in each field. */
  readonly #last = new Map<
    string,
    { readonly wanted: string; readonly passed: readonly Scalar[] }
  >();

  constructor(collection: Collection, fields: readonly FieldInfo[]) {
    this.#collection = collection;
    this.#fields = fields;
  }

  /**
   * What was given to a task, with criteria of the library in it. The rest is as it was.
   *
   * @throws CriteriaError
   */
  plain(given: unknown): unknown {
    if (Array.isArray(given)) return this.#list(given, []);
    if (!isObject(given)) return given;
    const named = ["criteria", "asked", "place"].filter((name) => Object.hasOwn(given, name));
    if (named.length === 0) return given;
    return {
      ...given,
      ...Object.fromEntries(named.map((name) => [name, this.plain(Reflect.get(given, name))])),
    };
  }

  #list(list: CriteriaList, path: readonly number[]): CriteriaList {
    const plain = list.map((element, at) => {
      if (!Array.isArray(element)) return element;
      const within = [...path, at];
      if (!isRow(element)) return this.#list(element, within);
      return isOwn(element) ||
        (element[0] === ANY_COLUMN && this.#fieldOf(ANY_COLUMN) === undefined)
        ? this.#kept(element, within)
        : element;
    });
    return plain.some((element, at) => element !== list[at]) ? plain : list;
  }

  #fieldOf(name: string): FieldInfo | undefined {
    return this.#fields.find((each) => each.name === name);
  }

  #kept(row: CriterionRow, path: readonly number[]): CriteriaList {
    const key = JSON.stringify(row);
    const found = this.#found.get(key) ?? this.#criteriaOf(row, path);
    this.#found.delete(key);
    this.#found.set(key, found);
    const [oldest = key] = this.#found.keys();
    if (this.#found.size > MOST_KEPT) this.#found.delete(oldest);
    return found;
  }

  /** As a group, so that no chart takes it for its own choice. */
  #criteriaOf([name, operator, value]: CriterionRow, path: readonly number[]): CriteriaList {
    const refuse = (reason: string): never => {
      throw new CriteriaError(path, reason);
    };
    if (!isOwn([name, operator, value])) {
      return refuse(`any column can be asked for “finds” or “matches”, not “${operator}”`);
    }
    if (typeof value !== "string") return refuse(`${operator}: expected a string`);
    const wanted = operator === "finds" ? folded(value) : undefined;
    const test: Test =
      wanted === undefined ? matching(value, refuse) : (text) => folded(text).includes(wanted);
    const field = this.#fieldOf(name);
    if (field !== undefined) {
      if (!isTexts(field)) return refuse(`${operator} is for strings; ${name} is ${field.type}`);
      return [this.#named(field, test, wanted)];
    }
    if (name !== ANY_COLUMN) return refuse(`there is no column “${name}”`);
    const searched = this.#fields.filter(isSearched);
    const [first] = searched;
    if (first === undefined) return refuse("there is no column of strings or numbers");
    const all = searched
      .flatMap((each): readonly CriteriaList[] => {
        const isTested = isTexts(each) || (operator === "matches" && each.unit === undefined);
        return isTested ? [this.#named(each, test, wanted)] : this.#likeNumber(each, value);
      })
      .filter(([, , values]) => !Array.isArray(values) || values.length > 0);
    return all.length > 0
      ? all.flatMap((each, at) => (at === 0 ? [each] : ["OR", each]))
      : [[first.name, memberOperator(first), []]];
  }

  /** What is typed as a number is looked for within numbers, and as a time, as that time. */
  #likeNumber(field: FieldInfo, typed: string): CriteriaList[] {
    const { name, unit } = field;
    if (unit !== undefined) {
      const span = spanOf(typed, scaleOf(field));
      return span === undefined ? [] : [[name, "between", span]];
    }
    const digits = typed.trim().replaceAll(",", "");
    if (!/^-?[\d.]+$/.test(digits)) return [];
    return [this.#named(field, (text) => text.includes(digits))];
  }

  /**
   * A criterion that names the values that pass a test, or all others if these are fewer.
   *
   * @param wanted the string that is found in values that pass: while it is typed, fewer and fewer have to be tested
   */
  #named(field: FieldInfo, test: Test, wanted?: string): CriteriaList {
    const { name } = field;
    const all = this.#valuesOf(name);
    const last = this.#last.get(name);
    const isLonger = last !== undefined && wanted?.includes(last.wanted) === true;
    const passes = (value: Scalar) => value !== null && test(String(value));
    const passed = (isLonger ? last.passed : all).filter(passes);
    if (wanted !== undefined) this.#last.set(name, { wanted, passed });
    return passed.length * 2 <= all.length || field.type === "strings"
      ? [name, memberOperator(field), passed]
      : ["NOT", [name, "in", all.filter((value) => !passes(value))]];
  }

  /** Of arrays, their elements. */
  #valuesOf(name: string): readonly Scalar[] {
    let values = this.#values.get(name);
    if (values === undefined) {
      const counted = this.#collection.countBy(name, null);
      values = counted.flatMap(({ value }) => (isScalar(value) ? [value] : []));
      this.#values.set(name, values);
    }
    return values;
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const isOwn = ([, operator]: CriterionRow): boolean =>
  OWN_OPERATORS.some(({ name }) => name === operator);

const isTexts = ({ type }: FieldInfo): boolean => type === "string" || type === "strings";

const memberOperator = ({ type }: FieldInfo) => (type === "strings" ? "has_any" : "in");

/** Canonical decomposition without marks, as `string({ ignoreCase, ignoreAccents })` compares. */
const folded = (text: string): string => {
  const lower = text.toLowerCase();
  // Most strings have no others, and normalizing takes many times as long as looking.
  if (!/[\u0080-\uffff]/.test(lower)) return lower;
  const plain = text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC");
  return plain.toLowerCase().replaceAll("ς", "σ");
};

function matching(expression: string, refuse: (reason: string) => never): Test {
  try {
    return patternOf(expression);
  } catch (thrown) {
    return refuse(`matches: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
