// The laws of requests as text (rules E1, E3, E7, V2, C8, P6): what languages write and parse in different ways. Each
// case tries all the spellings at one place, so that a service that accepts a single one of them is found.

import * as fc from "fast-check";
import { validRequest } from "../arbitraries/request.ts";
import type { ErrorCode } from "../../index.ts";
import { expect } from "./compare.ts";
import { requestDataOf, searchableField } from "./generate.ts";
import { defineLaw, type Circumstances, type DefinedLaw } from "./law.ts";
import { codeIn, expectResponse, resultText, said } from "./response.ts";
import { ofService, poolOf, type Setting } from "./setting.ts";
import type { Subject } from "./subject.ts";

/** Stands for a number in a request, and becomes its digits in the text. */
const NUMBER = "#";

const written = (request: object, number: string): string =>
  JSON.stringify(request).replace(JSON.stringify(NUMBER), () => number);

/** A request with a number at one place, and the error if the number is none that it takes. */
interface Place {
  readonly request: object;
  readonly code: ErrorCode;
}

/** The places of a number, with a searchable int field. */
function places(
  setting: Setting,
  circumstances: Circumstances,
): fc.Arbitrary<readonly [Place, string]> {
  return searchableField(setting, ({ type }) => type === "int").chain((field) =>
    fc.tuple(placesAt(field, setting, circumstances), fc.constant(field)),
  );
}

function placesAt(field: string, setting: Setting, { apiKey }: Circumstances): fc.Arbitrary<Place> {
  const { operation, subject } = ofService(setting);
  const call = (...page: readonly unknown[]) => ({
    id: 1,
    method: operation,
    params: [apiKey, ...subject, ...page],
  });
  return fc.constantFrom<Place[]>(
    { request: call(null, NUMBER), code: 310 },
    { request: call(null, null, NUMBER), code: 310 },
    { request: call([[field, "exactly", NUMBER]]), code: 311 },
    { request: call([[field, "not", NUMBER]]), code: 311 },
    { request: call([[field, "in", [NUMBER]]]), code: 311 },
    { request: call([[field, "less_than", NUMBER]]), code: 311 },
    { request: { ...call(null, 0), id: NUMBER }, code: 310 },
  );
}

/** A few integers that the records have in a field, and others. */
function integersOf(setting: Setting, field: string): fc.Arbitrary<number> {
  const known = poolOf(setting)
    .records.map((record) => Number(record[field] ?? 0))
    .filter((value) => Number.isInteger(value) && Math.abs(value) < 1e6);
  return fc.constantFrom(0, 1, 3, ...known);
}

/** Other spellings of an integer. */
const spellingsOf = (integer: number): string[] => [
  ...[`${integer}.0`, `${integer}.00`, `${integer}e0`, `${integer}E+0`, `${integer}.0e-0`],
  ...(integer === 0 ? ["-0", "-0.0", "0e5"] : [`${integer}0e-1`, `${integer}0.0E-01`]),
];

/** Spellings of 0.1: some programs write more digits of a double than tell it from others. */
const TENTHS = ["0.10", "1e-1", "0.10000000000000001", "0.1000000000000000055511151231257827"];

/** More digits than some parsers read. */
const LONG = "9".repeat(5000);
/** Integers that would be rounded. */
const ROUNDED = ["9007199254740993", "-9007199254740993", "12345678901234567891", LONG];
const INFINITE = ["1e400", "-1e400"];

/** The id, and the result or the code of the error. */
async function outcome(service: Subject, text: string): Promise<string> {
  const response = expectResponse(JSON.parse(String(await service.dispatchJson(text))));
  const code = codeIn(response);
  const rest = code === undefined ? `result ${resultText(response.result)}` : said(code);
  return `id ${JSON.stringify(response.id)}, ${rest}`;
}

async function expectOutcome(service: Subject, text: string, expected: string): Promise<void> {
  const found = await outcome(service, text);
  expect(found === expected, () => `${JSON.stringify(text)}: expected ${expected}, got ${found}`);
}

const valid = (setting: Setting, circumstances: Circumstances) =>
  validRequest(requestDataOf(setting, circumstances));

/** What some parsers accept beside JSON, made of a request. */
const ALMOST_JSON: readonly ((json: string) => string)[] = [
  // Not at the start, where HTTP clients and servers leave out a byte order mark before the service reads it.
  (json) => ` \ufeff${json}`,
  (json) => `\u00a0${json}`,
  (json) => `\f${json}`,
  (json) => `${json}\0`,
  (json) => `${json};`,
  (json) => json + json,
  (json) => `${json}// a comment`,
  (json) => `/* a comment */${json}`,
  (json) => `# a comment\r${json}`,
  (json) => `(${json})`,
  (json) => json.replace(/\}$/, ",}"),
  (json) => json.replace(/\]\}$/, ",]}"),
  (json) => json.slice(0, -1),
  (json) => json.replace('"id"', "'id'"),
  (json) => json.replace('"id"', "id"),
  (json) => json.replace('"id":', '"id"='),
  (json) => json.replace(',"method"', ' "method"'),
  (json) => json.replace('{"id"', '{,"id"'),
  ...[
    ...["NaN", "Infinity", "-Infinity", "undefined", "None", "True", "NULL"],
    ...["0x1", ".5", "1.", "+1", "01", "1_000", "1n", "--1"],
    ...["'a'", '"\u0001"', '"\\x41"', '"\\0"', "`a`", '"a" "b"'],
  ].map((value) => (json: string) => json.replace('{"id"', `{"other":${value},"id"`)),
];

/** Members that a later one of the same name replaces. */
const EARLIER = [
  '"id":"another"',
  '"id":null',
  '"method":"noMethod"',
  '"params":[]',
  '"params":null',
];

/** White space between tokens, and characters in strings at which some readers of lines stop. */
const WHITE = ["\r", "\t", " ", "\r\r", " \t\r "];
const ENDS = ["\u2028", "\u2029", "\u0085", "\u007f", "\ufeff", "a\u2028b"];

export const textLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a number is the same, however it is written",
    rules: ["V2", "E3"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      places(setting, circumstances).chain(([{ request }, field]) =>
        integersOf(setting, field).map((integer) => {
          const spelled = (spellings: readonly string[], plain: string) =>
            spellings.map((spelling) => ({
              text: written(request, spelling),
              same: written(request, plain),
            }));
          return [...spelled(spellingsOf(integer), String(integer)), ...spelled(TENTHS, "0.1")];
        }),
      ),
    async holds({ service }, generated) {
      for (const { text, same } of generated) {
        await expectOutcome(service, text, await outcome(service, same));
      }
    },
  }),
  defineLaw({
    name: "a number that no double has is refused, and never rounded",
    rules: ["V2", "E3"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      places(setting, circumstances).map(([{ request, code }]) => {
        const isId = "id" in request && request.id === NUMBER;
        // Another law is about ids that are long integers.
        return (isId ? INFINITE : [...INFINITE, ...ROUNDED]).map((number) => ({
          text: written(request, number),
          expected: `id ${isId ? "null" : 1}, ${said(code)}`,
        }));
      }),
    async holds({ service }, generated) {
      for (const { text, expected } of generated) await expectOutcome(service, text, expected);
    },
  }),
  defineLaw({
    name: "what only some parsers take for JSON is error 310 with id null",
    rules: ["E1"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      fc
        .tuple(valid(setting, circumstances), fc.subarray([...ALMOST_JSON], { minLength: 8 }))
        .map(([request, all]) => all.map((almost) => almost(JSON.stringify(request)))),
    async holds({ service }, texts) {
      for (const text of texts) await expectOutcome(service, text, `id null, ${said(310)}`);
    },
  }),
  defineLaw({
    name: "of members with one name the last one counts",
    rules: ["E1"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      fc.record({
        request: valid(setting, circumstances),
        earlier: fc.constantFrom(...EARLIER),
      }),
    async holds({ service }, { request, earlier }) {
      const json = JSON.stringify(request);
      const twice = json.replace("{", () => `{${earlier},`);
      await expectOutcome(service, twice, await outcome(service, json));
    },
  }),
  defineLaw({
    name: "only a line feed ends a request",
    rules: ["E1", "E3"],
    needs: ["dispatchJson"],
    generate: (setting, circumstances) =>
      fc.record({
        id: fc.constantFrom(...ENDS),
        white: fc.constantFrom(...WHITE),
        request: valid(setting, circumstances),
      }),
    async holds({ service }, { id, white, request: { method, params } }) {
      const members = [id, method, params].map((value) => JSON.stringify(value));
      const [first, second, third] = members;
      const text = `${white}{${white}"id":${first},${white}"method":${second},"params":${third}}${white}`;
      const usual = await outcome(service, JSON.stringify({ id: "a", method, params }));
      await expectOutcome(
        service,
        text,
        usual.replace('"a"', () => JSON.stringify(id)),
      );
    },
  }),
];
