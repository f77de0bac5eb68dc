// JSON of any size: reading piece by piece gives the same result as JSON.parse for the whole text, wherever the pieces
// are split.

import { constants, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openService } from "../../src/cli/input.ts";
import { refused, type Source } from "../../src/cli/records.ts";
import { openBatch, readBatch, readJson } from "../../src/import/index.ts";
import { fed, type Decoder } from "../../src/import/feed.ts";
import { readJsonFormat } from "../../src/import/json-format.ts";
import { jsonDecoder } from "../../src/import/json.ts";
import { JsonScanner } from "../../src/import/json-scanner.ts";
import { piecesOf } from "../../src/import/source.ts";
import { createService, InputError, type BatchInput } from "../../src/index.ts";
import { isExact, parseExactly } from "../../src/schema/exact-json.ts";
import { settings } from "../property.ts";
import { encode, isJson, pieces } from "./pieces.ts";
import { like } from "../likeness.ts";

/** The Batch, opened; its errors name the source as those of the commands do. */
function open(bytes: Uint8Array, size: number): Source {
  try {
    const content = openBatch(() => pieces(bytes, size), { name: "batches[0]" });
    return { place: "it", content };
  } catch (thrown) {
    throw thrown instanceof InputError ? refused({ place: "it" }, thrown) : thrown;
  }
}

/** What `read` returns, or the message of the error that it throws. */
function outcome<Result>(read: () => Result): Result | string {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return thrown.message;
  }
}

/** Gives a decoder all bytes. */
function feed(decoder: Decoder, bytes: Uint8Array, size: number): void {
  let all = decoder;
  for (all of fed(all, pieces(bytes, size), decoder));
}

function readValue(bytes: Uint8Array, size: number): unknown {
  const open = () => {
    throw new Error("there are no records");
  };
  const scanner = new JsonScanner({ shape: "value", root: "text", open });
  feed(scanner, bytes, size);
  return scanner.result;
}

/** JSON that is hard to frame, and a size at which to cut it. */
const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.json({ maxDepth: 3, stringUnit: "binary" }),
  fc.constantFrom(
    '{"a":{"b":[{"c":"\\"}]\\\\"}]},"":"\\u0022\\ud83c\\udf89\\ud800","é🎉":[[],{},""]}',
    '{"__proto__":1,"a":2,"2":3,"1":4,"a":{"a":5}}',
    '[9007199254740993,{"a":-1001876906694955838},12345678901234567168]',
    '[-0, 1e999, 1.5E-3,0.0,-1e+2 , "\\b\\f\\n\\r\\t\\/",true ,false, null]',
    " \t\r\n{ }\n",
  ),
);

/** The text, or a similar one that is seldom JSON. */
const nearly = (text: string) =>
  fc.oneof(
    fc.constant(text),
    fc
      .tuple(
        fc.nat(text.length),
        fc.nat(3),
        fc.string({
          unit: fc.constantFrom(...Array.from('{}[]",:\\/utrnf01-+.eE \n\u0001é')),
          maxLength: 3,
        }),
      )
      .map(([at, without, more]) => text.slice(0, at) + more + text.slice(at + without)),
  );

/** What JSON.parse gives, but integers that it would round keep their digits. */
const parsed = (text: string) => parseExactly(text.toWellFormed(), isExact);

/** Compares the digits of long numbers too, which toStrictEqual does not see. */
function expectSame(read: unknown, expected: unknown): void {
  expect(read).toStrictEqual(expected);
  expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
}

test("the scanner and JSON.parse accept the same texts, with the same values", () => {
  fc.assert(
    fc.property(json.chain(nearly), fc.integer({ min: 1, max: 9 }), (text, size) => {
      let expected: unknown;
      try {
        expected = parsed(text);
      } catch {
        expect(outcome(() => readValue(encode(text), size))).toMatch(
          /^text: is not JSON: unexpected (end|control character|character beyond ASCII|'.') at byte \d+$/,
        );
        return;
      }
      expectSame(readValue(encode(text), size), expected);
    }),
    settings(300),
  );
});

/** The records of values one after the other, each as long as it can be; `undefined` if the text is none such. */
function sequenceIn(text: string): unknown[] | undefined {
  if (text.trim() === "") return [];
  for (let end = text.length; end > 0; end--) {
    if (!isJson(text.slice(0, end))) continue;
    const value = parsed(text.slice(0, end));
    const rest = sequenceIn(text.slice(end));
    if (rest !== undefined)
      return [...(Array.isArray(value) ? (value as unknown[]) : [value]), ...rest];
  }
  return undefined;
}

test("the reader and JSON.parse accept the same records, with the same values", () => {
  const records = fc.array(json, { maxLength: 5 }).map((all) => ` [${all.join(" , ")}]`);
  fc.assert(
    fc.property(records.chain(nearly), fc.integer({ min: 1, max: 30 }), (text, size) => {
      const read = () => {
        const values: unknown[] = [];
        feed(
          jsonDecoder({ take: (value) => values.push(value) }, readJsonFormat({}), {}),
          encode(text),
          size,
        );
        return values;
      };
      let expected: unknown;
      try {
        expected = parsed(text);
      } catch {
        const found = outcome(read);
        // In values one after the other, one that is neither a list nor an object is refused when it ends.
        const refused =
          /^records(\[\d+\])?: (is not JSON: unexpected .* at byte \d+|must be an array or objects, not .*)$/s;
        if (typeof found !== "string") expectSame(found, sequenceIn(text));
        else expect(found).toMatch(refused);
        return;
      }
      if (Array.isArray(expected)) expectSame(read(), expected);
      else if (typeof expected !== "object" || expected === null) {
        expect(outcome(read)).toMatch(/^records: must be an array or objects, not /);
      }
    }),
    settings(300),
  );
});

const member = (name: string, value: string) =>
  `"${name.replace(/[a-i]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)}" :${value}`;

/** An object with members in any order, some of them repeated. */
const object = (members: Record<string, fc.Arbitrary<string>>) => {
  const one = Object.entries(members).map(([name, value]) =>
    fc
      .tuple(value, fc.boolean())
      .map(([text, escaped]) => (escaped ? member(name, text) : `"${name}":${text}`)),
  );
  return fc
    .tuple(fc.tuple(...one), fc.array(fc.oneof(...one), { maxLength: 2 }))
    .chain(([all, more]) => fc.shuffledSubarray([...all, ...more], { minLength: all.length }))
    .map((each) => `{${each.join(",")}}`);
};

const junk = fc.constantFrom("null", "[]", "{}", '"x"', "7", "[[]]", '{"contacts":[1]}', "[3]");
const rarely = (usual: fc.Arbitrary<string>) =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: junk, weight: 1 });
const array = (elements: fc.Arbitrary<string>) =>
  fc.array(elements, { maxLength: 4 }).map((each) => `[ ${each.join(" ,\n")}]`);
const id = fc.integer({ min: 1, max: 99 }).map(String);
const contact = object({
  send_id: id,
  contact_id: id,
  contact_email: fc.constantFrom('"a@example.com"', '"}],\\"{["', '"ж🎉"', '"\\ud83c\\udf89"'),
  fields: fc.constantFrom('{"Email":"e"}', "{}", '{"Age":"1"}'),
});
const list = object({
  id,
  fields: rarely(fc.constantFrom('["Email"]', '{"Email":"string","Age":"int"}')),
  contacts: rarely(array(rarely(contact))),
});
const batch = rarely(object({ id, lists: rarely(array(rarely(list))) }));

/** The content once its records have been made. */
function made(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Symbol.iterator in value) return Array.from(value as Iterable<unknown>, made);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, made(each)]));
}

test("a Batch with members in any order is what JSON.parse and createService make of it", async () => {
  await fc.assert(
    fc.asyncProperty(batch, fc.integer({ min: 1, max: 50 }), async (text, size) => {
      const bytes = encode(text);
      const parsed = JSON.parse(text) as BatchInput;
      expect(made(open(bytes, size).content)).toStrictEqual(parsed);
      expect(await readBatch(pieces(bytes, size))).toStrictEqual(parsed);

      const answers = outcome(() => {
        const service = openService({ batches: [open(bytes, size)] });
        return Object.keys(service.batches).map((each) => service.getBatchContacts(each));
      });
      const expected = outcome(() => {
        const service = createService({ batches: [parsed] });
        return Object.keys(service.batches).map((each) => service.getBatchContacts(each));
      });
      expect(
        typeof expected === "string" ? expected.replace(/^batches\[0\]\.?(: )?/, "it: ") : expected,
      ).toEqual(answers);
    }),
    settings(150),
  );
});

test("the properties cover both valid and invalid texts and Batches", () => {
  const share = (verdicts: readonly boolean[]) => verdicts.filter(Boolean).length / verdicts.length;
  const sample = { numRuns: 200, seed: 1 };
  const parses = fc
    .sample(json.chain(nearly), sample)
    .map((text) => outcome(() => readValue(encode(text), 9)))
    .map((result) => typeof result !== "string" || !result.startsWith("text: is not JSON"));
  const loads = fc
    .sample(batch, sample)
    .map((text) => outcome(() => createService({ batches: [JSON.parse(text) as BatchInput] })))
    .map((result) => typeof result !== "string");
  for (const verdicts of [parses, loads]) {
    expect(share(verdicts)).toBeGreaterThan(0.1);
    expect(share(verdicts)).toBeLessThan(0.9);
  }
});

const small = `\ufeff{"id":1,"lists":[{"contacts":[
  {"send_id":1,"contact_id":2,"contact_email":"ä€🎉","bounce_description":"\\"]}\\u20ac"},
  {"contact_email":"b","contact_id":2,"send_id":2,"fields":{"Émail":"é"}}],
  "fields":["Émail"],"id":"7"}]}\n`;

test("a Batch cut into pieces of any size is the same Batch", () => {
  const bytes = encode(small);
  const service = createService({ batches: [JSON.parse(small.slice(1)) as BatchInput] });
  for (let size = 1; size <= bytes.length; size++) {
    const source = open(bytes, size);
    const answer = openService({ batches: [source] }).getBatchContacts(1);
    expect(answer).toEqual(service.getBatchContacts(1));
    expect(Object.values(answer)[0]).toHaveLength(2);
  }
});

test("a Batch that ends too early is refused wherever it ends, with the byte", () => {
  const bytes = encode(small.trimEnd());
  const cut = (length: number) => outcome(() => open(bytes.subarray(0, length), 5));
  for (let length = 0; length < bytes.length; length++) {
    // An incomplete byte order mark is not one.
    const what = length === 1 || length === 2 ? "end" : "(end|character beyond ASCII)";
    expect(cut(length)).toMatch(
      new RegExp(`^it: (\\S+: )?is not JSON: unexpected ${what} at byte ${length}$`),
    );
  }
});

test.each([
  ["what follows the Batch", `{"id":1} {`, "is not JSON: unexpected '{' at byte 9"],
  ["a comma too many", `{"id":1,"lists":[{"contacts":[{},]}]}`, "unexpected ']' at byte 33"],
  [
    "an error in a record",
    `{"id":1,"lists":[{"id":2,"contacts":[{"a":1e}]}]}`,
    "unexpected '}' at byte 44",
  ],
  ["a control character", `["a\nb"]`, "unexpected control character at byte 3"],
  [
    "an error that hides where the record ends",
    `{"id":1,"lists":[{"id":2,"contacts":[{"a":1},{"b":"c"d"},{"e":"}]}]}`,
    /^it: lists\[0\]\.contacts\[1\]: is not JSON: unexpected 'd' at byte 53$/,
  ],
  [
    "an error that hides where all ends",
    `{"id":1,"lists":[{"id":2,"contacts":[{"a":1},{"b":"c"d"},{"e":1}]}]}`,
    /^it: lists\[0\]\.contacts\[1\]: is not JSON: unexpected 'd' at byte 53$/,
  ],
  [
    "a bracket of the wrong kind",
    `{"id":1,"lists":[{"id":2,"contacts":[]},{"id":3,"contacts":[{"a":[1}}]}]}`,
    /^it: lists\[1\]\.contacts\[0\]: is not JSON: unexpected '}' at byte 67$/,
  ],
  ["nothing", "", "is not JSON: unexpected end at byte 0"],
])("%s is named with its byte", (_, text, message) => {
  for (const size of [1, 4, 100]) {
    expect(outcome(() => openService({ batches: [open(encode(text), size)] }))).toMatch(message);
  }
});

describe("bytes that are not UTF-8", () => {
  test.each([
    ["a stray byte", [0xff], 0],
    ["a continuation alone", [0x80], 0],
    ["a character cut short by another", [0xe2, 0x82, 0x41], 0],
    ["a surrogate", [0xed, 0xa0, 0x80], 0],
    ["an overlong form", [0xc0, 0xaf], 0],
    ["a character cut short by the end", [0xf0, 0x9f, 0x8e], 0],
  ])("%s is refused, wherever the pieces are cut", (_, bad) => {
    const before = encode('"é€🎉');
    for (const after of ['"]', 'x€"]']) {
      const bytes = Buffer.concat([encode("["), before, Buffer.from(bad), encode(after)]);
      for (let size = 1; size <= bytes.length; size++) {
        const read = () => Array.from(readJson(pieces(bytes, size)));
        const [, at] =
          /^records\[0\]: is not UTF-8 at byte (\d+)$/.exec(
            outcome(() => read().length.toString()),
          ) ?? [];
        expect(Number(at)).toBeGreaterThan(before.length);
        expect(Number(at)).toBeLessThanOrEqual(before.length + bad.length);
      }
    }
  });
});

describe("depth and length", () => {
  const PIECE = 1 << 20;
  const records = (text: string) =>
    outcome(() => Array.from(readJson(pieces(encode(text), PIECE))));

  test("100,000 brackets are skipped without recursion", () => {
    const deep = 100_000;
    const nested = `[${"[".repeat(deep)}${"]".repeat(deep)}]`;
    expect(records(nested)).toHaveLength(1);
    expect(records("[".repeat(deep))).toBe(
      `records[0]: is not JSON: unexpected end at byte ${deep}`,
    );
    const objects = `[${'{"a":'.repeat(deep)}1${"}".repeat(deep)}]`;
    expect(records(objects)).toHaveLength(1);
  });
});

test("records that have vanished when they are loaded are an error that says so", () => {
  let pass = 0;
  const batch = openBatch(() =>
    pieces(encode(small).subarray(0, pass++ === 0 ? undefined : 60), 10),
  );
  expect(() => createService({ batches: [batch] })).toThrow(
    like(new InputError("batch.lists[0].contacts[0]", "changed while it was being read")),
  );
});

test("the Contacts of an opened Batch can be read again", () => {
  const batch = openBatch(() => pieces(encode(small), 10));
  const [first, second] = [1, 2].map(() => createService({ batches: [batch] }).getBatchContacts(1));
  expect(first).toEqual(second);
});

describe("gzip", () => {
  const text = Buffer.from("tercet ".repeat(100_000) + "end");
  const unpack = (bytes: Uint8Array, size: number) =>
    Buffer.concat(Array.from(piecesOf(pieces(bytes, size)), (part) => Buffer.from(part)));

  test("decompresses consecutive members, however they are cut, and skips padding", () => {
    const store = gzipSync(text.subarray(0, 300), { level: constants.Z_NO_COMPRESSION });
    const members = [gzipSync(text), gzipSync(""), store, gzipSync("last")];
    const packed = Buffer.concat(members);
    const expected = Buffer.concat([text, text.subarray(0, 300), Buffer.from("last")]);
    for (const size of [1, 2, 7, members[0]?.length ?? 0, 1000, packed.length]) {
      expect(unpack(packed, size).equals(expected)).toBe(true);
      const padded = Buffer.concat([packed, Buffer.alloc(50)]);
      expect(unpack(padded, size).equals(expected)).toBe(true);
    }
  });

  test("damage is an error that says so", () => {
    const packed = gzipSync(text);
    for (const size of [1, 100, packed.length]) {
      for (let end = 2; end < packed.length; end += 13) {
        expect(() => unpack(packed.subarray(0, end), size)).toThrow(
          "damaged gzip: unexpected end of data",
        );
      }
      const flipped = Buffer.from(packed);
      flipped[flipped.length - 6] = (flipped[flipped.length - 6] ?? 0) ^ 1;
      expect(() => unpack(flipped, size)).toThrow("is damaged gzip: incorrect data check");
      const followed = Buffer.concat([packed, Buffer.from("more")]);
      expect(() => unpack(followed, size)).toThrow("is damaged gzip: incorrect header check");
    }
  });
});
