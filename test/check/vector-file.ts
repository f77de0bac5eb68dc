// Adds to data/vectors.ndjson: for each planted mistake that it does not reveal, a small case that does. Run: npx tsx
// test/check/vector-file.ts

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { createService, errorNames, ServiceError } from "../../src/index.ts";
import {
  laws,
  referenceService,
  vectors,
  type CheckedData,
  type CheckedService,
  type LawOptions,
  type Vector,
  type VectorHeader,
  type VectorOptions,
} from "../../src/testing/index.ts";
import { brokenServices, type BrokenService } from "../testing/broken.ts";

type Make = (data: CheckedData) => CheckedService;
type Answer = (line: string) => string;
type Members = Readonly<Record<string, unknown>>;

/** The methods by which a service may be asked what a line asks. */
export const WAYS = ["calls", "dispatch", "dispatchJson"] as const;
type Way = (typeof WAYS)[number];

/** The text of an answer; nothing where there is none. */
const textOf = (answer: unknown): string => (answer === undefined ? "" : JSON.stringify(answer));

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null ? { ...value } : {};

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
};

/**
 * A service that answers lines. What a broken service has no method for, it answers as is right; so it does, but for
 * dispatchJson, where a line differs from that of its value, as with 1.0 or a number that JSON.parse rounds.
 */
export function answering(make: Make, way: Way, data: CheckedData): Answer {
  const service = make(structuredClone(data));
  // Not before it is needed: a broken service may take data that is not valid.
  let made: ReturnType<typeof createService> | undefined;
  const right = (line: string) => (made ??= createService(data)).dispatchJson(line);
  return (line) => {
    const request = parsed(line);
    if (way === "dispatchJson") {
      return service.dispatchJson ? String(service.dispatchJson(line)) : right(line);
    }
    if (JSON.stringify(request) !== line) return right(line);
    if (way === "dispatch" && service.dispatch !== undefined) {
      return textOf(service.dispatch(request as never));
    }
    const { id, method, params, jsonrpc }: Members = membersOf(request);
    const call = method === "searchFiles" || method === "getBatchContacts" ? service[method] : null;
    const isRequest = (typeof id === "string" || Number.isInteger(id)) && jsonrpc === undefined;
    const isCall = isRequest && Array.isArray(params) && params[0] === "key";
    if (way !== "calls" || !call || !isCall) return right(line);
    try {
      const result = call(...(params.slice(1) as never[]));
      return JSON.stringify({ id, result, error: null });
    } catch (thrown) {
      if (!(thrown instanceof ServiceError)) throw thrown;
      const { code, data } = thrown;
      return JSON.stringify({ id, result: null, error: { code, message: errorNames[code], data } });
    }
  };
}

/** Whether an answer is what a vector expects, as data/README.md says. */
export function isExpected(answer: string, expected: unknown): boolean {
  const value = answer === "" ? null : parsed(answer);
  if (!Array.isArray(expected)) return isDeepStrictEqual(essence(value), expected);
  const inOrder = (list: readonly unknown[]) =>
    list.toSorted((a, b) => String(membersOf(a).id).localeCompare(String(membersOf(b).id)));
  return Array.isArray(value) && isDeepStrictEqual(inOrder(value.map(essence)), inOrder(expected));
}

/** Without the reason of an error, and without the message of one in JSON-RPC. */
function essence(answer: unknown): unknown {
  const { error, ...members } = membersOf(answer);
  if (error === undefined || error === null) return answer;
  const { code, message, data } = membersOf(error);
  if (typeof data !== "string") return answer;
  return { ...members, error: "jsonrpc" in members ? { code } : { code, message } };
}

/** The first line whose answer is not the expected one. */
export function firstWrong(make: Make, lines: readonly Vector[], way: Way): Vector | undefined {
  let answer: Answer | undefined;
  return lines.find((line) => {
    if (line.load !== undefined) {
      try {
        answer = answering(make, way, line.load as CheckedData);
      } catch {
        answer = undefined;
      }
      return !isDeepStrictEqual({ loaded: answer !== undefined }, line.expected);
    }
    try {
      const text = line.text ?? JSON.stringify(line.request);
      return answer === undefined || !isExpected(answer(text), line.expected);
    } catch {
      return true;
    }
  });
}

/** The data and the first request that is answered wrongly, with those before it only if they are needed. */
function showing(make: Make, lines: readonly Vector[], way: Way): readonly Vector[] {
  const wrong = firstWrong(make, lines, way);
  if (wrong === undefined) return [];
  const before = lines.slice(0, lines.indexOf(wrong) + 1);
  const all = before.slice(before.findLastIndex(({ load }) => load !== undefined));
  const alone = all.filter((each) => each === all[0] || each === wrong);
  return firstWrong(make, alone, way) === undefined ? all : alone;
}

/** In how many seeds a law looks for a case that shows a mistake also as text. */
const SEEDS = 3;
/** How many smaller cases are tried before their data is made smaller. More take minutes for some mistakes. */
const SMALLER = 1000;

/** A case of more characters is looked for in the other seeds, too. */
const LARGE = 5000;

const sizeOf = (lines: readonly Vector[]): number => JSON.stringify(lines).length;

/** The lines of a small case in which a mistake shows; none where nothing that is sent as text shows it. */
async function smallCase(broken: BrokenService): Promise<readonly Vector[]> {
  let smallest: readonly Vector[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const way of WAYS) {
      // Shrinking takes most of the time, and what a case shows may not be text.
      const first = await caseIn(broken, way, { seed, shrink: false });
      if (first.lines.length === 0) continue;
      const { lines } = await caseIn(broken, way, { seed }, first.made + SMALLER);
      for (const found of [first.lines, lines]) {
        if (found.length === 0) continue;
        if (smallest.length === 0 || sizeOf(found) < sizeOf(smallest)) smallest = found;
      }
      if (sizeOf(smallest) <= LARGE) return smallest;
    }
  }
  return smallest;
}

/** The lines of the case that a law reports, and how many services were made until then. */
async function caseIn(
  { law, make }: BrokenService,
  way: Way,
  options: LawOptions,
  most = Infinity,
): Promise<{ readonly lines: readonly Vector[]; readonly made: number }> {
  const broken = laws.find(({ name }) => name === law);
  if (broken === undefined) throw new Error(`there is no law ${law}`);
  let made = 0;
  let cases: { readonly data: CheckedData; readonly sent: string[] }[] = [];
  const { outcome } = await broken.report((data) => {
    // Ends the search for a smaller case; what was found is kept.
    if (++made === most) throw new fc.PreconditionFailure(true);
    const sent: string[] = [];
    // The last ones are those of the case that is reported.
    cases = [{ data, sent }, ...cases.slice(0, 3)];
    const answer = answering(make, way, data);
    return { dispatchJson: (line: string) => (sent.push(line), answer(line)) };
  }, options);
  if (outcome !== "failed") return { lines: [], made };
  const lines = cases
    .map(({ data, sent }) => showing(make, vectorsOf(data, sent, broken.rules), way))
    .find((shown) => shown.length > 0);
  return { lines: lines ?? [], made };
}

/** What the reference answers. */
function vectorsOf(data: CheckedData, sent: readonly string[], rules: readonly string[]): Vector[] {
  const load: unknown = JSON.parse(
    JSON.stringify(data, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  );
  try {
    const { dispatchJson } = referenceService(load as CheckedData);
    return [
      { load, expected: { loaded: true }, rules: [] },
      ...sent.map((line) => {
        const [answer, request] = [dispatchJson(line), parsed(line)];
        const expected = answer === "" ? null : parsed(answer);
        return {
          // As text where its value alone would not show the mistake, as with 1.0 and 1.
          ...(JSON.stringify(request) === line ? { request } : { text: line }),
          expected: Array.isArray(expected) ? expected.map(essence) : essence(expected),
          rules,
        };
      }),
    ];
  } catch {
    return [{ load, expected: { loaded: false }, rules }];
  }
}

const isCounted = ({ rules }: { readonly rules?: readonly string[] }): boolean =>
  rules !== undefined && rules.length > 0;

/** All lines of generated vectors. */
export async function vectorLines(options: VectorOptions): Promise<(VectorHeader | Vector)[]> {
  const lines: (VectorHeader | Vector)[] = [];
  for await (const line of vectors(options)) lines.push(line);
  return lines;
}

/** How many vectors are searched for a mistake that the law about it does not show. */
const GENERATED = 400;

/** Whether lines show a mistake, in one of the ways to ask. */
export const reveal = (lines: readonly Vector[], { make }: BrokenService): boolean =>
  WAYS.some((way) => firstWrong(make, lines, way) !== undefined);

/** The lines of the file: those that it has, and cases of the mistakes that they do not reveal. */
async function vectorFile(present: readonly Vector[]): Promise<string> {
  const [header, ...others] = await vectorLines({ count: GENERATED, seed: 1 });
  const generated = others.filter((line) => "rules" in line);
  const chosen = [...present];
  for (const broken of brokenServices) {
    if (reveal(chosen, broken)) continue;
    let lines = await smallCase(broken);
    // As text, the case of its own law need not show it.
    for (const way of WAYS) {
      if (lines.length === 0) lines = showing(broken.make, generated, way);
    }
    chosen.push(...lines);
  }
  const lines = [{ ...header, count: chosen.filter(isCounted).length }, ...chosen];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

if (import.meta.filename === process.argv[1]) {
  const path = join(import.meta.dirname, "../../data/vectors.ndjson");
  const [, ...present] = readFileSync(path, "utf8").trimEnd().split("\n");
  writeFileSync(path, await vectorFile(present.map((line) => JSON.parse(line) as Vector)));
}
