// Dispatches a request, or a batch, in three steps: read it and pass its keys to `authenticate`; wait for the promises
// that `authenticate` returned; run each request. The variants of dispatch differ in whether they wait, where results
// come from, and the form of responses.

import type { Deadline } from "../engine/algorithms/deadline.ts";
import { describe, orUndefined } from "../schema/errors.ts";
import { comesBack, parseExactly, type LongNumber } from "../schema/exact-json.ts";
import { inPieces, shortTextOf, textOf } from "../schema/json-text.ts";
import { Clock } from "./clock.ts";
import {
  jsonRpcForm,
  plainForm,
  readBatch,
  readRequest,
  RefusedRequest,
  type Form,
  type Request,
} from "./envelope.ts";
import { ServiceError } from "./errors.ts";
import { apiKeyOf, parseMethod, type NamedParameters } from "./methods.ts";
import { requestPage, type CommonSettings } from "./options.ts";
import { begun } from "./promise.ts";
import type { MethodName } from "./request.ts";
import type { Answer, AnyResponse, RequestId } from "./response.ts";

/** A request in progress. */
export interface PendingCall {
  readonly form: Form;
  readonly id: RequestId | null;
  readonly longId: LongNumber | undefined;
  readonly method: MethodName;
  readonly params: readonly unknown[] | NamedParameters;
  /** The unchecked result of `authenticate` for its key. */
  readonly accepted: unknown;
}

/** A call whose response is already known. */
interface AnsweredCall extends Pick<PendingCall, "longId"> {
  readonly answer: AnyResponse<never>;
}

type Call = PendingCall | AnsweredCall;

/** A request, or a batch of them. */
export interface Message {
  /** Whether it is an array, and gets an array in response. */
  readonly isBatch: boolean;
  /** In order, without those that get no response. */
  readonly calls: readonly Call[];
  readonly clock: Clock;
}

export type GiveResult = (call: PendingCall, deadline: Deadline | undefined) => unknown;

/** Converts a response to its final form before the deadline. */
type Finish<Out> = (answer: AnyResponse, deadline?: Deadline) => Out;

const asItIs: Finish<AnyResponse> = (answer) => answer;

export function dispatcherOf({ authenticate, internalError, limits }: CommonSettings) {
  const newClock = () => new Clock(limits.milliseconds);

  function openText(text: string): Message {
    const clock = newClock();
    let request: unknown;
    try {
      request = clock.spend(() => parseExactly(text, comesBack));
    } catch {
      return { isBatch: false, calls: [new RefusedRequest("request: must be JSON")], clock };
    }
    return open(request, clock);
  }

  function open(input: unknown, clock = newClock()): Message {
    const batch = readBatch(input, limits.batch);
    if (batch instanceof RefusedRequest) return { isBatch: false, calls: [batch], clock };
    const calls: Call[] = [];
    for (const each of batch ?? [input]) {
      const request = readRequest(each, batch === undefined ? plainForm : jsonRpcForm);
      if (request instanceof RefusedRequest) calls.push(request);
      else if (request !== undefined) calls.push(toCall(request));
    }
    return { isBatch: batch !== undefined, calls, clock };
  }

  function toCall({ form, id, longId, method: givenMethod, params }: Request): Call {
    try {
      const method = parseMethod(givenMethod);
      return { form, id, longId, method, params, accepted: ask(apiKeyOf(params)) };
    } catch (thrown) {
      return { answer: form.fail(id, toServiceError(thrown)), longId };
    }
  }

  /** The result of `authenticate` for a key (rule E8). */
  function ask(apiKey: unknown): unknown {
    if (typeof apiKey !== "string" || apiKey === "") {
      throw new ServiceError(300, `api_key: must be a non-empty string, not ${describe(apiKey)}`);
    }
    if (authenticate === undefined) return true;
    try {
      return begun(authenticate(apiKey));
    } catch (thrown) {
      // Also hides ServiceErrors.
      throw internalError(thrown);
    }
  }

  async function settle(message: Message): Promise<Message> {
    const settled = message.calls.map(async (call): Promise<Call> => {
      if ("answer" in call) return call;
      try {
        return { ...call, accepted: await call.accepted };
      } catch (thrown) {
        return { answer: call.form.fail(call.id, internalError(thrown)), longId: call.longId };
      }
    });
    return { ...message, calls: await Promise.all(settled) };
  }

  /** Runs a request, and completes its response within the time limit. */
  function answerCall<Out>(call: Call, give: GiveResult, clock: Clock, finish: Finish<Out>): Out {
    if ("answer" in call) return finish(call.answer);
    const { form, id, accepted } = call;
    try {
      requireAccepted(accepted);
      return clock.run((deadline) => finish(form.succeed(id, give(call, deadline)), deadline));
    } catch (thrown) {
      return finish(form.fail(id, toServiceError(thrown)));
    }
  }

  function answer({ isBatch, calls, clock }: Message, give: GiveResult): Answer {
    const answers = calls.map((call) => answerCall(call, give, clock, asItIs));
    clock.spendRest(internalError);
    return isBatch && answers.length > 0 ? answers : answers[0];
  }

  /** Errors are exempt from the length limit: they contain the id, which may be longer. */
  function wholeText(message: Message, give: GiveResult): string {
    try {
      return joined(message, give);
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      const form = message.isBatch ? jsonRpcForm : plainForm;
      const { answer } = new RefusedRequest("id: is too long to be returned in a response", form);
      return JSON.stringify(answer);
    }
  }

  function joined({ isBatch, calls, clock }: Message, give: GiveResult): string {
    let left = limits.responseLength;
    const finishOf =
      (call: Call): Finish<string> =>
      (answer, deadline) => {
        const isFailure = answer.error !== null && answer.error !== undefined;
        const { longId } = call;
        const isPlain = longId === undefined && !isFailure;
        const short = isPlain ? orUndefined(() => shortTextOf(answer)) : undefined;
        const parts = short === undefined ? textOf(written(answer, call)) : [short];
        const text = isFailure ? [...parts].join("") : wholeTextOf(parts, left, deadline);
        left -= text.length;
        return text;
      };
    const texts = calls.map((call) => answerCall(call, give, clock, finishOf(call)));
    clock.spendRest(internalError);
    return isBatch && texts.length > 0 ? `[${texts.join(",")}]` : (texts[0] ?? "");
  }

  function* pieces(message: Message, give: GiveResult): Generator<string, void> {
    const all = inPieces(parts(message, give));
    for (;;) {
      let next: IteratorResult<string, void>;
      try {
        next = all.next();
      } catch (thrown) {
        throw internalError(thrown);
      }
      if (next.done === true) return;
      yield next.value;
    }
  }

  function* parts({ isBatch, calls, clock }: Message, give: GiveResult): Generator<string, void> {
    let separator = isBatch ? "[" : "";
    for (const call of calls) {
      yield separator;
      yield* textOf(written(answerCall(call, give, clock, asItIs), call));
      separator = ",";
    }
    if (isBatch && calls.length > 0) yield "]";
    clock.spendRest(internalError);
  }

  const toServiceError = (thrown: unknown): ServiceError =>
    thrown instanceof ServiceError ? thrown : internalError(thrown);

  return { open, openText, settle, answer, wholeText, pieces };
}

/** @throws TypeError if `authenticate` did not return a boolean; ServiceError 300 if it returned `false` */
function requireAccepted(accepted: unknown): void {
  if (accepted === true) return;
  if (accepted === false) throw new ServiceError(300, "api_key: is not accepted");
  // A promise is truthy: accepting it would accept every key.
  const hint = typeof accepted === "object" ? "; a promise needs dispatchAsync" : "";
  throw new TypeError(`authenticate must return true or false${hint}`);
}

/** A response as text, in parts, with the digits of the id as they were sent. */
const written = (answer: AnyResponse, { longId }: Pick<PendingCall, "longId">): unknown =>
  longId === undefined ? answer : { ...answer, id: longId };

/**
 * A response as JSON.
 *
 * @throws ServiceError 310 if it is longer than `most`, DeadlineError if it is too late
 */
function wholeTextOf(
  answer: Iterable<string>,
  most: number,
  deadline: Deadline | undefined,
): string {
  const parts: string[] = [];
  let length = 0;
  for (const part of answer) {
    length += part.length;
    if (length > most) throw requestPage(`is longer than ${most} characters`);
    parts.push(part);
    deadline?.check();
  }
  return parts.join("");
}
