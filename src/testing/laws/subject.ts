// A service, a collection or a database under test, called by whichever methods it has.

import * as fc from "fast-check";
import { ServiceError } from "../../index.ts";
import type { Caller } from "./caller.ts";
import type { AnyOperation, CheckedSubject } from "./checked.ts";
import { membersOf, type Members } from "./members.ts";
import { callText, type Entry } from "./transcript.ts";
import { errorIn, expectResponse } from "./response.ts";

/** The methods of a collection that laws call, including those of a service's Files and Contacts. */
export type CountingMethod = "count" | "countBy" | "histogram" | "summary" | "groupBy";

/** The function that makes a service or collection threw. */
export class NotMade extends Error {}

/** Whether the function that makes a service or collection threw. */
export async function isRefused(made: Promise<unknown>): Promise<boolean> {
  try {
    await made;
    return false;
  } catch (thrown) {
    if (thrown instanceof NotMade) return true;
    throw thrown;
  }
}

interface SubjectOptions {
  readonly caller: Caller;
  readonly apiKey: string;
  /** The operations to call. */
  readonly operations: readonly AnyOperation[];
  /** Receives each call and its outcome. */
  readonly note?: ((entry: Omit<Entry, "setting">) => void) | undefined;
}

/** A service or a collection under test. */
export class Subject {
  readonly #service: CheckedSubject;
  readonly #options: SubjectOptions;
  /** How many calls were made as requests; each has a unique id. */
  #requests = 0;

  constructor(service: CheckedSubject, options: SubjectOptions) {
    membersOf(service, "what is checked");
    this.#service = service;
    this.#options = options;
  }

  /** Whether it has this method. */
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

  /** Whether the operation can be called, by a plain call or by a request. */
  supports(operation: AnyOperation): boolean {
    const { operations } = this.#options;
    return operations.includes(operation) && (this.has(operation) || this.takesRequests);
  }

  /** Whether the operation has a plain call. */
  takesCalls(operation: AnyOperation): boolean {
    return this.supports(operation) && this.has(operation);
  }

  /** Returns or throws the outcome of the operation, by a plain call or by a request. */
  async call(operation: AnyOperation, parameters: readonly unknown[]): Promise<unknown> {
    if (this.has(operation)) return await this.#invoke(operation, parameters);
    const params = [this.#options.apiKey, ...parameters];
    const id = ++this.#requests;
    const response = await this.dispatch({ id, method: operation, params });
    const error = errorIn(response);
    if (error !== undefined) throw new ServiceError(error.code, error.data);
    return response.result;
  }

  /** The response to a request in the contract's form: the three members in order (E1, E2). */
  async dispatch(request: unknown): Promise<Members> {
    return expectResponse(await this.send(request));
  }

  /** The response to any value; `undefined` if there is none. */
  async send(request: unknown): Promise<unknown> {
    if (this.has("dispatch")) return (await this.#invoke("dispatch", [request])) ?? undefined;
    const text = String(await this.dispatchJson(JSON.stringify(request)));
    const response: unknown = text === "" ? undefined : JSON.parse(text);
    return response;
  }

  /** Whether the method can be called on its records: those of a collection, or a service's Files and Contacts. */
  counts(method: CountingMethod): boolean {
    if (this.supports("query")) return this.has(method);
    const { files } = this.#service;
    return typeof files === "object" && files !== null && method in files;
  }

  /**
   * The result of a method of the collection, or of a collection of the database or the service.
   *
   * @param subject the name of the collection of a database; or the Batch whose Contacts are counted, empty for the Files
   */
  async count(
    subject: readonly (number | string)[],
    method: CountingMethod,
    parameters: readonly unknown[],
  ): Promise<unknown> {
    if (this.supports("query")) return await this.#invoke(method, [...subject, ...parameters]);
    const { files, batches } = this.#service;
    const [batchId] = subject;
    const batch = batchId === undefined ? {} : membersOf(batches, "batches")[String(batchId)];
    const { contacts } = membersOf(batch, "the Batch");
    const collection = membersOf(batchId === undefined ? files : contacts, "the collection");
    const called = collection[method];
    if (typeof called !== "function") throw new Error(`there is no ${method}`);
    return await this.#options.caller.call(
      (): unknown => Reflect.apply(called, collection, parameters),
      () => callText(method, parameters),
    );
  }

  /** The page of a collection after another one. */
  async page(parameters: readonly unknown[]): Promise<unknown> {
    return await this.#invoke("page", parameters);
  }

  async dispatchJson(text: string): Promise<unknown> {
    return await this.#invoke("dispatchJson", [text]);
  }

  async update(recipe: (draft: never) => unknown): Promise<unknown> {
    return await this.#invoke("update", [recipe]);
  }

  /** Closes it, if it has `close`. */
  async close(): Promise<void> {
    const service = this.#service;
    if (!this.has("close")) return;
    await this.#options.caller.call(
      (): unknown => service.close?.(),
      () => "close()",
      { isLast: true },
    );
  }

  async #invoke(method: keyof CheckedSubject, parameters: readonly unknown[]): Promise<unknown> {
    const service = this.#service;
    const called: unknown = Reflect.get(service, method);
    if (typeof called !== "function") throw new Error(`there is no ${method}`);
    const { caller, note } = this.#options;
    const given = note === undefined ? parameters : copyOf(parameters);
    try {
      const result = await caller.call(
        (): unknown => Reflect.apply(called, service, parameters),
        () => callText(method, parameters),
      );
      note?.({ method, parameters: given, result: copyOf(result) });
      return result;
    } catch (thrown) {
      note?.({ method, parameters: given, thrown });
      // Only the function that makes a service may skip data; a method may not.
      if (fc.PreconditionFailure.isFailure(thrown)) {
        throw new Error("threw what fc.pre() throws", { cause: thrown });
      }
      throw thrown;
    }
  }
}

/** A copy that is independent of later changes; the value itself if it can't be copied. */
function copyOf<Value>(value: Value): Value {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}
