// What the names of files and the lines of data say, those of earlier versions too, and what they do not.

import { describe, expect, test } from "vitest";
import { readLine } from "../../src/store/data.ts";
import { fileNameOf, readFileName } from "../../src/store/folder.ts";

describe("the name of a file", () => {
  test("says which collection it holds, and since which generation", () => {
    const sources = [
      "files",
      "orders",
      "Orders",
      "ORDERS",
      "batches",
      "batches/5",
      "batches/-5",
      "batches/05",
      "batches/x",
      "batches/5/6",
      "my batches/5",
      "a-b",
      "a-5",
      "a.b",
      "a/b",
      "a_b",
      "%",
      " ",
      "é😀",
    ];
    for (const source of sources) {
      const name = fileNameOf(source, 12);
      expect(readFileName(name)).toEqual({ name, source, generation: 12 });
    }
    // Some systems do not tell capitals from small letters.
    const folded = sources.map((source) => fileNameOf(source, 12).toLowerCase());
    expect(new Set(folded).size).toBe(sources.length);
    expect(fileNameOf("batches/-5", 3)).toBe("batch--5-3.arrow");
    expect(fileNameOf("My orders", 3)).toBe("%4Dy%20orders-3.arrow");
  });

  test.each(["data-3.log", "journal-3.log"])(
    "%s is of a generation, and of no collection",
    (name) => {
      expect(readFileName(name)).toEqual({ name, source: undefined, generation: 3 });
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
    "a.b-3.arrow",
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
      "members, as in the first version",
      { files: 7, batches: { 5: 0 } },
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
  });

  test("has schemas of collections, alone or with one of the others", () => {
    const collections = [["a", { id: 1 }], ["b"], 2, [3, {}]];
    const schemas = new Map<string, unknown>([
      ["a", { id: 1 }],
      ["b", undefined],
    ]);
    expect(readLine({ collections })).toEqual({ schemas });
    const end = { number: 4, nextKeys: none };
    expect(readLine({ collections, number: 4, nextKeys: [] })).toEqual({ schemas, end });
  });

  test.each<[unknown]>([
    [{ op: "add", path: ["files", 1], value: {} }],
    ...([[null], [1], ["text"], [[]], [{}]] as [unknown][]),
    ...([[{ number: 0 }], [{ nextKeys: [] }], [{ number: -1, nextKeys: [] }]] as [unknown][]),
    ...([[{ number: 0, nextKeys: 1 }], [{ number: 0, nextKeys: { files: 1 } }]] as [unknown][]),
    [{ file: "batch-5-3.arrow" }],
    [{ file: "data-3.log", checksum: 9 }],
    [{ file: "../batch-5-3.arrow", checksum: 9 }],
    [{ file: 1, checksum: 9 }],
    [{ collections: {} }],
  ])("%j is taken for a patch, which is then checked", (line) => {
    expect(readLine(line)).toEqual({ schemas: none, patch: line });
  });
});
