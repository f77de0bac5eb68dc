// `tercet import` and `tercet export` as a user runs them.

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { CompressionCodec } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { BatchInput } from "../../src/index.ts";
import { generateFiles } from "../../src/synthetic/index.ts";
import { runCommand, type Run } from "../command.ts";

const place = mkdtempSync(join(tmpdir(), "tercet-import-"));
const folder = join(place, "work");

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(place, { recursive: true }));

function run(line: string, input?: string | Uint8Array): Promise<Run> {
  const parameters = line.split(" ").filter((part) => part !== "");
  return runCommand(parameters, { cwd: folder, ...(input !== undefined && { input }) });
}

/** The output of a command that succeeds. */
async function output(line: string, input?: string | Uint8Array): Promise<string> {
  const { code, out, err } = await run(line, input);
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

test("a store of Batches and Files returns what went into it, in every format", async () => {
  write("batch.json", JSON.stringify(batch));
  write("files.json", JSON.stringify(files));
  expect(await output("import batch.json --files files.json --to one")).toBe(
    "50 Files, 3 Contacts of 1 Batch in one\n",
  );
  const contacts = await output("export one --format ndjson");
  expect(await output("export batch.json --format ndjson")).toBe(contacts);
  const asFiles = await output("export one --files --format ndjson");
  expect(asFiles.trimEnd().split("\n")).toHaveLength(50);

  for (const format of ["csv", "ndjson", "json", "arrow", "parquet"]) {
    await output(`export one --files --to f.${format}`);
    await output(`export one --to c.${format}`);
    const isBatch =
      format === "json"
        ? ""
        : "--batch 7 --list-field Age=int --list-field __proto__x --list-field Email";
    await output(`import c.${format} ${isBatch} --files f.${format} --to from-${format}`);
    expect(await output(`export from-${format} --files --format ndjson`)).toBe(asFiles);
    expect(await output(`files f.${format} --sort-by size --limit 3`)).toContain("3 of 50 Files\n");
    expect(await output(`contacts c.${format} --batch 7 --limit 3`)).toContain("3 of 3 Contacts\n");
    const csv = await output(`export from-${format} --format csv`);
    expect(csv).toBe(await output("export one --format csv"));
  }
  expect(await output("export from-json --format ndjson")).toBe(contacts);
  const [list] = (JSON.parse(read("c.json")) as { lists: unknown[] }).lists;
  expect(list).toMatchObject({ id: "1", fields: { Age: "int", __proto__x: "string" } });
});

test("gzip, standard input, directories and several sources are read", async () => {
  const zipped = gzipSync(JSON.stringify(files));
  expect(await output("import --files - --to one", zipped)).toBe("50 Files in one\n");
  write("tree.txt", "x");
  expect(await output("import --files . --to two")).toMatch(/^\d+ Files in two\n$/);
  const row = (id: number) => `${id},1,x\n`;
  write("a.csv", `send_id,contact_id,contact_email\n${row(1)}`);
  write("b.tsv.gz", gzipSync(`contact_id\tsend_id\tcontact_email\n2\t1\ty\n`));
  expect(await output("import a.csv b.tsv.gz --batch 5 --list 8 --to three")).toBe(
    "2 Contacts of 1 Batch in three\n",
  );
  expect((await output("export three --format ndjson")).match(/"list":"8"/g)).toHaveLength(2);
  write("c.json", JSON.stringify({ ...batch, id: 8 }));
  write("d.json", JSON.stringify(batch));
  expect(await output("import c.json d.json --to four")).toBe("6 Contacts of 2 Batches in four\n");
  expect((await output("export four --batch 8 --format csv")).split("\n").length).toBeGreaterThan(
    3,
  );
});

test("files that are read from their end may be gzipped, come by standard input, and have any name", async () => {
  write("files.json", JSON.stringify(files));
  for (const format of ["arrow", "parquet"]) {
    await output(`export files.json --files --to f.${format}`);
    const bytes = readFileSync(join(folder, `f.${format}`));
    const zipped = gzipSync(bytes);
    write("gz.any", zipped);
    expect(await output(`import --files gz.any --to one-${format}`)).toBe(
      `50 Files in one-${format}\n`,
    );
    expect(await output(`import --files - --to two-${format}`, bytes)).toContain("50 Files");
    expect(await output(`import --files - --to three-${format}`, zipped)).toContain("50 Files");
    expect(await output(`export three-${format} --files --format ndjson`)).toBe(
      await output("export files.json --files --format ndjson"),
    );
    write("cut.gz", zipped.subarray(0, -20));
    expect((await run("import --files cut.gz --to four")).err).toBe(
      "tercet: cut.gz: is damaged gzip: unexpected end of data\n",
    );
    write("cut.any", bytes.subarray(0, -20));
    expect((await run("import --files cut.any --to four")).err).toMatch(
      /^tercet: cut\.any: can't be read as (Arrow|Parquet): /,
    );
  }
});

test("the size of decompressed files that are read from their end is limited", async () => {
  const bomb = gzipSync(Buffer.concat([Buffer.from("ARROW1"), Buffer.alloc(65 * 1024 * 1024)]));
  expect(bomb.length).toBeLessThan(100_000);
  write("bomb.arrow.gz", bomb);
  for (const source of ["bomb.arrow.gz", "-"]) {
    const { code, err } = await run(`import --files ${source} --to one`, bomb);
    const name = source === "-" ? "standard input" : source;
    expect({ code, err }).toEqual({
      code: 2,
      err: `tercet: ${name}: unpacks to more than 64 MiB; decompress it first if you trust it\n`,
    });
  }
});

test("Parquet is read in common codecs, and any other is named", async () => {
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
    ["LZO", (page) => page],
  ];
  for (const [codec, pack] of packers) {
    const bytes = parquetWriteBuffer({
      columnData: columns,
      codec,
      compressors: { [codec]: pack },
    });
    write("files.parquet", new Uint8Array(bytes));
    const { code, out, err } = await run(`import --files files.parquet --to ${codec}`);
    if (codec !== "LZO") expect({ code, out }).toEqual({ code: 0, out: `2 Files in ${codec}\n` });
    else {
      const known = "SNAPPY, LZ4, LZ4_RAW, GZIP, BROTLI, ZSTD";
      const reason = `is compressed with LZO, which is not supported; these codecs are: ${known}`;
      expect(err).toBe(`tercet: files.parquet: columns.id: ${reason}\n`);
    }
  }
});

/** A Zstandard frame (RFC 8878) with one uncompressed block. */
function storedZstandard(page: Uint8Array): Uint8Array {
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(page.length, 5);
  head.writeUIntLE(1 + page.length * 8, 9, 3);
  return Buffer.concat([head, page]);
}

test("Arrow and Parquet are refused row by row, and the rest is kept", async () => {
  write("x.ndjson", '{"send_id":1,"contact_id":1,"contact_email":"a"}\n');
  for (const format of ["arrow", "parquet"]) {
    await output(`import x.ndjson --batch 1 --to s-${format}`);
    await output(`export s-${format} --to x.${format}`);
    const line = `import x.${format} --batch 1 --column contact_email=send_id --column send_id`;
    expect((await run(`${line}= --to one-${format}`)).err).toContain(
      `tercet: x.${format}: row 1.send_id: must be an integer`,
    );
    const { out } = await run(`${line}= --skip-invalid bad-${format}.ndjson --to one-${format}`);
    expect(out).toContain("0 Contacts");
    expect(read(`bad-${format}.ndjson`)).toContain('"place":"row 1"');
    expect((await run(`import x.${format} --to two`)).err).toContain(
      `x.${format}: does not name the Batch of its Contacts`,
    );
  }
});

test("options set columns, delimiter and null", async () => {
  write("x.txt", "nr;E-mail;what;City\n1;a;?;-\n2;b;?;Rome\n");
  const flags =
    "--from csv --delimiter ; --null - --column nr=send_id --column E-mail=contact_email";
  const columns = `${flags} --column City=fields.City --ignore-columns --batch 1`;
  expect((await run(`import x.txt ${columns} --to one`)).err).toBe(
    "tercet: x.txt: line 2.contact_id: is missing\n",
  );
  write("y.txt", read("x.txt").replaceAll("?", "1"));
  await output(`import y.txt ${columns} --column what=contact_id --to two`);
  expect(await output("export two --format ndjson")).toContain('"fields":{"City":null}');
  const csv = await output("export two --format csv --delimiter ; --null NULL");
  expect(csv.split("\n")[1]).toMatch(/^1;1;a;NULL;.*;NULL$/);
});

test("a page of what the criteria select is exported", async () => {
  write("batch.json", JSON.stringify(batch));
  const ids = async (flags: string) =>
    (await output(`export batch.json --format ndjson ${flags}`))
      .match(/(?<="send_id":")\d/g)
      ?.join("") ?? "";
  expect(await ids("")).toBe("123");
  expect(await ids('--criteria [["contact_id","exactly",1]]')).toBe("13");
  expect(await ids('--criteria [["Age","greater_than",40]]')).toBe("1");
  expect(await ids("--limit 1 --offset 1")).toBe("2");
  expect(await ids("--sort-by contact_email --order asc")).toBe("213");
  expect(await ids("--sort-by contact_email --order Desc --limit 2")).toBe("31");
  expect(await ids('--sort-by Age --criteria [["contact_id","exactly",1]]')).toBe("13");
  expect((await run("export batch.json --format csv --sort-by Agee")).err).toBe(
    'tercet: --sort-by: unknown field "Agee"; did you mean "Age"?\n',
  );
  write("files.json", JSON.stringify(files));
  const csv = await output("export files.json --files --format csv --limit 3 --sort-by size");
  const largest = files.map(({ size }) => Number(size)).toSorted((a, b) => b - a);
  const lines = csv.trimEnd().split("\n").slice(1);
  expect(lines.map((line) => Number(line.split(",")[4]))).toEqual(largest.slice(0, 3));
  expect(await run('export batch.json --format csv --criteria [["x","exactly",1]]')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^tercet: --criteria\[0\]: /) as string,
  });
});

describe("existing files are not destroyed", () => {
  const rows = "id,folder_id,name\n1,2,x.txt\n";
  const reading = (target: string) => [
    `export files.csv --files --to ${target} --format csv`,
    `export files.csv --files --to ${target} --format csv --force`,
    `import --files files.csv --to new --skip-invalid ${target} --force`,
  ];

  test("a source is never overwritten, by any name", async () => {
    write("files.csv", rows);
    symlinkSync("files.csv", join(folder, "link.csv"));
    linkSync(join(folder, "files.csv"), join(folder, "other.csv"));
    for (const target of ["files.csv", "./files.csv", "link.csv", "other.csv"]) {
      for (const line of reading(target)) {
        expect(await run(line)).toEqual({
          code: 2,
          out: "",
          err: `tercet: ${target}: is a source of this command and can't be overwritten\n`,
        });
      }
    }
    expect(read("files.csv")).toBe(rows);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  test("another file is replaced only with --force; its mode and a link to it stay", async () => {
    write("files.csv", rows);
    write("kept.csv", "before");
    chmodSync(join(folder, "kept.csv"), 0o600);
    symlinkSync("kept.csv", join(folder, "link.csv"));
    for (const target of ["kept.csv", "link.csv"]) {
      for (const line of [
        `export files.csv --files --to ${target}`,
        `import --files files.csv --to new --skip-invalid ${target}`,
      ]) {
        expect(await run(line)).toEqual({
          code: 2,
          out: "",
          err: `tercet: ${target}: already exists; --force replaces it\n`,
        });
      }
    }
    expect(read("kept.csv")).toBe("before");
    await output("export files.csv --files --to link.csv --force");
    expect(read("kept.csv")).toContain("1,2,x,.txt");
    expect(lstatSync(join(folder, "link.csv")).isSymbolicLink()).toBe(true);
    expect(statSync(join(folder, "kept.csv")).mode & 0o777).toBe(0o600);
  });

  test("nor is a device, a folder, a store or the other file of the same command replaced", async () => {
    write("files.csv", rows);
    symlinkSync("/dev/null", join(folder, "device"));
    await output("export files.csv --files --to device --format csv");
    expect(lstatSync(join(folder, "device")).isSymbolicLink()).toBe(true);
    await output("import --files files.csv --to one");
    const before = readdirSync(join(folder, "one"));
    const format = "--format csv --force";
    expect((await run(`export one --files --to one/store.json ${format}`)).err).toBe(
      "tercet: one/store.json: is in the folder of a store\n",
    );
    expect((await run(`export one --files --to one ${format}`)).err).toBe(
      "tercet: one: is a directory\n",
    );
    expect(readdirSync(join(folder, "one"))).toEqual(before);
    const line = "import --files files.csv --to same --skip-invalid ./same";
    expect((await run(line)).err).toBe("tercet: --skip-invalid: must differ from --to\n");
  });
});

describe("no record at all", () => {
  test.each([
    ["import --files - --to one", "", "standard input: is empty"],
    ["import --files - --to one", " \n", "standard input: is empty"],
    ["import - --batch 1 --to one", "", "standard input: is empty"],
    ["import - c.csv --batch 1 --to one", "", "standard input: is empty"],
    ["import - --batch 1 --to one", gzipSync(""), "standard input: is empty"],
    ["files -", "", "standard input: is empty"],
    ["export - --files --format csv", "", "standard input: is empty"],
    ["contacts none.ndjson", "", "none.ndjson: is empty"],
    ["rpc --files none.ndjson", "", "none.ndjson: is empty"],
    ["import --files - --to one", "[]", "standard input: has no records"],
    ["import --files - --to one", "id,folder_id,name\n", "standard input: has no records"],
    ["import - --batch 1 --to one", "send_id,contact_id\n", "standard input: has no records"],
    ["import c.json d.json --to one", "", "d.json: has no records"],
    ["import d.json --to one", "", "d.json: has no records"],
  ])("%s, given %j", async (line, input, message) => {
    write("c.csv", "send_id,contact_id,contact_email\n1,1,x\n");
    write("none.ndjson", "");
    write("c.json", JSON.stringify(batch));
    write("d.json", '{"id":5,"lists":[{"id":1,"contacts":[]}]}');
    const before = readdirSync(folder);
    expect(await run(line, input)).toEqual({
      code: 2,
      out: "",
      err: `tercet: ${message}; --allow-empty accepts that\n`,
    });
    expect(readdirSync(folder)).toEqual(before);
    expect((await run(`${line} --allow-empty`, input)).code).toBe(0);
  });

  test("is an error anyway for a Batch in JSON", async () => {
    for (const line of ["contacts -", "export - --format csv", "import - --to one"]) {
      expect((await run(line, "")).err).toBe(
        "tercet: standard input: is not JSON: unexpected end at byte 0\n",
      );
    }
  });
});

describe("List Fields", () => {
  const contacts = `send_id,contact_id,contact_email,fields.Age,fields.First Name,Town
1,1,a,9,Ada,Rome
2,2,b,10,Bo,Oslo
`;

  test("that are not declared are all named, with the options to add", async () => {
    write("c.csv", contacts);
    for (const line of [
      "import c.csv --batch 1 --to one",
      "contacts c.csv",
      "export c.csv --to x.csv",
    ]) {
      expect(await run(`${line} --list-field Aeg=int`)).toEqual({
        code: 2,
        out: "",
        err:
          'tercet: c.csv: line 1: these columns are not fields: "fields.Age" (did you mean "fields.Aeg"?), ' +
          `"fields.First Name", "Town"; add --list-field Age --list-field 'First Name' (Age=int for an int); ` +
          "--column Town=FIELD maps one to a field, and --ignore-columns leaves them out\n",
      });
    }
    write(
      "c.ndjson",
      '{"send_id":1,"contact_id":1,"contact_email":"a","fields":{"Age":9,"City":"x"}}',
    );
    expect((await run("contacts c.ndjson --list-field Zip")).err).toBe(
      'tercet: c.ndjson: line 1.fields: has unknown fields: "Age", "City"; ' +
        "add --list-field Age --list-field City (Age=int for an int)\n",
    );
    expect((await run("files c.csv")).err).not.toContain("--list-field");
  });

  test("are ints in contacts and export, too, if an option says so", async () => {
    write("c.csv", contacts.replace("First Name", "Name"));
    const flags = "--column Town=fields.Town";
    const young = '--criteria [["Age","less_than",10]]';
    for (const line of ["contacts c.csv", "export c.csv --format ndjson"]) {
      expect((await run(`${line} ${flags} ${young}`)).err).toBe(
        'tercet: --criteria[0]: less_than needs an int field; "Age" is a string field; ' +
          "--list-field Age=int makes it one\n",
      );
      const all = `${line} ${flags} --list-field Age=int --list-field Name --list-field Town`;
      expect(await output(`${all} ${young}`)).toMatch(/\b1\b/);
      expect(await output(`${all} --sort-by Age --order asc`)).toMatch(/\ba\b.*\bb\b/s);
    }
    write(
      "batch.json",
      JSON.stringify({ id: 1, lists: [{ id: 1, fields: ["Age"], contacts: [] }] }),
    );
    expect((await run(`contacts batch.json ${young}`)).err).not.toContain("--list-field");
    expect(
      (await run('contacts c.csv --criteria [["send_status","less_than",1]]')).err,
    ).not.toContain("--list-field");
  });

  test("keep their values in a sorted page of many rows", async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => `${id},1,${id % 7},${(id * 37) % 101}\n`);
    write("c.csv", `send_id,contact_id,contact_email,fields.Age\n${rows.join("")}`);
    const line = "export c.csv --format csv --list-field Age=int --sort-by Age --limit 1000";
    const expected = rows
      .map((row) => row.trimEnd().split(","))
      .toSorted((a, b) => Number(b[3]) - Number(a[3]))
      .slice(0, 1000);
    const written = (await output(line)).trimEnd().split("\n").slice(1);
    expect(
      written.map((row) => row.split(",")).map((row) => [...row.slice(0, 3), row.at(-1)]),
    ).toEqual(expected);
  });
});

describe("refused records", () => {
  const head = "id,folder_id,name\n";
  test.each([
    ["id,folder_id,name\n1,1,a\nx,1,b\n", "line 3.id: must be an integer"],
    ["id,folder_id,name\n1,1,a\n1,1,b\n", 'line 3.id: "1" is already used by'],
    ["id,folder_id,nmae\n", 'line 1: the column "nmae" is not a field; did you mean "name"?'],
    ['id,folder_id,name\n1,1,"a', "line 2: has an unclosed quote"],
  ])("%j are named by their line, and nothing is left behind", async (text, message) => {
    write("files.csv", text);
    for (const to of ["one", "one.json"]) {
      if (to === "one.json" && message.includes("already")) continue;
      const { code, out, err } = await run(`import --files files.csv --to ${to}`);
      expect(err).toContain(`tercet: files.csv: ${message}`);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(readdirSync(folder)).toEqual(["files.csv"]);
    }
  });

  test("can be kept, with place and reason, while the rest is imported", async () => {
    write("files.csv", `${head}1,1,a\nx,1,b\n1,1,c\n2,1\n3,1,d\n`);
    const { code, out, err } = await run(
      "import --files files.csv --skip-invalid bad.ndjson --to one",
    );
    expect({ code, out, err }).toEqual({
      code: 0,
      out: "2 Files in one\n",
      err: "tercet: left out 3 records that are not valid\n",
    });
    const refused = read("bad.ndjson")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(refused).toMatchObject([
      { source: "files.csv", place: "line 3", record: { id: "x", folder_id: "1", name: "b" } },
      { source: "files.csv", place: "line 4", reason: 'id: "1" is already used by line 2' },
      { source: "files.csv", place: "line 5", record: ["2", "1"] },
    ]);
  });

  test("can be kept for Contacts of a Batch, too", async () => {
    const bad = { send_id: "x", contact_id: 1, contact_email: "" };
    const [first] = batch.lists;
    write(
      "b.json",
      JSON.stringify({ id: 1, lists: [{ ...first, contacts: [bad, ...(first?.contacts ?? [])] }] }),
    );
    const { code, out } = await run("import b.json --skip-invalid bad.ndjson --to one");
    expect({ code, out }).toEqual({ code: 0, out: "2 Contacts of 1 Batch in one\n" });
    expect(read("bad.ndjson")).toContain('"place":"batch.lists[0].contacts[0]"');
  });

  test("leave an existing file as it was", async () => {
    write("bad.ndjson", "before");
    write("files.csv", `${head}x,1`);
    const line =
      "import --files files.csv --skip-invalid bad.ndjson --force --batch x a.csv --to one";
    expect(await run(line)).toMatchObject({
      code: 2,
      err: "tercet: --batch: must be an integer, not x\n",
    });
    expect(read("bad.ndjson")).toBe("before");
    expect(readdirSync(folder)).toEqual(["bad.ndjson", "files.csv"]);
  });

  test.each([
    ["import --to one", "name a file to import"],
    ["import - --files - --to one", "standard input can be read only once"],
    ["import a.csv --batch x --to one", "--batch: must be an integer, not x"],
    ["import a.csv --batch 1 --list 01 --to one", "--list: must be an integer, not 01"],
    ["import nowhere.json --to one", "nowhere.json: no such file or directory"],
    ["import a.csv --batch 1 --column x --to one", "--column: must be NAME=FIELD, not x"],
    [
      "import a.csv --batch 1 --from xml --to one",
      "--from: must be csv, ndjson, json, arrow or parquet, not xml",
    ],
    ["export b.json", "--format: must be csv, ndjson, json, arrow or parquet"],
    [
      "export b.json --format xml",
      "--format: must be csv, ndjson, json, arrow or parquet, not xml",
    ],
    ["export b.json --format csv --limit x", "--limit: must be a non-negative safe integer"],
    ["export b.json --format csv --batch 8", "--batch: there is no Batch 8; use 7"],
    ["export b.json --to nowhere/x.csv", "nowhere/x.csv: no such file or directory"],
  ])("%s: %s", async (line, message) => {
    write("a.csv", "send_id\n");
    write("b.json", JSON.stringify(batch));
    const { code, out, err } = await run(line, "");
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(existsSync(join(folder, "one"))).toBe(false);
  });
});

describe("a table that another program wrote", () => {
  const loose = { id: 7, a: 1234.5, b: null };
  test.each<[options: string, text: string | Buffer, record: object]>([
    ["--quote ' --escape \\", "id;name\n7;'a;\\'b'\n", { id: 7, name: "a;'b" }],
    ["--comment // --skip-lines 1", "title\n// note\nid,name\n7,x\n", { id: 7, name: "x" }],
    ["--no-header", "id,name\n", { column_1: "id", column_2: "name" }],
    ["--header", "7,8\n9,1\n", { 7: 9, 8: 1 }],
    ["--null NA --null -", "id,a,b\n7,NA,-\n8,1,x\n", { id: 7, a: null, b: null }],
    ["--decimal ,", "id;total\n7;1.234,5\n", { id: 7, total: 1234.5 }],
    ["--loose-numbers a --loose-numbers b", 'id,a,b\n7,"$1,234.50",n/a\n8,NA,12 %\n', loose],
    ["--loose-numbers a --loose-numbers b", '{"id":7,"a":"1 234.50 €","b":"-"}', loose],
    ["--decimal , --loose-numbers a --loose-numbers b", "id;a;b\n7;1.234,50 €;-\n", loose],
    ["--date-format at=%Y%m%d", "id,at\n7,20240229\n", { id: 7, at: "2024-02-29" }],
    ["--at data.b", '{"data":{"a":[{"x":1}],"b":[{"id":7}]}}', { id: 7 }],
    ["--flatten --non-finite null", '{"id":7,"a":{"b":NaN}}', { id: 7, "a.b": null }],
    ["", Buffer.from("\ufeffid,name\r7,é\r", "utf16le"), { id: 7, name: "é" }],
  ])("is read with %s", async (options, text, record) => {
    const { code, out } = await run(`query - ${options} --limit 1 --format ndjson`, text);
    expect({ code, record: JSON.parse(out) as unknown }).toEqual({ code: 0, record });
  });

  test("is read with loose numbers: from Parquet, with a schema, and what is none is refused", async () => {
    const data = ["(5)", "NA", "12 %"];
    write(
      "t.parquet",
      new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "a", data, type: "STRING" }] })),
    );
    const sorted = "--sort a:ASC --format ndjson";
    expect((await run(`query t.parquet --loose-numbers a ${sorted}`)).out).toBe(
      '{"a":null}\n{"a":-5}\n{"a":0.12}\n',
    );
    write("t.csv", "a\n(5)\nfive\n");
    write("t.json", '{"fields":{"a":{"type":"int"}}}');
    const refused = await run("query t.csv --schema t.json --loose-numbers a");
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain('t.csv: line 3.a: must be a number such as 1,234.50, not "five"');
    const missing = await run("query t.csv --loose-numbers b");
    expect(missing.err).toBe("tercet: --loose-numbers: there is no field b; the fields are a\n");
    expect(missing.code).toBe(2);
  });

  test("is read without the rows that are not valid, which are counted and kept", async () => {
    write("rows.csv", "id,name\n1,Ada\n2\n3,Cy\n");
    for (const line of [
      "query rows.csv --count --skip-invalid bad.ndjson",
      "import rows.csv --collection rows --to rows.store --skip-invalid bad.ndjson --force",
    ]) {
      const { code, out, err } = await run(line);
      expect({ code, count: Number.parseInt(out, 10) }).toEqual({ code: 0, count: 2 });
      expect(err).toMatch(/left out 1 record that is not valid\n$/);
      expect(read("bad.ndjson")).toMatch(/^\{"source":"rows.csv","place":"line 3",[^\n]*\n$/);
    }
  });
});
