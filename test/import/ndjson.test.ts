// NDJSON and JSON arrays: a round trip keeps the records, and errors name the place of refused ones.

import { constants, deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  loadBatch,
  openBatch,
  readBatch,
  readCsv,
  readJson,
  readNdjson,
  writeJson,
  writeNdjson,
} from "../../src/import/index.ts";
import type { Refused } from "../../src/import/index.ts";
import { Contact, createCollection, File, InputError, int, string } from "../../src/index.ts";
import { settings } from "../property.ts";
import { nastyRecords, pieceSize } from "./nasty.ts";
import { encode, pieces } from "./pieces.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const Person = wireSchema({ id: int(), name: string() });

test("a round trip keeps the records, whatever they hold and wherever the text is cut", () => {
  fc.assert(
    fc.property(nastyRecords, fc.constantFrom("", "\ufeff"), pieceSize, (records, mark, size) => {
      const lines = mark + [...writeNdjson(records)].join("");
      expect(Array.from(readNdjson(pieces(encode(lines), size)))).toStrictEqual(records);
      const array = mark + [...writeJson(records)].join("");
      expect(JSON.parse(array.slice(mark.length))).toStrictEqual(records);
      expect(Array.from(readJson(pieces(encode(array), size)))).toStrictEqual(records);
    }),
    settings(1000),
  );
});

test("bigints are written as strings", () => {
  expect([...writeNdjson([{ id: 1n }])]).toEqual(['{"id":"1"}\n']);
});

describe("lines", () => {
  const good = '{"id":1,"name":"a\u2028b"}';
  test.each([
    ["{", "is not JSON: unexpected end at byte 1 of the line"],
    ['{"id":1}}', "is not JSON: unexpected '}' at byte 8 of the line"],
    ['{"id":1},', "is not JSON: unexpected ',' at byte 8 of the line"],
    ["[]", "must be an object, not an array"],
    ['{"id":1,"name":"x","name2":1}', 'has the unknown field "name2"; did you mean "name"?'],
  ])("%j is refused with the number of its line, wherever it is cut", (bad, reason) => {
    const text = encode(`${good}\n\n \t\r\n${good}\r\n${bad}\n${good}`);
    for (let size = 1; size <= text.length; size++) {
      expect(() => Array.from(readNdjson(pieces(text, size), { schema: Person }))).toThrow(
        like(new InputError("line 5", reason)),
      );
      const refused: Refused[] = [];
      const options = { schema: Person, skipInvalid: (each: Refused) => refused.push(each) };
      const reading = readNdjson(pieces(text, size), options);
      expect(Array.from(reading)).toHaveLength(3);
      expect(reading.place).toBe("line 6");
      expect(refused).toHaveLength(1);
      expect(refused[0]).toMatchObject({ place: "line 5", reason });
    }
  });

  test("only the line that is not UTF-8 is refused", () => {
    const text = Buffer.concat([
      encode(`\ufeff${good}\n"é`),
      Buffer.of(0xff),
      encode(`"\n${good}`),
    ]);
    for (let size = 1; size <= text.length; size++) {
      const refused: Refused[] = [];
      const reading = readNdjson(pieces(text, size), { skipInvalid: (each) => refused.push(each) });
      expect(Array.from(reading)).toHaveLength(2);
      expect(refused).toEqual([
        { place: "line 2", reason: "is not UTF-8 at byte 3 of the line", record: '"é\ufffd"' },
      ]);
    }
  });

  test("a line of more than 16 MiB is refused, and only its start is kept", () => {
    const most = 16 * 1024 * 1024;
    const text = function* (length: number) {
      yield encode(`${good}\n"`);
      for (let left = length - 2; left > 0; left -= 65_536) {
        yield encode("é".repeat(Math.min(left, 65_536) / 2));
      }
      yield encode(`"\n${good}`);
    };
    expect(Array.from(readNdjson(text(most)))).toHaveLength(3);
    for (const length of [most + 2, 2 * most]) {
      const refused: Refused[] = [];
      const reading = readNdjson(text(length), { skipInvalid: (each) => refused.push(each) });
      expect(Array.from(reading)).toHaveLength(2);
      expect(refused).toEqual([
        {
          place: "line 2",
          reason: "is longer than the limit of 16 MiB",
          record: expect.stringMatching(/^"é{400,1000}$/) as string,
        },
      ]);
    }
  });

  test("a line that is too long is refused before its end is read", () => {
    let read = 0;
    const endless = function* () {
      yield encode(`${good}\n"`);
      for (const piece = Buffer.alloc(1 << 18, "a"); read < 1 << 30; read += piece.length)
        yield piece;
    };
    expect(() => Array.from(readNdjson(endless()))).toThrow(
      like(new InputError("line 2", "is longer than the limit of 16 MiB")),
    );
    expect(read).toBeLessThan(17 << 20);
  });
});

test("a JSON array names a refused record by its number, and continues without it", () => {
  const text = encode(
    '[{"id":1,"name":"a"},5,{"id":2},{"id":3,"name":"\\ud800"},{"id":4,"name":"d"}]',
  );
  for (let size = 1; size <= text.length; size++) {
    expect(() => Array.from(readJson(pieces(text, size), { schema: Person }))).toThrow(
      like(new InputError("records[1]", "must be an object, not 5")),
    );
    const refused: string[] = [];
    const people = readJson(pieces(text, size), {
      schema: Person,
      skipInvalid: ({ place, reason }) => refused.push(`${place}: ${reason}`),
    });
    expect(createCollection(Person, people).size).toBe(2);
    expect(refused.map((each) => each.slice(0, 32))).toEqual([
      "records[1]: must be an object, n",
      "records[2]: name: is missing",
      "records[3]: name: must be well-f",
    ]);
  }
});

test("an int field refuses integers that a number can't hold, and does not round them", () => {
  for (const id of ["9007199254740993", "1e400", "1.5", '"01"', "-9007199254740992"]) {
    expect(() => Array.from(readJson(`[{"id":${id},"name":""}]`, { schema: Person }))).toThrow(
      /^records\[0\]\.id: must be an integer/,
    );
  }
  const exact = ["9007199254740991", '"9007199254740991"', "1e3", "-0", "1.0"];
  const read = readJson(`[${exact.map((id) => `{"id":${id},"name":""}`).join()}]`, {
    schema: Person,
  });
  expect(
    createCollection(Person, read)
      .query()
      .map(({ id }) => id)
      .slice(2),
  ).toEqual(["1000", "0", "1"]);
});

test("Files are checked with their names completed, Contacts with their List and List Fields", () => {
  expect(
    Array.from(readNdjson('{"id":1,"folder_id":2,"name":"a.b"}', { schema: File })),
  ).toHaveLength(1);
  expect(() => Array.from(readNdjson('{"id":1,"folder_id":2}', { schema: File }))).toThrow(
    like(new InputError("line 1.basename", "is missing")),
  );
  const contact = (more: string) => `{"send_id":1,"contact_id":2,"contact_email":"x",${more}}`;
  const read = (more: string, listFields?: { readonly Age: "int" }) =>
    Array.from(readNdjson(contact(more), { schema: Contact, ...(listFields && { listFields }) }));
  expect(read('"list":7,"fields":{"Age":5,"City":null}')).toHaveLength(1);
  expect(read('"fields":{"Age":"5"}', { Age: "int" })).toHaveLength(1);
  expect(() => read('"list":"x"')).toThrow(/^line 1\.list: must be an integer/);
  expect(() => read('"fields":[]')).toThrow("line 1.fields: must be an object, not an array");
  expect(() => read('"fields":{"Age":"x"}', { Age: "int" })).toThrow(
    /^line 1\.fields\.Age: must be an int/,
  );
  expect(() => read('"fields":{"Aeg":1}', { Age: "int" })).toThrow(
    'line 1.fields: has the unknown field "Aeg"; did you mean "Age"?',
  );
  expect(() => read('"fields":{"Age":{}}')).toThrow(
    "line 1.fields.Age: must be a string, not an object",
  );
});

test("refused Contacts of a Batch are skipped and reported", async () => {
  const contact = (id: number) => ({ send_id: id, contact_id: 1, contact_email: "x" });
  const batch = {
    id: 1,
    lists: [
      { id: 1, contacts: [contact(1), { ...contact(2), send_id: "x" }] },
      { id: 2, contacts: [7, contact(3)], fields: ["Age"] },
    ],
  };
  const refused: Refused[] = [];
  const text = encode(JSON.stringify(batch));
  const read = await readBatch(pieces(text, 7), { skipInvalid: (each) => refused.push(each) });
  expect(read).toEqual({
    id: 1,
    lists: [
      { id: 1, contacts: [contact(1)] },
      { id: 2, contacts: [contact(3)], fields: ["Age"] },
    ],
  });
  expect(refused.map(({ place }) => place)).toEqual([
    "batch.lists[0].contacts[1]",
    "batch.lists[1].contacts[0]",
  ]);
});

test("onProgress is called with how much was read", () => {
  const read: number[] = [];
  const onProgress = (bytes: number) => read.push(bytes);
  Array.from(readNdjson(pieces(encode("{}\n{}\n{}"), 3), { onProgress }));
  expect(read).toEqual([3, 6, 8]);
});

describe("a text of more bytes than it may have", () => {
  const text = encode('{"id":1,"lists":[]}');
  const read: Readonly<Record<string, (bytes: Buffer, options: { maxBytes: number }) => unknown>> =
    {
      readNdjson: (bytes, options) => [...readNdjson(bytes, options)],
      readBatch: (bytes, options) => readBatch(pieces(bytes, 5), options),
      openBatch: (bytes, options) => openBatch(() => bytes, options),
      loadBatch: (bytes, options) => loadBatch(() => pieces(bytes, 5), options),
    };

  test.each(Object.keys(read))("is refused by %s, gzipped or not", async (name) => {
    const attempt = async (...given: Parameters<NonNullable<(typeof read)[string]>>) =>
      await read[name]?.(...given);
    for (const [bytes, reason] of [
      [text, "has more than 18 bytes"],
      [gzipSync(text), "has more than 18 bytes, decompressed"],
    ] as const) {
      await attempt(bytes, { maxBytes: text.length });
      await expect(attempt(bytes, { maxBytes: text.length - 1 })).rejects.toThrow(
        like(new InputError("source", reason)),
      );
    }
    await expect(attempt(text, { maxBytes: NaN })).rejects.toThrow(
      "options.maxBytes: must be a non-negative number, not NaN",
    );
  });

  test("is read no further than a piece of it", () => {
    // A gigabyte of zeros, from a megabyte.
    const block = deflateRawSync(Buffer.alloc(1 << 20), { finishFlush: constants.Z_FULL_FLUSH });
    let read = 0;
    function* bomb() {
      yield gzipSync("").subarray(0, 10);
      for (; read < 1024; read++) yield block;
    }
    expect(() => [...readCsv(bomb(), { maxBytes: 2 ** 22 })]).toThrow(
      "has more than 4194304 bytes",
    );
    expect(read).toBe(4);
  });
});

test("an invalid schema or callback is refused at once", () => {
  expect(() => readNdjson("", { schema: {} as typeof Person })).toThrow(/^schema: must be made by/);
  expect(() => readNdjson("", { skipInvalid: true as unknown as () => void })).toThrow(
    "options.skipInvalid: must be a function, not true",
  );
});
