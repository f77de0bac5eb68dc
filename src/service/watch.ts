// Live queries: an answer that is given again whenever a change of the service alters it. A watch is
// one more subscriber, so that changes, watches and subscribers keep one order. It asks again only
// where the criteria select one of the records that were changed, as it was or as it is: no other
// change can alter the answer.

import { versionsBetween } from "../collection/change/differences.ts";
import { predicateOf } from "../criteria/compile.ts";
import { CriteriaError, readCriteria, type CriteriaOptions } from "../criteria/parse.ts";
import { describe, InputError } from "../schema/errors.ts";
import { isFunction, reading, type AnyFunction } from "../schema/input.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { WireRecord } from "../schema/schema.ts";
import type { BatchContactCollection } from "./batch.ts";
import type { ServiceState } from "./state.ts";
import { parseMethod } from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import type { FileRecord } from "./file.ts";
import type { Files } from "./load.ts";
import type { BatchContacts, MethodName } from "./methods.ts";
import type { Store } from "./store.ts";

type Answer = FileRecord[] | BatchContacts;

/** Answers an operation from the state of the moment, or throws a ServiceError. */
export type Ask = (method: MethodName, parameters: readonly unknown[]) => Answer;

type Asked = Files | BatchContactCollection;

/** What an operation answers from, and the position of its criteria among its parameters. */
interface Source {
  readonly of: (state: ServiceState, parameters: readonly unknown[]) => Asked | undefined;
  readonly criteriaAt: number;
}

const sources: Readonly<Record<MethodName, Source>> = {
  searchFiles: { of: ({ files }) => files, criteriaAt: 0 },
  getBatchContacts: {
    of: ({ batches }, [batchId]) => batches.get(toWireInteger(batchId) ?? "")?.contacts,
    criteriaAt: 1,
  },
};

/** The live queries of a service. */
export class Watches {
  readonly #store: Store;
  readonly #ask: Ask;
  readonly #options: Required<CriteriaOptions>;
  readonly #versions = new Versions();

  constructor(store: Store, ask: Ask, options: Required<CriteriaOptions>) {
    this.#store = store;
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
    if (!isFunction(listener)) throw notFunction("listener", listener);
    if (onError !== undefined && !isFunction(onError)) throw notFunction("onError", onError);
    const first = this.#ask(method, parameters);
    const live = new Watch(() => this.#ask(method, parameters), listener, onError, first);

    const { of, criteriaAt } = sources[method];
    let last = of(this.#store, parameters);
    let matches = this.#predicate(last, parameters[criteriaAt]);
    const stop = this.#store.subscribe(() => {
      const [before, now] = [last, of(this.#store, parameters)];
      if (now === before) return undefined;
      last = now;
      if (before?.schema !== now?.schema) matches = this.#predicate(now, parameters[criteriaAt]);
      const versions = before && now && this.#versions.between(before, now);
      return live.hasAnswer && versions?.some(matches) === false ? undefined : live.again();
    });
    this.#store.call(() => listener(first));
    return stop;
  }

  /** Whether criteria select a record; every one, where they can't be compiled. */
  #predicate(source: Asked | undefined, criteria: unknown): (record: WireRecord) => boolean {
    try {
      if (source !== undefined) {
        const parsed = readCriteria(source.schema, criteria, this.#options);
        return predicateOf<WireRecord>(parsed, (field) => (record) => record[field] ?? null);
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
  readonly #found = new WeakMap<Asked, WeakMap<Asked, readonly WireRecord[] | undefined>>();

  between(before: Asked, after: Asked): readonly WireRecord[] | undefined {
    let known = this.#found.get(after);
    if (known === undefined) {
      known = new WeakMap();
      this.#found.set(after, known);
    }
    if (!known.has(before)) {
      const found: WireRecord[] = [];
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

function notFunction(path: string, given: unknown): InputError {
  return new InputError(path, `must be a function, not ${describe(given)}`);
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
  readonly #ask: () => Answer;
  readonly #listener: AnyFunction;
  readonly #onError: AnyFunction | undefined;
  /** What was told last. */
  #last: Records | ServiceError;

  constructor(
    ask: () => Answer,
    listener: AnyFunction,
    onError: AnyFunction | undefined,
    first: Answer,
  ) {
    this.#ask = ask;
    this.#listener = listener;
    this.#onError = onError;
    this.#last = recordsOf(first);
  }

  /** Whether what was told last is an answer, not an error. */
  get hasAnswer(): boolean {
    return !(this.#last instanceof ServiceError);
  }

  /** Asks again, and tells what is new. */
  again(): unknown {
    let answer: Answer;
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
    const records = recordsOf(answer);
    if (!(this.#last instanceof ServiceError) && isSame(records, this.#last)) return undefined;
    this.#last = records;
    return this.#listener(answer);
  }
}

/** The records of an answer by List, in arrays of our own: those of the answer are the listener's. */
type Records = ReadonlyMap<string, readonly WireRecord[]>;

function recordsOf(answer: Answer): Records {
  if (Array.isArray(answer)) return new Map([["", answer.slice()]]);
  return new Map(Object.entries(answer).map(([list, contacts]) => [list, contacts.slice()]));
}

function isSame(a: Records, b: Records): boolean {
  if (a.size !== b.size) return false;
  for (const [list, records] of a) {
    const others = b.get(list);
    if (records.length !== others?.length) return false;
    if (!records.every((record, i) => isSameRecord(record, others[i]))) return false;
  }
  return true;
}

/** Records of one type. A new version may differ in List Fields alone, which are not in the answer. */
function isSameRecord(a: WireRecord, b: WireRecord | undefined): boolean {
  if (a === b) return true;
  for (const name of Object.keys(a)) if (a[name] !== b?.[name]) return false;
  return true;
}
