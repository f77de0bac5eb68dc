// How the names of files and the lines of data are parsed.

import { describe, expect, test } from "vitest";
import { sourceOf } from "../../src/database/member.ts";
import { readLine } from "../../src/store/data.ts";
import { fileNameOf, readFileName } from "../../src/store/folder.ts";

describe("the name of a file", () => {
  test("is its own for each collection and each Batch, also where capitals are small letters", () => {
    // Names of collections of up to three characters, and keys of Batches.
    const characters = ["a", "A", "é", "É", "5", "-", "/", "%", ".", "_", " ", "\u0000", "😀"];
    let names = [""];
    const all = [
      "batches/5",
      "batches/-5",
      "batch-5",
      "batches//5",
      "data",
      "journal",
      "con",
      "%61",
    ];
    for (let length = 1; length <= 3; length++) {
      names = names.flatMap((name) => characters.map((character) => name + character));
      all.push(...names, ...names.map((name) => `batches/${name}`));
    }
    const sources = [
      ...new Set(all.map((name) => sourceOf(name))),
      ...["5", "-5", "0", "9007199254740991"].map((key) => sourceOf("batches", key)),
    ];
    expect(new Set(sources).size).toBe(sources.length);
    const folded = new Set<string>();
    for (const source of sources) {
      const name = fileNameOf(source, 12);
      const read = readFileName(name);
      if (read?.source !== source || read.generation !== 12 || !/^[\w%-]+\.arrow$/.test(name)) {
        expect.unreachable(`${JSON.stringify(source)} has the file ${name}`);
      }
      folded.add(name.normalize("NFC").toLowerCase());
    }
    expect(folded.size).toBe(sources.length);
    expect(fileNameOf(sourceOf("batches", "-5"), 3)).toBe("batch--5-3.arrow");
    expect(fileNameOf(sourceOf("batches/-5"), 3)).toBe("batches%2F%2D5-3.arrow");
    expect(fileNameOf("My orders", 3)).toBe("%4Dy%20orders-3.arrow");
    expect(fileNameOf("orders", 3, 12)).toBe("orders-3.12.arrow");
    expect(readFileName("orders-3.12.arrow")).toMatchObject({ generation: 3, part: 12 });
  });

  test.each(["data-3.log", "journal-3.log"])(
    "%s is of a generation, and of no collection",
    (name) => {
      expect(readFileName(name)).toEqual({ name, source: undefined, generation: 3, part: 1 });
    },
  );

  test.each([
    "store.json",
    "orders-3.log",
    "data.log",
    "data-x.log",
    "my data-3.log",
    "data-3.log.kept",
    "orders.arrow",
    "-3.arrow",
    "orders-3.arrows",
    "orders-3arrow",
    "orders-1234567890123456.arrow",
    "Orders-3.arrow",
    "%4dy-3.arrow",
    "%4-3.arrow",
    "a b-3.arrow",
    "%61-3.arrow",
    "a-03.arrow",
    "data-03.log",
    "a.b-3.arrow",
    "a-3.1.arrow",
    "a-3.02.arrow",
    "data-3.2.log",
    "%C3-3.arrow",
  ])("%s is none of a generation", (name) => {
    expect(readFileName(name)).toBeUndefined();
  });
});

describe("a line of data", () => {
  const none = new Map();

  test.each<[what: string, nextKeys: unknown, expected: [string, number][]]>([
    [
      "a list",
      [
        ["files", 7],
        ["batches/5", 0],
      ],
      [
        ["files", 7],
        ["batches/5", 0],
      ],
    ],
    [
      "those of which are no numbers of rows left out",
      [["a", -1], ["b", 1.5], ["c", "1"], ["d", 1], 2, [3, 4]],
      [["d", 1]],
    ],
  ])(
    "is the end if it has the number of the last change, and the next keys: %s",
    (_, nextKeys, expected) => {
      const end = { number: 0, nextKeys: new Map(expected) };
      expect(readLine({ number: 0, nextKeys })).toEqual({ schemas: none, end });
    },
  );

  test("names a file of a collection, with its checksum", () => {
    const named = { file: "batch-5-3.arrow", checksum: 9 };
    expect(readLine(named)).toEqual({ schemas: none, file: named });
    const segment = { file: "batch-5-3.2.arrow", checksum: 8, dead: "AAE=" };
    expect(readLine(segment)).toEqual({ schemas: none, file: segment });
    const end = { number: 4, nextKeys: none, files: [named] };
    const files = [["batch-5-3.arrow", 9], ["data-3.log", 9], ["a"]];
    expect(readLine({ number: 4, nextKeys: [], files })).toEqual({ schemas: none, end });
  });

  test("adds a record to a collection in files", () => {
    const patch = { op: "add", path: ["files", 1], value: {} };
    const adding = { source: "files", patch };
    expect(readLine({ source: "files", adds: patch })).toEqual({ schemas: none, adding });
  });

  test("has schemas of collections, alone or with one of the others", () => {
    const collections = [["a", { id: 1 }, 2], ["b"], 2, [3, {}]];
    const schemas = new Map<string, unknown>([
      ["a", { json: { id: 1 }, version: 2 }],
      ["b", { json: undefined, version: undefined }],
    ]);
    expect(readLine({ collections })).toEqual({ schemas });
    const end = { number: 4, nextKeys: none };
    expect(readLine({ collections, number: 4, nextKeys: [] })).toEqual({ schemas, end });
  });

  test.each<[unknown]>([
    [{ op: "add", path: ["files", 1], value: {} }],
    ...([[null], [1], ["text"], [[]], [{}]] as [unknown][]),
    ...([[{ number: 0 }], [{ nextKeys: [] }], [{ number: -1, nextKeys: [] }]] as [unknown][]),
    ...([[{ number: 0, nextKeys: 1 }], [{ number: 0, nextKeys: { files: 1, batches: {} } }]] as [
      unknown,
    ][]),
    [{ file: "batch-5-3.arrow" }],
    [{ file: "data-3.log", checksum: 9 }],
    [{ file: "../batch-5-3.arrow", checksum: 9 }],
    [{ file: 1, checksum: 9 }],
    [{ collections: {} }],
  ])("%j is taken for a patch, which is then checked", (line) => {
    expect(readLine(line)).toEqual({ schemas: none, patch: line });
  });
});
