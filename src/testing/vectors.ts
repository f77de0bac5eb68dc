// Test vectors: lines of JSON to send to a service, with the expected responses, for tests in any language. They come
// from the laws: the requests that a law sends as text are recorded with the reference's responses.

import { InputError } from "../index.ts";
import { laws } from "./laws/index.ts";
import { membersOf } from "./laws/members.ts";
import { referenceService } from "./reference.ts";

/** Incremented when a change alters the vectors of a seed. */
const VERSION = 1;
/** What version 1 does not have. */
const LATER_LAWS: ReadonlySet<string> = new Set([
  "a string of in is split at every comma, and empty parts count",
  "a Batch is an object by the ids of its Lists, whatever these are",
  "null in the data is a value, and not one that was left out",
  "ties keep insertion order among many records, too",
  "a field or an operator may be any value, and none but their own names are known",
  "half a character in an id is answered as it was sent",
  "a JSON-RPC request whose id is null is answered with id null",
  "a JSON-RPC parameter that the method does not have is an error after that of the key, and before all others",
  "a number is the same, however it is written",
  "a number that no double has is refused, and never rounded",
  "what only some parsers take for JSON is error 310 with id null",
  "of members with one name the last one counts",
  "only a line feed ends a request",
  "an integer as text has one spelling",
  "an integer that is loaded has one spelling",
]);
/** How many cases of each law a round generates, and the maximum number of vectors of a law that it yields. */
const [CASES, MOST] = [4, 4];
/** The maximum number of characters of the data, and of a request with its response. */
const [LONGEST_LOAD, LONGEST] = [3000, 2500];
/** The one law whose requests must be longer; one round in `LONG_ROUNDS` may contain it. */
const [LONG_LAW, LONG_ROUNDS] = ["a thousand criteria are allowed, and no more", 4];

/** The options of `vectors`. */
export interface VectorOptions {
  /** The number of vectors; lines that load valid data are not counted. */
  readonly count: number;
  /** Default 1. */
  readonly seed?: number | undefined;
}

/** The first line. */
export interface VectorHeader {
  readonly format: "tercet vectors";
  readonly version: number;
  readonly seed: number;
  readonly count: number;
}

/** One of `load`, `request` and `text`, to be sent, and the expected response. */
export interface Vector {
  /** Data for the lines up to the next `load`. */
  readonly load?: unknown;
  readonly request?: unknown;
  /** A request that is not JSON. */
  readonly text?: string;
  /** The expected response, without the reasons of errors; `null` if there is none. */
  readonly expected: unknown;
  /** The rules that it is about; empty if valid data is loaded. */
  readonly rules: readonly string[];
}

/**
 * The lines of a file of test vectors: a header, then lines to send to a service, each with the expected response.
 * The same options give the same lines in every release whose header has the same `version`.
 *
 * @throws InputError if an option is not an integer, or `count` is negative
 */
export async function* vectors({
  count,
  seed = 1,
}: VectorOptions): AsyncGenerator<VectorHeader | Vector, void> {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new InputError("options.count", "must be a non-negative integer");
  }
  if (!Number.isSafeInteger(seed)) throw new InputError("options.seed", "must be an integer");
  yield { format: "tercet vectors", version: VERSION, seed, count };
  const known = new Set<string>();
  for (let round = 0, left = count; left > 0; round++) {
    const drawn = await recordedOf(Math.imul(seed, 0x9e3779b1) + round, round % LONG_ROUNDS === 0);
    const fresh = drawn.filter((each) => !known.has(keyOf(each)) && known.add(keyOf(each)));
    const chosen = fresh.slice(0, left);
    left -= chosen.length;
    yield* vectorsOf(chosen);
  }
}

/** A line that was sent, and the reference's response. */
export interface Recorded {
  readonly data: string;
  /** `undefined` if the data was not accepted. */
  readonly sent: string | undefined;
  readonly answer: string;
  readonly rules: readonly string[];
}

const keyOf = ({ data, sent = "" }: Recorded): string => `${data}\n${sent}`;

/** Vectors of the lines sent, grouped by their data. */
export function* vectorsOf(recorded: readonly Recorded[]): Generator<Vector, void> {
  const byData = new Map<string, Recorded[]>();
  for (const each of recorded) {
    const those = byData.get(each.data) ?? [];
    byData.set(each.data, those);
    those.push(each);
  }
  for (const [data, those] of byData) {
    const load: unknown = JSON.parse(data);
    const isValid = those.every(({ sent }) => sent !== undefined);
    if (isValid) yield { load, expected: { loaded: true }, rules: [] };
    for (const { sent, answer, rules } of those) {
      if (sent === undefined) yield { load, expected: { loaded: false }, rules };
      else yield { ...lineOf(sent), expected: essenceOf(answer), rules };
    }
  }
}

function lineOf(sent: string): Pick<Vector, "request" | "text"> {
  try {
    return { request: JSON.parse(sent) as unknown };
  } catch {
    return { text: sent };
  }
}

/** The value of a response, without the unspecified wording of errors. */
function essenceOf(answer: string): unknown {
  return answer === "" ? null : withoutReasons(JSON.parse(answer));
}

function withoutReasons(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withoutReasons);
  const { error, ...members } = membersOf(answer, "an answer");
  if (error === undefined || error === null) return answer;
  const { code, message } = membersOf(error, "an error");
  return { ...members, error: members.jsonrpc === "2.0" ? { code } : { code, message } };
}

/** A selection of the lines that each law sends in a few cases. */
async function recordedOf(seed: number, isLongShown: boolean): Promise<Recorded[]> {
  const all: Recorded[] = [];
  for (const { name, rules, report } of laws) {
    if (LATER_LAWS.has(name)) continue;
    const isLong = name === LONG_LAW && isLongShown;
    const recorded: (Recorded & { readonly worth: number })[] = [];
    const record = (data: string, answer: string, whole: string, sent?: string) => {
      if (sent !== undefined && !survives(sent)) return;
      const size = answer.length + (sent ?? "").length;
      if (data.length > LONGEST_LOAD || size > (isLong ? 10 * LONGEST : LONGEST)) return;
      // Results with some records, but not all, test a query best.
      const worth = answer === whole ? 0 : /"(?:folder|contact)_id":/.test(answer) ? 2 : 1;
      recorded.push({ data, sent, answer, rules, worth });
    };
    await report(
      (given) => {
        const data = dataText(given);
        try {
          const { dispatchJson } = referenceService(given);
          let whole: string | undefined;
          return {
            dispatchJson(sent: string) {
              const answer = dispatchJson(sent);
              record(data, answer, (whole ??= answer), sent);
              return answer;
            },
          };
        } catch (thrown) {
          if (thrown instanceof InputError) record(data, thrown.message, "");
          throw thrown;
        }
      },
      { seed, numRuns: CASES },
    );
    all.push(...recorded.sort((a, b) => b.worth - a.worth).slice(0, MOST));
  }
  return all;
}

/** Whether a line keeps its digits in JSON.parse, as in the file of vectors. Text that is not JSON is not parsed. */
function survives(sent: string): boolean {
  try {
    return JSON.stringify(JSON.parse(sent)) === sent;
  } catch {
    return true;
  }
}

/** Data as JSON, which has no bigints: the string of an integer means the same. */
export const dataText = (data: unknown): string =>
  JSON.stringify(data, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
