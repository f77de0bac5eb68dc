// A live query: its answer, which follows changes, and the reports of it to listeners.

import type { readCriteria } from "../criteria/parse.ts";
import type { RecordChange } from "../engine/columns/record-change.ts";
import type { Maintained } from "../engine/maintenance/maintained.ts";
import type { Transition } from "../engine/changes/transition.ts";
import type { AnyFunction } from "../schema/input.ts";
import { isEqualJson } from "../schema/json.ts";
import type { Replaced } from "./member.ts";

/** What is asked: a collection, by its name in its member, or one with fields of others. */
export type Source = string | JoinedSource;

/** A collection with fields of others. */
export interface JoinedSource {
  /** Whether it depends on a collection. */
  has(source: string): boolean;
  /** What a change of these collections changes in it; `undefined` if it is not known. */
  follow(replaced: readonly Replaced[]): Moved | undefined;
}

/** From one version to the next. */
export type Moved = Pick<Transition, "before" | "after" | "knownDelta">;

/** A question whose answer is reported again when it changes. */
export interface Asked {
  readonly source: Source;
  /** They select every record on which the answer depends. */
  readonly criteria: unknown;
  readonly options: Parameters<typeof readCriteria>[2];
  readonly ask: () => unknown;
  /** Asks for an answer that follows changes; `undefined` if there is none. */
  readonly maintain?: (() => Maintained | undefined) | undefined;
}

/** Who hears of an answer. */
export interface Listening {
  readonly listener: AnyFunction;
  /** Called with an error of `ask`. Default: that of all subscribers. */
  readonly onError: AnyFunction | undefined;
  /** Whether an error of `ask` is a result: the same until the data change. A time limit, for example, is not. */
  readonly isResult: (thrown: unknown) => boolean;
}

export class LiveQuery {
  readonly source: Source;
  readonly criteria: unknown;
  readonly options: Asked["options"];
  readonly #asked: Asked;
  /** `undefined` if the question must be asked again. */
  #maintained: Maintained | undefined;
  /** Of what it watches, the queries whose last run failed. */
  #outdated: Set<LiveQuery> | undefined;

  constructor(asked: Asked) {
    this.source = asked.source;
    this.criteria = asked.criteria;
    this.options = asked.options;
    this.#asked = asked;
  }

  /** Is in the set after a run that fails, until one that succeeds. */
  noteIn(outdated: Set<LiveQuery>): void {
    this.#outdated = outdated;
  }

  /** Ends {@link noteIn}, and forgets the answer. */
  leave(outdated: Set<LiveQuery>): void {
    this.#outdated = undefined;
    outdated.delete(this);
    this.restart();
  }

  /** Follows a change of a record that the criteria select before or after it. @returns whether the answer may differ */
  follow(change: RecordChange): boolean {
    const differs = this.#maintained?.change(change);
    if (differs === undefined) this.#maintained = undefined;
    return differs ?? true;
  }

  /** Forgets the answer, after changes that it has not followed. */
  restart(): void {
    this.#maintained = undefined;
  }

  /** The current answer, in arrays and objects of its own. @throws whatever asking throws */
  answer(): unknown {
    try {
      const maintained = this.#maintained ?? this.#asked.maintain?.();
      const answer = maintained === undefined ? this.#asked.ask() : maintained.answer();
      this.#maintained = maintained?.follows === true ? maintained : undefined;
      this.#outdated?.delete(this);
      return answer;
    } catch (error) {
      this.#outdated?.add(this);
      throw error;
    }
  }
}

/** Reports an answer to a listener when it changes. */
export class Reports {
  readonly #answer: () => unknown;
  readonly #listening: Listening;
  /** The last reported answer. */
  #last: unknown;
  /** The error that was reported to its listeners since; `undefined` if there was none. */
  #error: string | undefined;

  /** @param first the answer that was reported first */
  constructor(answer: () => unknown, listening: Listening, first: unknown) {
    this.#answer = answer;
    this.#listening = listening;
    this.#last = kept(first);
  }

  /** Reports the current answer if it is new, or the error. */
  again(): unknown {
    let answer: unknown;
    try {
      answer = this.#answer();
    } catch (error) {
      return this.#report(error);
    }
    if (this.#error === undefined && isEqualJson(answer, this.#last)) return undefined;
    this.#last = kept(answer);
    this.#error = undefined;
    return this.#listening.listener(answer);
  }

  /** Reports an error: each time, unless it is a result. */
  #report(error: unknown): unknown {
    const { onError, isResult } = this.#listening;
    const message = String(error);
    const isLasting = isResult(error);
    if (isLasting && message === this.#error) return undefined;
    // A listener without an `onError` of its own does not miss the result that a late run did not replace.
    if (isLasting || onError !== undefined) this.#error = message;
    if (onError === undefined) throw error;
    return onError(error);
  }
}

/** A copy of the result, so that listeners can change its arrays and objects without an effect. */
function kept(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Object.isFrozen(answer)) return answer;
  if (Array.isArray(answer)) return answer.map(kept);
  return Object.fromEntries(Object.entries(answer).map(([name, each]) => [name, kept(each)]));
}
