// Live queries: an answer that is given again whenever a change of the service alters it. A watch is
// one more subscriber, so that changes, watches and subscribers keep one order. It asks again only
// where the criteria select one of the records that were changed, as it was or as it is: no other
// change can alter the answer.

import { versionsBetween } from "../collection/change/differences.ts";
import { predicateOf } from "../criteria/compile.ts";
import { CriteriaError, readCriteria, type CriteriaOptions } from "../criteria/parse.ts";
import { describe, InputError } from "../schema/errors.ts";
import { isMembers, reading, type AnyFunction } from "../schema/input.ts";
import { callable, optional } from "../schema/options.ts";
import type { AnyRecord } from "../schema/schema.ts";
import type { ServiceState } from "./state.ts";
import { ServiceError } from "./errors.ts";
import { methods, parseMethod } from "./methods.ts";
import type { MethodName } from "./request.ts";
import type { Source } from "./shapes.ts";
import type { ServiceData } from "./data.ts";

/** Answers a method from the state of the moment, or throws a ServiceError. */
export type Ask = (method: MethodName, parameters: readonly unknown[]) => unknown;

type Records = Source["records"];

/** What a method answers from now; `undefined` where there is no answer. */
function recordsOf(
  method: MethodName,
  state: ServiceState,
  parameters: readonly unknown[],
): Records | undefined {
  try {
    return methods[method].source(state, parameters).records;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The live queries of a service. */
export class Watches {
  readonly #data: ServiceData;
  readonly #ask: Ask;
  readonly #options: Required<CriteriaOptions>;
  readonly #versions = new Versions();

  constructor(data: ServiceData, ask: Ask, options: Required<CriteriaOptions>) {
    this.#data = data;
    this.#ask = ask;
    this.#options = options;
  }

  /** @returns a function that ends it */
  watch([givenMethod, givenParameters, listener, onError]: readonly unknown[]): () => void {
    const method = parseMethod(givenMethod);
    const parameters = reading("parameters", () => {
      if (Array.isArray(givenParameters)) return copy(givenParameters, DEPTH);
      throw new InputError("parameters", `must be an array, not ${describe(givenParameters)}`);
    }) as readonly unknown[];
    const tell = callable(listener, "listener");
    const tellError = optional(callable)(onError, "onError");
    const first = this.#ask(method, parameters);
    const live = new Watch(() => this.#ask(method, parameters), tell, tellError, first);

    const criteria = parameters[methods[method].parameters.length];
    let last = recordsOf(method, this.#data, parameters);
    let matches = this.#predicate(last, criteria);
    const stop = this.#data.subscribe(() => {
      const [before, now] = [last, recordsOf(method, this.#data, parameters)];
      if (now === before) return undefined;
      last = now;
      if (before?.schema !== now?.schema) matches = this.#predicate(now, criteria);
      const versions = before && now && this.#versions.between(before, now);
      return live.hasAnswer && versions?.some(matches) === false ? undefined : live.again();
    });
    this.#data.call(() => tell(first));
    return stop;
  }

  /** Whether criteria select a record; every one, where they can't be compiled. */
  #predicate(source: Records | undefined, criteria: unknown): (record: AnyRecord) => boolean {
    try {
      if (source !== undefined) {
        const parsed = readCriteria(source.schema, criteria, this.#options);
        return predicateOf<AnyRecord>(parsed, source.schema.readerOf);
      }
    } catch (error) {
      if (!(error instanceof CriteriaError)) throw error;
    }
    return () => true;
  }
}

/** Beyond so many versions of changed records, asking again is as good as judging each. */
const MANY = 32;

/** The versions of records that a change brought and took. Many watches ask for the same. */
class Versions {
  /** By the collection after, then by the one before; `undefined` where they are many, or all. */
  readonly #found = new WeakMap<Records, WeakMap<Records, readonly AnyRecord[] | undefined>>();

  between(before: Records, after: Records): readonly AnyRecord[] | undefined {
    let known = this.#found.get(after);
    if (known === undefined) {
      known = new WeakMap();
      this.#found.set(after, known);
    }
    if (!known.has(before)) {
      const found: AnyRecord[] = [];
      const { snapshot, codec } = after.state;
      const all = after.isRelated(before)
        ? versionsBetween(before.state.snapshot, snapshot, codec)
        : undefined;
      for (const version of all ?? []) if (found.push(version) > MANY) break;
      known.set(before, all === undefined || found.length > MANY ? undefined : found);
    }
    return known.get(before);
  }
}

/** Parameters hold criteria, each of which holds lists of values. */
const DEPTH = 4;

/** A copy of an array, and of the arrays within it: what the caller changes later changes nothing. */
function copy(value: unknown, depth: number): unknown {
  if (depth === 0 || !Array.isArray(value)) return value;
  return Array.from(value, (each) => copy(each, depth - 1));
}

/** An answer, and who is told when it is another. */
class Watch {
  readonly #ask: () => unknown;
  readonly #listener: AnyFunction;
  readonly #onError: AnyFunction | undefined;
  /** What was told last. */
  #last: Parts | ServiceError;

  constructor(
    ask: () => unknown,
    listener: AnyFunction,
    onError: AnyFunction | undefined,
    first: unknown,
  ) {
    this.#ask = ask;
    this.#listener = listener;
    this.#onError = onError;
    this.#last = partsOf(first);
  }

  /** Whether what was told last is an answer, not an error. */
  get hasAnswer(): boolean {
    return !(this.#last instanceof ServiceError);
  }

  /** Asks again, and tells what is new. */
  again(): unknown {
    let answer: unknown;
    try {
      answer = this.#ask();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code, data } = error;
      const last = this.#last;
      if (last instanceof ServiceError && last.code === code && last.data === data)
        return undefined;
      this.#last = error;
      if (this.#onError === undefined) throw error;
      return this.#onError(error);
    }
    const parts = partsOf(answer);
    if (!(this.#last instanceof ServiceError) && isSame(parts, this.#last)) return undefined;
    this.#last = parts;
    return this.#listener(answer);
  }
}

/** The members of an answer, in arrays of our own: those of the answer are the listener's. */
type Parts = ReadonlyMap<string, readonly unknown[]>;

function partsOf(answer: unknown): Parts {
  const part = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice() : [value]);
  if (!isMembers(answer)) return new Map([["", part(answer)]]);
  return new Map(Object.entries(answer).map(([name, value]) => [name, part(value)]));
}

function isSame(a: Parts, b: Parts): boolean {
  if (a.size !== b.size) return false;
  for (const [name, values] of a) {
    const others = b.get(name);
    if (values.length !== others?.length) return false;
    if (!values.every((value, i) => isSameValue(value, others[i]))) return false;
  }
  return true;
}

/** Of records of one type. A new version may differ in List Fields alone, which are not in the answer. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isMembers(a) || !isMembers(b)) return false;
  for (const name of Object.keys(a)) if (a[name] !== b[name]) return false;
  return true;
}
