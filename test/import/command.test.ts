// `tercet import` and `tercet export` as a user runs them.

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { CompressionCodec } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BatchInput } from "../../src/index.ts";
import { generateFiles } from "../../src/synthetic/index.ts";
import { bundleCommand } from "../command.ts";

const place = mkdtempSync(join(tmpdir(), "tercet-import-"));
const bundle = join(place, "tercet.mjs");
const folder = join(place, "work");

beforeAll(() => bundleCommand(bundle));
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(place, { recursive: true }));

function run(line: string, input?: string | Uint8Array) {
  const parameters = line.split(" ").filter((part) => part !== "");
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundle, ...parameters], {
    encoding: "utf8",
    cwd: folder,
    ...(input !== undefined && { input }),
  });
  return { code: status, out: stdout, err: stderr };
}

/** What a command prints that goes well. */
function output(line: string, input?: string | Uint8Array): string {
  const { code, out, err } = run(line, input);
  expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
  return out;
}

const write = (name: string, content: string | Uint8Array) =>
  writeFileSync(join(folder, name), content);
const read = (name: string) => readFileSync(join(folder, name), "utf8");

const batch: BatchInput = {
  id: 7,
  lists: [
    {
      id: 1,
      contacts: [
        {
          send_id: 1,
          contact_id: 1,
          contact_email: 'a,"b"\n',
          fields: { Age: 41, __proto__x: "" },
        },
        { send_id: 2, contact_id: 2, contact_email: "", open_country: "", fields: { Age: null } },
      ],
      fields: { Age: "int", __proto__x: "string" },
    },
    { id: 2, contacts: [] },
    {
      id: 3,
      fields: ["Email"],
      contacts: [{ send_id: 3, contact_id: 1, contact_email: "\u2028=1+2" }],
    },
  ],
};
const files = Array.from(generateFiles({ count: 50, seed: 3 }));

test("a store of Batches and Files gives back what went into it, in every format", () => {
  write("batch.json", JSON.stringify(batch));
  write("files.json", JSON.stringify(files));
  expect(output("import batch.json --files files.json --to one")).toBe(
    "50 Files, 3 Contacts of 1 Batch in one\n",
  );
  const contacts = output("export one --format ndjson");
  expect(output("export batch.json --format ndjson")).toBe(contacts);
  const asFiles = output("export one --files --format ndjson");
  expect(asFiles.trimEnd().split("\n")).toHaveLength(50);

  for (const format of ["csv", "ndjson", "json", "arrow", "parquet"]) {
    output(`export one --files --to f.${format}`);
    output(`export one --to c.${format}`);
    const isBatch =
      format === "json"
        ? ""
        : "--batch 7 --list-field Age=int --list-field __proto__x --list-field Email";
    output(`import c.${format} ${isBatch} --files f.${format} --to from-${format}`);
    expect(output(`export from-${format} --files --format ndjson`)).toBe(asFiles);
    expect(output(`files f.${format} --sort-by size --limit 3`)).toContain("3 of 50 Files\n");
    expect(output(`contacts c.${format} --batch 7 --limit 3`)).toContain("3 of 3 Contacts\n");
    const csv = output(`export from-${format} --format csv`);
    expect(csv).toBe(output("export one --format csv"));
  }
  expect(output("export from-json --format ndjson")).toBe(contacts);
  const [list] = (JSON.parse(read("c.json")) as { lists: unknown[] }).lists;
  expect(list).toMatchObject({ id: "1", fields: { Age: "int", __proto__x: "string" } });
});

test("gzip, standard input, directories and several sources are read", () => {
  const zipped = gzipSync(JSON.stringify(files));
  expect(output("import --files - --to one", zipped)).toBe("50 Files in one\n");
  write("tree.txt", "x");
  expect(output("import --files . --to two.json")).toMatch(/^\d+ Files in two\.json\n$/);
  const row = (id: number) => `${id},1,x\n`;
  write("a.csv", `send_id,contact_id,contact_email\n${row(1)}`);
  write("b.tsv.gz", gzipSync(`contact_id\tsend_id\tcontact_email\n2\t1\ty\n`));
  expect(output("import a.csv b.tsv.gz --batch 5 --list 8 --to three")).toBe(
    "2 Contacts of 1 Batch in three\n",
  );
  expect(output("export three --format ndjson").match(/"list":"8"/g)).toHaveLength(2);
  write("c.json", JSON.stringify({ ...batch, id: 8 }));
  write("d.json", JSON.stringify(batch));
  expect(output("import c.json d.json --to four")).toBe("6 Contacts of 2 Batches in four\n");
  expect(output("export four --batch 8 --format csv").split("\n").length).toBeGreaterThan(3);
});

test("files that are read from their end may be gzipped and come by standard input, however called", () => {
  write("files.json", JSON.stringify(files));
  for (const format of ["arrow", "parquet"]) {
    output(`export files.json --files --to f.${format}`);
    const bytes = readFileSync(join(folder, `f.${format}`));
    const zipped = gzipSync(bytes);
    write("gz.any", zipped);
    expect(output(`import --files gz.any --to one-${format}`)).toBe(`50 Files in one-${format}\n`);
    expect(output(`import --files - --to two-${format}`, bytes)).toContain("50 Files");
    expect(output(`import --files - --to three-${format}`, zipped)).toContain("50 Files");
    expect(output(`export three-${format} --files --format ndjson`)).toBe(
      output("export files.json --files --format ndjson"),
    );
    write("cut.gz", zipped.subarray(0, -20));
    expect(run("import --files cut.gz --to four").err).toBe(
      "tercet: cut.gz: is damaged gzip: unexpected end of file\n",
    );
    write("cut.any", bytes.subarray(0, -20));
    expect(run("import --files cut.any --to four").err).toMatch(
      /^tercet: cut\.any: can't be read as (Arrow|Parquet): /,
    );
  }
});

test("Parquet is read in the codecs that others write, and any other is named", () => {
  const columns = [
    { name: "id", data: [1n, 2n], type: "INT64" as const },
    { name: "folder_id", data: [1n, 1n], type: "INT64" as const },
    { name: "name", data: ["a", "b"], type: "STRING" as const },
  ];
  const packers: [CompressionCodec, (page: Uint8Array) => Uint8Array][] = [
    ["UNCOMPRESSED", (page) => page],
    ["GZIP", (page) => gzipSync(page)],
    ["BROTLI", (page) => brotliCompressSync(page)],
    ["ZSTD", storedZstandard],
    ["LZ4_RAW", (page) => page],
  ];
  for (const [codec, pack] of packers) {
    const bytes = parquetWriteBuffer({
      columnData: columns,
      codec,
      compressors: { [codec]: pack },
    });
    write("files.parquet", new Uint8Array(bytes));
    const { code, out, err } = run(`import --files files.parquet --to ${codec}`);
    if (codec !== "LZ4_RAW")
      expect({ code, out }).toEqual({ code: 0, out: `2 Files in ${codec}\n` });
    else {
      const known = "SNAPPY, GZIP, BROTLI, ZSTD";
      const reason = `is compressed by LZ4_RAW, which is not read; these are: ${known}`;
      expect(err).toBe(`tercet: files.parquet: columns.id: ${reason}\n`);
    }
  }
});

/** A frame of Zstandard (RFC 8878) with one block that is not compressed. */
function storedZstandard(page: Uint8Array): Uint8Array {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(page.length, 5);
  head.writeUIntLE(1 + page.length * 8, 9, 3);
  return Buffer.concat([head, page]);
}

test("Arrow and Parquet are refused by row, with the rest kept", () => {
  write("x.ndjson", '{"send_id":1,"contact_id":1,"contact_email":"a"}\n');
  for (const format of ["arrow", "parquet"]) {
    output(`import x.ndjson --batch 1 --to s-${format}`);
    output(`export s-${format} --to x.${format}`);
    const line = `import x.${format} --batch 1 --column contact_email=send_id --column send_id`;
    expect(run(`${line}= --to one-${format}`).err).toContain(
      `tercet: x.${format}: row 1.send_id: must be an integer`,
    );
    const { out } = run(`${line}= --skip-invalid bad.ndjson --to one-${format}`);
    expect(out).toContain("0 Contacts");
    expect(read("bad.ndjson")).toContain('"place":"row 1"');
    expect(run(`import x.${format} --to two`).err).toContain(
      `x.${format}: does not say of which Batch its Contacts are`,
    );
  }
});

test("columns, delimiter and null are as the options say", () => {
  write("x.txt", "nr;E-mail;what;City\n1;a;?;-\n2;b;?;Rome\n");
  const flags =
    "--format csv --delimiter ; --null - --column nr=send_id --column E-mail=contact_email";
  const columns = `${flags} --column City=fields.City --ignore-columns --batch 1`;
  expect(run(`import x.txt ${columns} --to one`).err).toBe(
    "tercet: x.txt: line 2.contact_id: is missing\n",
  );
  write("y.txt", read("x.txt").replaceAll("?", "1"));
  output(`import y.txt ${columns} --column what=contact_id --to two`);
  expect(output("export two --format ndjson")).toContain('"fields":{"City":null}');
  const csv = output("export two --format csv --delimiter ; --null NULL");
  expect(csv.split("\n")[1]).toMatch(/^1;1;a;NULL;.*;NULL$/);
});

test("a page of what the criteria select is exported", () => {
  write("batch.json", JSON.stringify(batch));
  const ids = (flags: string) =>
    output(`export batch.json --format ndjson ${flags}`)
      .match(/(?<="send_id":")\d/g)
      ?.join("") ?? "";
  expect(ids("")).toBe("123");
  expect(ids('--criteria [["contact_id","exactly",1]]')).toBe("13");
  expect(ids('--criteria [["Age","greater_than",40]]')).toBe("1");
  expect(ids("--limit 1 --offset 1")).toBe("2");
  write("files.json", JSON.stringify(files));
  expect(
    output("export files.json --files --format csv --limit 3").trimEnd().split("\n"),
  ).toHaveLength(4);
  expect(run('export batch.json --format csv --criteria [["x","exactly",1]]')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^tercet: --criteria\[0\]: /) as string,
  });
});

describe("what is refused", () => {
  const head = "id,folder_id,name\n";
  test.each([
    ["id,folder_id,name\n1,1,a\nx,1,b\n", "line 3.id: must be an integer"],
    ["id,folder_id,name\n1,1,a\n1,1,b\n", 'line 3.id: "1" is already that of'],
    ["id,folder_id,nmae\n", 'line 1: the column "nmae" is no field; did you mean "name"?'],
    ['id,folder_id,name\n1,1,"a', "line 2: has a quote that is not closed"],
  ])("%j is named by its line, and nothing is left behind", (text, message) => {
    write("files.csv", text);
    for (const to of ["one", "one.json"]) {
      if (to === "one.json" && message.includes("already")) continue;
      const { code, out, err } = run(`import --files files.csv --to ${to}`);
      expect(err).toContain(`tercet: files.csv: ${message}`);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(readdirSync(folder)).toEqual(["files.csv"]);
    }
  });

  test("can be kept, with place and reason, and the rest goes on", () => {
    write("files.csv", `${head}1,1,a\nx,1,b\n1,1,c\n2,1\n3,1,d\n`);
    const { code, out, err } = run("import --files files.csv --skip-invalid bad.ndjson --to one");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "2 Files in one\n",
      err: "tercet: left out 3 records that are not valid\n",
    });
    const refused = read("bad.ndjson")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(refused).toMatchObject([
      { source: "files.csv", place: "line 3", record: { id: "x", folder_id: "1", name: "b" } },
      { source: "files.csv", place: "line 4", reason: "id: 1 is there already" },
      { source: "files.csv", place: "line 5", record: ["2", "1"] },
    ]);
  });

  test("so can Contacts of a Batch", () => {
    const bad = { send_id: "x", contact_id: 1, contact_email: "" };
    const [first] = batch.lists;
    write(
      "b.json",
      JSON.stringify({ id: 1, lists: [{ ...first, contacts: [bad, ...(first?.contacts ?? [])] }] }),
    );
    const { code, out } = run("import b.json --skip-invalid bad.ndjson --to one");
    expect({ code, out }).toEqual({ code: 1, out: "2 Contacts of 1 Batch in one\n" });
    expect(read("bad.ndjson")).toContain('"place":"batch.lists[0].contacts[0]"');
  });

  test("a file that is there stays as it is where its place can't be filled", () => {
    write("out.json", "before");
    write("files.csv", `${head}x`);
    expect(run("import --files files.csv --to out.json").code).toBe(2);
    expect(read("out.json")).toBe("before");
  });

  test.each([
    ["import --to one", "nothing to import is named"],
    ["import - --files - --to one", "standard input can be read but once"],
    ["import a.csv --batch x --to one", "--batch: must be an integer, not x"],
    ["import a.csv --batch 1 --list 01 --to one", "--list: must be an integer, not 01"],
    ["import nowhere.json --to one", "nowhere.json: no such file or directory"],
    ["import a.csv --batch 1 --column x --to one", "--column: must be NAME=FIELD, not x"],
    [
      "import a.csv --batch 1 --format xml --to one",
      "--format: must be csv, ndjson, json, arrow or parquet, not xml",
    ],
    ["export b.json", "--format: must say csv, ndjson, json, arrow or parquet"],
    [
      "export b.json --format xml",
      "--format: must be csv, ndjson, json, arrow or parquet, not xml",
    ],
    ["export b.json --format csv --limit x", "--limit: must be a non-negative integer, not x"],
    ["export b.json --format csv --batch 8", "--batch: not 8: 7"],
    ["export b.json --to nowhere/x.csv", "nowhere/x.csv: no such file or directory"],
  ])("%s: %s", (line, message) => {
    write("a.csv", "send_id\n");
    write("b.json", JSON.stringify(batch));
    const { code, out, err } = run(line, "");
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(existsSync(join(folder, "one"))).toBe(false);
  });
});
