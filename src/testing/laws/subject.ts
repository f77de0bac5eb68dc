// A service or a collection under test, asked by the methods that it has.

import * as fc from "fast-check";
import { ServiceError, type ServiceDraft } from "../../index.ts";
import { ask, type Asking } from "./asking.ts";
import type { AnyOperation, CheckedSubject } from "./checked.ts";
import { membersOf, type Members } from "./members.ts";
import { callText, type Entry } from "./transcript.ts";
import { errorIn, expectResponse } from "./response.ts";

/** The methods that laws ask of a collection, and of the Files or the Contacts of a Batch as one. */
export type CountingMethod = "count" | "countBy" | "histogram";

/** The function that makes a service or collection threw. */
export class NotMade extends Error {}

interface SubjectOptions {
  readonly apiKey: string;
  /** The operations to ask. */
  readonly operations: readonly AnyOperation[];
  /** Receives each question and its outcome. */
  readonly note?: ((entry: Omit<Entry, "setting">) => void) | undefined;
}

/** A service or a collection under test. */
export class Subject {
  readonly #service: CheckedSubject;
  readonly #options: SubjectOptions;
  /** How many calls were made as requests; each has its own id. */
  #requests = 0;

  constructor(service: CheckedSubject, options: SubjectOptions) {
    membersOf(service, "what is checked");
    this.#service = service;
    this.#options = options;
  }

  /** Whether it has this method of its own. */
  has(method: keyof CheckedSubject): boolean {
    return typeof this.#service[method] === "function";
  }

  /** Whether it can be sent a request. */
  get takesRequests(): boolean {
    return this.has("dispatch") || this.has("dispatchJson");
  }

  /** Whether a request to it must be text. */
  get sendsText(): boolean {
    return this.has("dispatchJson") && !this.has("dispatch");
  }

  /** Whether the operation can be asked, by a plain call or by a request. */
  answers(operation: AnyOperation): boolean {
    const { operations } = this.#options;
    return operations.includes(operation) && (this.has(operation) || this.takesRequests);
  }

  /** Whether the operation can be asked by a plain call. */
  takesCalls(operation: AnyOperation): boolean {
    return this.answers(operation) && this.has(operation);
  }

  /** What the operation returns or throws, whichever way it is asked. */
  *call(operation: AnyOperation, parameters: readonly unknown[]): Asking<unknown> {
    if (this.has(operation)) return yield* this.#invoke(operation, parameters);
    const params = [this.#options.apiKey, ...parameters];
    const id = ++this.#requests;
    const response = yield* this.dispatch({ id, method: operation, params });
    const error = errorIn(response);
    if (error !== undefined) throw new ServiceError(error.code, error.data);
    return response.result;
  }

  /** The answer to a request by the envelope: the three members in their order (E1, E2). */
  *dispatch(request: unknown): Asking<Members> {
    return expectResponse(yield* this.answer(request));
  }

  /** The answer to anything; `undefined` if there is none. */
  *answer(request: unknown): Asking<unknown> {
    if (this.has("dispatch")) return (yield* this.#invoke("dispatch", [request])) ?? undefined;
    const text = String(yield* this.dispatchJson(JSON.stringify(request)));
    const answer: unknown = text === "" ? undefined : JSON.parse(text);
    return answer;
  }

  /** Whether the method can count its records: those of a collection, or a service's Files and Contacts. */
  counts(method: CountingMethod): boolean {
    if (this.answers("query")) return this.has(method);
    const { files } = this.#service;
    return typeof files === "object" && files !== null && method in files;
  }

  /**
   * What a method of the collection, or of a collection of the service, returns.
   *
   * @param batchId the Batch whose Contacts are asked; undefined for the Files
   */
  *count(
    batchId: number | string | undefined,
    method: CountingMethod,
    parameters: readonly unknown[],
  ): Asking<unknown> {
    if (this.answers("query")) return yield* this.#invoke(method, parameters);
    const { files, batches } = this.#service;
    const batch = batchId === undefined ? {} : membersOf(batches, "batches")[String(batchId)];
    const { contacts } = membersOf(batch, "the Batch");
    const collection = membersOf(batchId === undefined ? files : contacts, "the collection");
    const called = collection[method];
    if (typeof called !== "function") throw new Error(`there is no ${method}`);
    return yield* ask((): unknown => Reflect.apply(called, collection, parameters), {
      what: () => callText(method, parameters),
    });
  }

  *dispatchJson(text: string): Asking<unknown> {
    return yield* this.#invoke("dispatchJson", [text]);
  }

  *update(recipe: (draft: ServiceDraft) => unknown): Asking<unknown> {
    return yield* this.#invoke("update", [recipe]);
  }

  /** Closes it, if it has `close`. */
  *close(): Asking<void> {
    const service = this.#service;
    if (!this.has("close")) return;
    yield* ask((): unknown => service.close?.(), { what: () => "close()", isLast: true });
  }

  *#invoke(method: keyof CheckedSubject, parameters: readonly unknown[]): Asking<unknown> {
    const service = this.#service;
    const called: unknown = Reflect.get(service, method);
    if (typeof called !== "function") throw new Error(`there is no ${method}`);
    const { note } = this.#options;
    const asked = note === undefined ? parameters : copyOf(parameters);
    try {
      const answer = yield* ask((): unknown => Reflect.apply(called, service, parameters), {
        what: () => callText(method, parameters),
      });
      note?.({ method, parameters: asked, answer: copyOf(answer) });
      return answer;
    } catch (thrown) {
      note?.({ method, parameters: asked, thrown });
      // Only who makes a service may pass over its data. An answer counts, whatever it is.
      if (fc.PreconditionFailure.isFailure(thrown)) {
        throw new Error("threw what fc.pre() throws", { cause: thrown });
      }
      throw thrown;
    }
  }
}

/** A copy that later changes do not affect; the value itself if it can't be copied. */
function copyOf<Value>(value: Value): Value {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
