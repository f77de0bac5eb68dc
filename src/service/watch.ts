// Live queries: an answer that is given again whenever a change of the service alters it. A watch is
// one more subscriber, so that changes, watches and subscribers keep one order. It asks again only
// where the records that it asks were changed.

import { describe, InputError } from "../schema/errors.ts";
import { isFunction, type AnyFunction } from "../schema/input.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { WireRecord } from "../schema/schema.ts";
import type { ServiceState } from "./draft.ts";
import { parseMethod } from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import type { FileRecord } from "./file.ts";
import type { BatchContacts, MethodName } from "./methods.ts";
import type { Store } from "./store.ts";

type Answer = FileRecord[] | BatchContacts;

/** Answers an operation from the state of the moment, or throws a ServiceError. */
export type Ask = (method: MethodName, parameters: readonly unknown[]) => Answer;

/** What an operation answers from. While it is the same object, so is the answer. */
const sources: Readonly<
  Record<MethodName, (state: ServiceState, parameters: readonly unknown[]) => unknown>
> = {
  searchFiles: ({ files }) => files,
  getBatchContacts: ({ batches }, [batchId]) => batches.get(toWireInteger(batchId) ?? ""),
};

/** @returns a function that ends it */
export function watch(
  store: Store,
  ask: Ask,
  [givenMethod, givenParameters, listener, onError]: readonly unknown[],
): () => void {
  const method = parseMethod(givenMethod);
  if (!Array.isArray(givenParameters)) {
    throw new InputError("parameters", `must be an array, not ${describe(givenParameters)}`);
  }
  if (!isFunction(listener)) throw notFunction("listener", listener);
  if (onError !== undefined && !isFunction(onError)) throw notFunction("onError", onError);
  const parameters = copy(givenParameters, DEPTH) as readonly unknown[];
  const first = ask(method, parameters);
  const live = new Watch(() => ask(method, parameters), listener, onError, first);
  const source = () => sources[method](store, parameters);
  let last = source();
  const stop = store.subscribe(() => {
    const now = source();
    if (now === last) return undefined;
    last = now;
    return live.again();
  });
  store.call(() => listener(first));
  return stop;
}

function notFunction(path: string, given: unknown): InputError {
  return new InputError(path, `must be a function, not ${describe(given)}`);
}

/** Parameters hold criteria, which hold criterions, which hold lists of values. */
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
