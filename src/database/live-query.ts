// A live query: its answer, which follows changes, and the reports of it to listeners.

import type { readCriteria } from "../criteria/parse.ts";
import type { RecordChange } from "../engine/columns/record-change.ts";
import type { Maintained } from "../engine/maintenance/maintained.ts";
import type { AnyFunction } from "../schema/input.ts";
import { isEqualJson } from "../schema/json.ts";

/** A question whose answer is reported again when it changes. */
export interface Asked {
  /** By the name of a collection in its member, criteria that select every record on which the answer depends. */
  readonly sources: ReadonlyMap<string, unknown>;
  readonly options: Parameters<typeof readCriteria>[2];
  readonly ask: () => unknown;
  /** Asks for an answer that follows changes, of one source; `undefined` if there is none. */
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
  readonly sources: Asked["sources"];
  readonly options: Asked["options"];
  readonly #asked: Asked;
  /** `undefined` if the question must be asked again. */
  #maintained: Maintained | undefined;
  /** Of each source that it watches, the queries whose last run failed. */
  readonly #outdated = new Set<Set<LiveQuery>>();

  constructor(asked: Asked) {
    this.sources = asked.sources;
    this.options = asked.options;
    this.#asked = asked;
  }

  /** Is in the set after a run that fails, until one that succeeds. */
  noteIn(outdated: Set<LiveQuery>): void {
    this.#outdated.add(outdated);
  }

  /** Ends {@link noteIn}, and forgets the answer. */
  leave(outdated: Set<LiveQuery>): void {
    this.#outdated.delete(outdated);
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
      for (const outdated of this.#outdated) outdated.delete(this);
      return answer;
    } catch (error) {
      for (const outdated of this.#outdated) outdated.add(this);
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
