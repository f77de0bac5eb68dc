// A service that fails on purpose, to test its clients.

import { errorNames, InputError, type ErrorCode } from "../index.ts";
import { Random } from "../synthetic/random.ts";
import { jsonRpcError } from "../testing/reference.ts";

/**
 * The fault in a response.
 *
 * - `"slow"`: it takes `delay`.
 * - `"error"`: the service is not called, and the response is an error with one of `codes`.
 * - `"cut"`: only a part of its text arrives.
 * - `"repeat"`: the response to an earlier request arrives instead.
 * - `"late"`: the response to the next request arrives first.
 */
export type FaultKind = (typeof KINDS)[number];

const KINDS = ["slow", "error", "cut", "repeat", "late"] as const;

/** The options of `faults`. */
export interface FaultOptions {
  /** The seed of the schedule: the same seed gives the same faults. Default 1. */
  readonly seed?: number | undefined;
  /** The share of requests that fail, from 0 to 1. Default 0.5. */
  readonly rate?: number | undefined;
  /** The kinds of faults. Default: all. */
  readonly kinds?: readonly FaultKind[] | undefined;
  /**
   * Replaces the schedule: returns the fault for a request, or `undefined` for none. Receives the text of the request
   * and its number, from 1.
   */
  readonly choose?: ((text: string, count: number) => FaultKind | undefined) | undefined;
  /** The error codes that the schedule chooses from. Default: only 100. */
  readonly codes?: readonly ErrorCode[] | undefined;
  /** How many milliseconds a slow response takes, and a late one waits for the next. Default 1000. */
  readonly delay?: number | undefined;
}

/** A service that fails on schedule, and a log of its faults. */
export interface FaultyService {
  readonly dispatchJson: (text: string) => Promise<string>;
  /** The faults so far: the number of the request, from 1, and the kind. */
  readonly faults: readonly { readonly count: number; readonly kind: FaultKind }[];
}

/** A service to send requests to, as text. */
export interface Sender {
  readonly dispatchJson: (text: string) => string | Promise<string>;
}

/**
 * The service with faults in its responses, by a seeded schedule or as chosen per request.
 *
 * @throws InputError if an option is not valid
 */
export function faults(service: Sender, options: FaultOptions = {}): FaultyService {
  const { seed = 1, rate = 0.5, kinds = KINDS, codes = [100], delay = 1000, choose } = options;
  expectOption("rate", rate >= 0 && rate <= 1, "must be from 0 to 1");
  expectOption(
    "kinds",
    kinds.length > 0 && kinds.every(isKind),
    `must be a non-empty array of ${KINDS.join(", ")}`,
  );
  expectOption(
    "codes",
    codes.length > 0 && codes.every(isCode),
    "must be a non-empty array of error codes",
  );
  expectOption("delay", delay >= 0 && delay < 2 ** 31, "must be a number of milliseconds");

  expectOption("seed", Number.isSafeInteger(seed), "must be a safe integer");
  const random = new Random(seed);
  const injected: { readonly count: number; readonly kind: FaultKind }[] = [];
  /** The late responses that wait for the next response. */
  const waiting = new Set<() => void>();
  let count = 0;
  let last: string | undefined;

  async function dispatchJson(text: string): Promise<string> {
    const at = ++count;
    // All random values are drawn for each request, so that only the seed changes the schedule.
    const [isHit, drawn, code, part] = [
      random.fraction() < rate,
      kinds[random.below(kinds.length)],
      codes[random.below(codes.length)] ?? 100,
      random.fraction(),
    ];
    const kind = choose === undefined ? (isHit ? drawn : undefined) : choose(text, at);
    if (kind !== undefined) injected.push({ count: at, kind });
    const answer = kind === "error" ? failing(text, code) : await service.dispatchJson(text);
    const before = last;
    last = answer;
    if (kind === "slow") await pause(delay);
    if (kind === "late") await new Promise<void>(waitForNext);
    else release();
    if (kind === "repeat") return before ?? answer;
    return kind === "cut" ? answer.slice(0, part * answer.length) : answer;
  }

  function waitForNext(next: () => void): void {
    const timer = setTimeout(done, delay);
    function done(): void {
      clearTimeout(timer);
      waiting.delete(done);
      next();
    }
    waiting.add(done);
  }

  /** Sends the late responses, once the response that overtakes them has arrived. */
  function release(): void {
    const held = [...waiting];
    if (held.length > 0) setTimeout(() => held.forEach((go) => go()), 0);
  }

  return { dispatchJson, faults: injected };
}

const isKind = (kind: unknown): boolean => KINDS.some((each) => each === kind);
const isCode = (code: unknown): boolean => Object.hasOwn(errorNames, String(code));

function expectOption(name: string, isLegal: boolean, must: string): void {
  if (!isLegal) throw new InputError(`options.${name}`, must);
}

const pause = (milliseconds: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds);
  });

/** The response of a failing service, in the form of the request; a notification gets none. */
function failing(text: string, code: ErrorCode): string {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    request = undefined;
  }
  const data = "this fault was requested";
  const answer = (request: unknown): object | undefined => {
    const { id, jsonrpc }: { readonly id?: unknown; readonly jsonrpc?: unknown } = Object(
      request,
    ) as object;
    if (jsonrpc !== "2.0") {
      return { id: id ?? null, result: null, error: { code, message: errorNames[code], data } };
    }
    if (id === undefined) return undefined;
    return { jsonrpc: "2.0", id, error: { ...jsonRpcError(code, true), data } };
  };
  const all = Array.isArray(request)
    ? request.map(answer).filter((each) => each !== undefined)
    : answer(request);
  return all === undefined || (Array.isArray(all) && all.length === 0) ? "" : JSON.stringify(all);
}
