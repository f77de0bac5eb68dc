// From a request, or a batch of them, to the answers, in three steps. First it is read, and
// `authenticate` is asked about its keys. Then promises that `authenticate` gave are waited for. Then
// each request is answered. The ways to dispatch differ only in whether they wait, in where results come
// from, and in what they make of an answer.

import type { Deadline } from "../collection/algorithms/deadline.ts";
import { describe } from "../schema/errors.ts";
import type { AnyFunction } from "../schema/input.ts";
import {
  parseMethod,
  plainForm,
  readBatch,
  readRequest,
  RefusedRequest,
  type Answer,
  type AnyResponse,
  type Form,
  type Request,
  type RequestId,
} from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import { jsonRpcForm } from "./jsonrpc.ts";
import { Clock, type Limits } from "./limits.ts";
import { checkNames, inOrder, type MethodName, type NamedParameters } from "./methods.ts";
import { begun } from "./promise.ts";
import { inPieces, textOf, wholeTextOf } from "./text.ts";

export interface DispatchSettings {
  readonly authenticate: AnyFunction | undefined;
  readonly limits: Limits;
  /** Reports what an unexpected failure threw, and gives the error that hides it (rule E9). */
  readonly internalError: (thrown: unknown) => ServiceError;
}

/** A request that waits for its answer. */
export interface OpenCall {
  readonly form: Form;
  readonly id: RequestId | null;
  readonly method: MethodName;
  readonly params: readonly unknown[] | NamedParameters;
  /** What `authenticate` said of its key: a boolean, a promise, or what it should not have said. */
  readonly accepted: unknown;
}

/** A request that has its answer. */
interface ClosedCall {
  readonly answer: AnyResponse<never>;
}

type Call = OpenCall | ClosedCall;

/** What came at once. */
export interface Exchange {
  /** Whether it came as an array, and is answered by one. */
  readonly isBatch: boolean;
  /** In their order, without those that get no answer. */
  readonly calls: readonly Call[];
  readonly clock: Clock;
}

/** What an operation gives to a call, or throws. */
export type ResultOf = (call: OpenCall, deadline: Deadline | undefined) => unknown;

/**
 * The parameters of a call, without the api key.
 *
 * @throws ServiceError 310 where some came by names that the operation's have not
 */
export function parametersOf({ method, params }: OpenCall): readonly unknown[] {
  checkNames(method, params);
  return inOrder(method, params).slice(1);
}

/** Makes something of an answer by the deadline. */
type Finish<Out> = (answer: AnyResponse, deadline?: Deadline) => Out;

const asItIs: Finish<AnyResponse> = (answer) => answer;

export class Dispatcher {
  readonly #settings: DispatchSettings;

  constructor(settings: DispatchSettings) {
    this.#settings = settings;
  }

  openText(text: string): Exchange {
    const clock = this.#clock();
    let request: unknown;
    try {
      request = clock.spend(() => JSON.parse(text) as unknown);
    } catch {
      return this.#exchange(false, [new RefusedRequest("request: must be JSON")], clock);
    }
    return this.open(request, clock);
  }

  open(input: unknown, clock = this.#clock()): Exchange {
    const batch = readBatch(input, this.#settings.limits.batch);
    if (batch instanceof RefusedRequest) return this.#exchange(false, [batch], clock);
    if (batch === undefined) return this.#exchange(false, [readRequest(input, plainForm)], clock);
    const requests = batch.map((member) => readRequest(member, jsonRpcForm));
    return this.#exchange(true, requests, clock);
  }

  #clock(): Clock {
    return new Clock(this.#settings.limits.milliseconds);
  }

  #exchange(
    isBatch: boolean,
    requests: readonly (Request | RefusedRequest | undefined)[],
    clock: Clock,
  ): Exchange {
    const calls: Call[] = [];
    for (const request of requests) {
      if (request instanceof RefusedRequest) calls.push(request);
      else if (request !== undefined) calls.push(this.#openCall(request));
    }
    return { isBatch, calls, clock };
  }

  #openCall({ form, id, method: givenMethod, params }: Request): Call {
    try {
      const method = parseMethod(givenMethod);
      const [apiKey] = inOrder(method, params);
      return { form, id, method, params, accepted: this.#ask(apiKey) };
    } catch (thrown) {
      return { answer: form.fail(id, this.#toServiceError(thrown)) };
    }
  }

  /** What `authenticate` says of a key (rule E8). */
  #ask(apiKey: unknown): unknown {
    if (typeof apiKey !== "string" || apiKey === "") {
      throw new ServiceError(300, `api_key: must be a non-empty string, not ${describe(apiKey)}`);
    }
    const { authenticate } = this.#settings;
    if (authenticate === undefined) return true;
    try {
      return begun(authenticate(apiKey));
    } catch (thrown) {
      // Whatever its class: a ServiceError too is nothing that the caller should see.
      throw this.#settings.internalError(thrown);
    }
  }

  /** Waits for what `authenticate` says of all keys. */
  async settle(exchange: Exchange): Promise<Exchange> {
    const settle = async (call: Call): Promise<Call> => {
      if ("answer" in call) return call;
      try {
        return { ...call, accepted: await call.accepted };
      } catch (thrown) {
        return { answer: call.form.fail(call.id, this.#settings.internalError(thrown)) };
      }
    };
    return { ...exchange, calls: await Promise.all(exchange.calls.map(settle)) };
  }

  #checkAccepted(accepted: unknown): void {
    if (accepted === true) return;
    if (accepted === false) throw new ServiceError(300, "api_key: is not accepted");
    // A promise is truthy: taking it for a yes would let everybody in.
    const hint = typeof accepted === "object" ? "; a promise needs dispatchAsync" : "";
    throw new TypeError(`authenticate must return true or false${hint}`);
  }

  answer({ isBatch, calls, clock }: Exchange, resultOf: ResultOf): Answer {
    const answers = calls.map((call) => this.#answerCall(call, resultOf, clock, asItIs));
    return isBatch && answers.length > 0 ? answers : answers[0];
  }

  /** Answers a request, and finishes the answer within the time that the request may take. */
  #answerCall<Out>(call: Call, resultOf: ResultOf, clock: Clock, finish: Finish<Out>): Out {
    if ("answer" in call) return finish(call.answer);
    const { form, id, accepted } = call;
    try {
      this.#checkAccepted(accepted);
      return clock.run((deadline) => finish(form.succeed(id, resultOf(call, deadline)), deadline));
    } catch (thrown) {
      return finish(form.fail(id, this.#toServiceError(thrown)));
    }
  }

  /** Errors are answered whatever their length, and hold the id: there are ids that no text can hold. */
  wholeText(exchange: Exchange, resultOf: ResultOf): string {
    try {
      return this.#joined(exchange, resultOf);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      const form = exchange.isBatch ? jsonRpcForm : plainForm;
      const { answer } = new RefusedRequest("id: is too long for an answer to hold it", form);
      return JSON.stringify(answer);
    }
  }

  #joined({ isBatch, calls, clock }: Exchange, resultOf: ResultOf): string {
    let left = this.#settings.limits.responseLength;
    const finish: Finish<string> = (answer, deadline) => {
      const isFailure = answer.error !== null && answer.error !== undefined;
      const text = isFailure ? JSON.stringify(answer) : wholeTextOf(answer, left, deadline);
      left -= text.length;
      return text;
    };
    const texts = calls.map((call) => this.#answerCall(call, resultOf, clock, finish));
    return isBatch && texts.length > 0 ? `[${texts.join(",")}]` : (texts[0] ?? "");
  }

  *pieces(exchange: Exchange, resultOf: ResultOf): Generator<string, void> {
    const pieces = inPieces(this.#parts(exchange, resultOf));
    for (;;) {
      let next: IteratorResult<string, void>;
      try {
        next = pieces.next();
      } catch (thrown) {
        throw this.#settings.internalError(thrown);
      }
      if (next.done === true) return;
      yield next.value;
    }
  }

  *#parts({ isBatch, calls, clock }: Exchange, resultOf: ResultOf): Generator<string, void> {
    let separator = isBatch ? "[" : "";
    for (const call of calls) {
      yield separator;
      yield* textOf(this.#answerCall(call, resultOf, clock, asItIs));
      separator = ",";
    }
    if (isBatch && calls.length > 0) yield "]";
  }

  #toServiceError(thrown: unknown): ServiceError {
    return thrown instanceof ServiceError ? thrown : this.#settings.internalError(thrown);
  }
}
