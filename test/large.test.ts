// Very large input, which would reveal anything that must not grow with it: the depth of the stack,
// the arguments of a call, the passes of a selection. These tests take too long for a mutation run.

import { constants } from "node:buffer";
import { describe, expect, test } from "vitest";
import { openBatch, readJson } from "../src/import/index.ts";
import { createCollection, createService, int, string } from "../src/index.ts";
import { printedBy } from "./bundled.ts";
import { withLowestInTheMiddle } from "./engine/adversaries.ts";
import { pieces } from "./import/pieces.ts";
import { makeService, manyPeople } from "./updates/fixtures.ts";
import { selectRange } from "./engine/units/built.ts";
import { wireSchema } from "./wire-schema.ts";

test("strings with a long common prefix are sorted without exhausting the stack", () => {
  const Item = wireSchema({ id: int(), name: string() });
  const prefix = "p".repeat(300_000);
  const records = Array.from({ length: 450 }, (_, id) => ({
    id,
    name: prefix + String((id * 7) % 450).padStart(3, "0"),
  }));
  const sorted = createCollection(Item, records).query({ sortBy: "name", sortOrder: "ASC" });
  expect(sorted.map(({ name }) => Number(name.slice(-3)))).toEqual([...records.keys()]);
});

test("a stretch of keys that were put in the worst order is selected", () => {
  const size = 400_000;
  const keys = Float64Array.from(withLowestInTheMiddle(size));
  selectRange(keys, size - 3, size);
  expect(Array.from(keys.subarray(-3))).toEqual([size - 3, size - 2, size - 1]);
});

test("a removal of any size is made at once", () => {
  const people = manyPeople(200_000);
  expect(people.remove(null).size).toBe(0);
  expect(people.withPatches((all) => all.remove([["id", "greater_than", 9]])).patches).toHaveLength(
    199_990,
  );
});

test("a change of a service of any size is made as a whole", () => {
  const service = makeService();
  const files = Array.from({ length: 150_000 }, (_, i) => ({
    id: 10 + i,
    folder_id: 1,
    name: "x",
  }));
  const { patches, inversePatches } = service.update((draft) => {
    draft.files = draft.files.insert(files);
  });
  expect([service.files.size, patches.length]).toEqual([150_001, 150_000]);
  service.applyPatches(inversePatches);
  expect(service.files.size).toBe(1);
  const contacts = Array.from({ length: 130_000 }, (_, i) => ({
    ...{ send_id: 1, contact_id: i, contact_email: "x" },
  }));
  const sent = createService({ batches: [{ id: 7, lists: [{ id: 1, contacts }] }] });
  const opened = sent.update((draft) => {
    const batch = draft.batches["7"];
    if (batch) batch.contacts = batch.contacts.update([], { open_count: 1 });
  });
  expect(opened.patches).toHaveLength(130_000);
});

test("a request of 58 bytes for 300,000 Contacts ends no process of 512 MB, and can be streamed", async () => {
  const printed = await printedBy(ASK_FOR_ALL, import.meta.dirname, ["--max-old-space-size=512"]);
  const { bytes, answer, pieces, longest, characters, start, end } = JSON.parse(printed) as Asked;
  expect(bytes).toBe(58);
  expect(JSON.parse(answer)).toMatchObject({
    id: 1,
    error: {
      code: 310,
      data: "result: is longer than 67108864 characters; request a page of it with limit and offset",
    },
  });
  expect(characters).toBeGreaterThan(67_108_864);
  expect(longest).toBeLessThan(128 * 1024);
  expect(pieces).toBeGreaterThan(characters / (128 * 1024));
  expect(start).toMatch(/^\{"id":1,"result":\{"101":\[\{"send_id":"/);
  expect(end).toMatch(/"\}\]\},"error":null\}$/);
});

interface Asked {
  readonly bytes: number;
  readonly answer: string;
  readonly pieces: number;
  readonly longest: number;
  readonly characters: number;
  readonly start: string;
  readonly end: string;
}

const ASK_FOR_ALL = `
  import { createService } from "../src/index.ts";
  import { generateLazyBatch } from "../src/synthetic/index.ts";

  const batch = generateLazyBatch({ count: 300_000, lists: 1, id: 1 });
  const service = createService({ batches: [batch] });
  const request = '{"id":1,"method":"getBatchContacts","params":["key","1"] }';
  const answer = service.dispatchJson(request);
  let [pieces, longest, characters, start, end] = [0, 0, 0, "", ""];
  for (const piece of service.dispatchChunks(request)) {
    pieces++;
    longest = Math.max(longest, piece.length);
    characters += piece.length;
    if (pieces === 1) start = piece.slice(0, 60);
    end = piece.slice(-60);
  }
  const bytes = Buffer.byteLength(request);
  console.log(JSON.stringify({ bytes, answer, pieces, longest, characters, start, end }));
`;

test("the JSON of a Batch may be longer than any string in Node.js", () => {
  const [first, second, third] = [1, 2, 3].map((id) =>
    JSON.stringify({ send_id: id, contact_id: id, contact_email: `${id}@example.com` }),
  );
  const space = Buffer.alloc(1 << 20, "\n");
  function* chunks() {
    yield Buffer.from(`{"id":5,"lists":[{"contacts":[${first},`);
    for (let i = 0; i < 270; i++) yield space;
    yield Buffer.from(second ?? "");
    for (let i = 0; i < 270; i++) yield space;
    yield Buffer.from(`,${third}],"id":8}]}`);
  }
  expect(540 * space.length).toBeGreaterThan(constants.MAX_STRING_LENGTH);
  const { "8": contacts = [] } = createService({ batches: [openBatch(chunks)] }).getBatchContacts(
    5,
  );
  expect(contacts.map(({ send_id }) => send_id)).toEqual(["1", "2", "3"]);
});

describe("JSON longer than its limits", () => {
  const PIECE = 1 << 20;
  const cut = (text: string) => pieces(Buffer.from(text), PIECE);

  test("a record of more than 16 MiB is refused", () => {
    const most = 16 * 1024 * 1024;
    const records = (text: string) => Array.from(readJson(cut(text)));
    const fits = "x".repeat(most - 2);
    expect(records(`["a", "${fits}"]`)).toHaveLength(2);
    const refusal = "records[1]: is longer than the limit of 16 MiB";
    expect(() => records(`["a", "${fits}x"]`)).toThrow(refusal);
    expect(() => records(`["a", "${"x".repeat(most + PIECE)}`)).toThrow(refusal);
  });

  test("64 MiB outside the records are refused; records do not count", () => {
    const long = "x".repeat(10 * 1024 * 1024);
    const text = (lists: number, contacts: number) =>
      `{"id":1,"lists":[${Array.from({ length: lists }, () => `{"id":"${long}"}`).join(",")},` +
      `{"contacts":[${Array.from({ length: contacts }, () => `"${long}"`).join(",")}]}]}`;
    const read = (content: string) => openBatch(() => cut(content)).id;
    expect(read(text(1, 6))).toBe(1);
    expect(() => read(text(7, 1))).toThrow(
      "has more than 64 MiB outside its records, which is the limit",
    );
  });
});
