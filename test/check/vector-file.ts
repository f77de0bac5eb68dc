// Writes data/vectors.ndjson: for each planted mistake, the smallest case that reveals it. Run: npx tsx
// test/check/vector-file.ts > data/vectors.ndjson

import { isDeepStrictEqual } from "node:util";
import { createService, errorNames, ServiceError } from "../../src/index.ts";
import {
  laws,
  referenceService,
  vectors,
  type CheckedData,
  type CheckedService,
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

/** A service that answers lines. What a broken service has no method for, it answers as is right. */
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
    if (way === "dispatch" && service.dispatch !== undefined && request !== undefined) {
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

/** The lines of the smallest case in which a mistake shows; none where nothing that is sent as text shows it. */
async function smallestCase(broken: BrokenService): Promise<readonly Vector[]> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const way of WAYS) {
      const lines = await caseIn(broken, way, seed);
      if (lines.length > 0) return lines;
    }
  }
  return [];
}

async function caseIn(
  { law, make }: BrokenService,
  way: Way,
  seed: number,
): Promise<readonly Vector[]> {
  const broken = laws.find(({ name }) => name === law);
  if (broken === undefined) throw new Error(`there is no law ${law}`);
  const cases: { readonly data: CheckedData; readonly sent: string[] }[] = [];
  const { outcome } = await broken.report(
    (data) => {
      const sent: string[] = [];
      cases.push({ data: structuredClone(data), sent });
      const answer = answering(make, way, data);
      return { dispatchJson: (line: string) => (sent.push(line), answer(line)) };
    },
    { seed },
  );
  if (outcome !== "failed") return [];
  // The last ones are those of the case that is reported.
  for (const { data, sent } of cases.slice(-4).reverse()) {
    const lines = vectorsOf(data, sent, broken.rules);
    const shown = showing(make, lines, way);
    if (shown.length > 0) return shown;
  }
  return [];
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

/** The lines of the file. */
export async function vectorFile(): Promise<string> {
  const [header, ...others] = await vectorLines({ count: GENERATED, seed: 1 });
  const generated = others.filter((line) => "rules" in line);
  const seen = new Set<string>();
  const chosen: Vector[] = [];
  for (const broken of brokenServices) {
    let lines = await smallestCase(broken);
    // As text, the case of its own law need not show it.
    for (const way of WAYS) {
      if (lines.length === 0) lines = showing(broken.make, generated, way);
    }
    const text = JSON.stringify(lines);
    if (lines.length > 0 && !seen.has(text)) chosen.push(...lines);
    seen.add(text);
  }
  const lines = [{ ...header, count: chosen.filter(isCounted).length }, ...chosen];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

if (import.meta.filename === process.argv[1]) process.stdout.write(await vectorFile());
