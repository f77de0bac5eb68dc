// The commands as a user runs them: output, exit codes, and the one line of an error.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import initSqlJs from "sql.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createService, type BatchInput, type FileInput, type FileRecord } from "../src/index.ts";
import { bundleCommand, runCommand as run } from "./command.ts";

const place = mkdtempSync(join(tmpdir(), "tercet cli-"));
const bundle = join(place, "tercet.mjs");
const tree = join(place, "tree");
const batchFile = join(place, "batch.json");

/** A PNG's signature and header chunk, which holds its dimensions. */
function png(width: number, height: number): Buffer {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([head, size]);
}

const batch: BatchInput = {
  id: 1234,
  lists: [
    {
      id: 7,
      fields: ["Email", "First Name"],
      contacts: [
        { send_id: 1, contact_id: 11, contact_email: "b@example.com", open_count: 3 },
        {
          send_id: 2,
          contact_id: 12,
          contact_email: "a@example.com",
          fields: { "First Name": "\u001b[31mEve" },
        },
      ],
    },
    {
      id: 3,
      fields: ["Email"],
      contacts: [
        { send_id: 3, contact_id: 13, contact_email: "c@example.com", fields: { Email: "c" } },
      ],
    },
    { id: 9, contacts: [] },
  ],
};

const ORDERS = `id,state,city,total,paid,placed,note
0007,open,Rome,19.90,true,2024-05-01,"a, b"
0008,open,,1200,false,2024-05-02,
0009,closed,Oslo,5300.5,true,2024-05-02,x
0010,new,Rome,-3,true,2024-05-04,x
`;

/** The command as users install it, for a shell. */
const environment = {
  ...process.env,
  HOME: place,
  PATH: [join(place, "bin"), dirname(process.execPath), process.env.PATH].join(delimiter),
};

async function filesIn(directory: string, ...parameters: string[]): Promise<FileRecord[]> {
  const { code, out, err } = await run(["files", directory, "--json", ...parameters]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as FileRecord[];
}

async function expectRefusal(
  parameters: readonly string[],
  message: string | RegExp,
): Promise<void> {
  const { code, out, err } = await run(parameters);
  expect(err).toMatch(/^tercet: [^\n]+\n$/);
  expect(err).toMatch(message);
  expect({ code, out }).toEqual({ code: 2, out: "" });
}

beforeAll(async () => {
  await bundleCommand(bundle);
  mkdirSync(join(place, "bin"));
  symlinkSync(bundle, join(place, "bin", "tercet"));
  mkdirSync(join(tree, "b", "deep"), { recursive: true });
  mkdirSync(join(tree, "a"));
  writeFileSync(join(tree, "z.txt"), "twelve bytes");
  writeFileSync(join(tree, ".hidden"), "");
  writeFileSync(join(tree, "png"), "no image");
  writeFileSync(join(tree, "a", "wide.png"), png(300, 20));
  writeFileSync(join(tree, "a", "broken.png"), png(300, 20).subarray(0, 18));
  writeFileSync(join(tree, "a", "archive.tar.gz"), "x");
  writeFileSync(join(tree, "b", "deep", "50% #1?.md"), "# x");
  symlinkSync(join(tree, "z.txt"), join(tree, "link.txt"));
  symlinkSync(tree, join(tree, "b", "loop"));
  utimesSync(join(tree, "z.txt"), 1_700_000_000.9, 1_600_000_000.9);
  writeFileSync(batchFile, JSON.stringify(batch));
});

afterAll(() => {
  rmSync(place, { recursive: true, force: true });
});

const commands = [
  ["files"],
  ["contacts"],
  ["query"],
  ["rpc"],
  ["sql"],
  ["import"],
  ["export"],
  ["generate", "files"],
  ["generate", "batch"],
];

test("--version and the help of each command, with examples", async () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(await run(["--version"])).toEqual({ code: 0, out: `${manifest.version}\n`, err: "" });
  for (const command of commands) {
    const { code, out, err } = await run([...command, "--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`Usage: tercet ${command.join(" ")}`);
    expect(out).toContain("Examples:\n");
  }
  expect((await run(["--help"])).out).toMatch(/files.*contacts.*rpc.*generate/s);
});

test("every example in the help texts works as written", async () => {
  const folder = join(place, "examples");
  mkdirSync(join(place, "Pictures"));
  mkdirSync(join(folder, "src"), { recursive: true });
  for (const name of ["monday", "tuesday", "batch"]) {
    const made = { ...batch, id: name.length };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(made));
  }
  const examples: string[] = [];
  for (const command of commands) {
    const [options, shown = ""] = (await run([...command, "--help"])).out.split("Examples:\n");
    // Criteria appear nowhere else, where nothing would run them.
    expect(options).not.toContain("[[");
    // A line with more indentation belongs to the one before it.
    examples.push(...shown.trimEnd().split(/\n {2}(?! )/));
  }
  expect(examples.length).toBeGreaterThan(12);
  writeFileSync(
    join(folder, "requests.ndjson"),
    '{"id":1,"method":"searchFiles","params":["k",[],1]}\n',
  );
  writeFileSync(join(folder, "files.json"), "[]");
  writeFileSync(join(folder, "files.csv"), "id,folder_id,name\n1,2,x.txt\n");
  writeFileSync(join(folder, "contacts.csv"), "send_id,contact_id,E-mail\n1,2,x\n");
  writeFileSync(
    join(folder, "ages.csv"),
    "send_id,contact_id,contact_email,fields.Age\n1,2,x,51\n",
  );
  writeFileSync(
    join(folder, "contacts.ndjson"),
    '{"send_id":1,"contact_id":2,"contact_email":"x"}',
  );
  const lines = ORDERS.split("\n").filter((line) => line !== "");
  const orders = lines.map((line, i) => `${i === 0 ? "customer" : 1},${line}\n`);
  writeFileSync(join(folder, "orders.csv"), orders.join(""));
  writeFileSync(join(folder, "customers.csv"), "id,name,country\n1,Ann,AU\n");
  const data = ["export", join(folder, "batch.json"), "--to", join(folder, "data.parquet")];
  expect(await run(data)).toMatchObject({ code: 0 });
  const tuesday = readFileSync(join(folder, "tuesday.json"));
  writeFileSync(join(folder, "tuesday.json.gz"), gzipSync(tuesday));
  const outcomes: { example: string; code: number | null; err: string }[] = [];
  for (const example of examples) {
    if (/[<>|]/.test(example)) {
      const options = { cwd: folder, encoding: "utf8", env: environment } as const;
      const { status, stderr } = spawnSync("sh", ["-c", example], options);
      outcomes.push({ example, code: status, err: stderr });
    } else {
      // What a shell makes of it: no process starts.
      const words = example.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
      const [, ...parameters] = words.map((word) => word.replaceAll("'", "").replace("~", place));
      const { code, err } = await run(parameters, { cwd: folder });
      outcomes.push({ example, code, err });
    }
  }
  for (const outcome of outcomes)
    outcome.err = outcome.err.replace(/^tercet: (?:\w+\.csv: )?types inferred: .*\n/gm, "");
  expect(outcomes).toEqual(examples.map((example) => ({ example, code: 0, err: "" })));
});

describe("query", () => {
  const folder = join(place, "tables");
  const orders = join(folder, "orders.csv");
  const TYPES =
    "tercet: types inferred: id string, state string, city string or null, total float, paid boolean, placed string, note string or null\n";

  beforeAll(() => {
    mkdirSync(folder);
    writeFileSync(orders, ORDERS);
    writeFileSync(`${orders}.gz`, gzipSync(ORDERS));
  });

  async function idsOf(...parameters: string[]): Promise<string[]> {
    const { code, out, err } = await run(["query", orders, "--json", ...parameters]);
    expect({ code, err }).toEqual({ code: 0, err: TYPES });
    return (JSON.parse(out) as { id: string }[]).map(({ id }) => id);
  }
  const where = (text: string) => text.split(" ");

  test("takes criteria of three words, in groups", async () => {
    expect(await idsOf(...where("--where total greater_than 1000"))).toEqual(["0008", "0009"]);
    const both = where(
      "--where total at_least -3 --where paid exactly true --where note exactly x",
    );
    expect(await idsOf(...both)).toEqual(["0009", "0010"]);
    const groups = where(
      "--where state in open,new --where total less_than 19.90 --or --where id exactly 0009",
    );
    expect(await idsOf(...groups)).toEqual(["0009", "0010"]);
    // However a number is written; a text as it is.
    expect(await idsOf(...where("--where total in 19.900,5.3005e3"))).toEqual(["0007", "0009"]);
    expect(await idsOf(...where("--where total contains 9."))).toEqual(["0007"]);
    expect(await idsOf(...where("--where total between 19.900,1.2e3"))).toEqual(["0007", "0008"]);
    expect(await idsOf(...where("--where city exactly null"))).toEqual(["0008"]);
    expect(await idsOf(...where("--where state exactly null"))).toEqual([]);
    expect(await idsOf("--where", "note", "exactly", "a, b")).toEqual(["0007"]);
    expect(
      await idsOf("--criteria", '[["city","not",null],"OR",["total","exactly",1200]]'),
    ).toHaveLength(4);
  });

  test("takes --not before criteria, and groups as JSON", async () => {
    const not = where("--not --where city exactly null --not --where id in 0007,0010");
    expect(await idsOf(...not)).toEqual(["0009"]);
    const or = where("--where city exactly null --or --not --where total greater_than 0");
    expect(await idsOf(...or)).toEqual(["0008", "0010"]);
    const group = [
      ["total", "greater_than", 0],
      "NOT",
      [["id", "exactly", "0009"], "OR", ["city", "exactly", null]],
    ];
    expect(await idsOf("--criteria", JSON.stringify(group))).toEqual(["0007"]);
  });

  test("sorts and pages", async () => {
    expect(await idsOf("--sort", "total")).toEqual(["0009", "0008", "0007", "0010"]);
    expect(await idsOf("--sort", "total:asc", "--limit", "2", "--offset", "1")).toEqual([
      "0007",
      "0008",
    ]);
  });

  test("V16 a schema has paths into json fields, which all options take", async () => {
    const file = join(folder, "nested.ndjson");
    const schema = join(folder, "nested.json");
    writeFileSync(file, '{"id":1,"at":{"city":"Bern"}}\n{"id":2}\n{"id":3,"at":{"city":"Zug"}}\n');
    const city = { type: "string", nullable: true, path: ["at", "city"] };
    const at = { type: "json", nullable: true };
    writeFileSync(schema, JSON.stringify({ fields: { id: { type: "int" }, at, city } }));
    const asked = ["query", file, "--schema", schema];
    const sorted = await run([
      ...asked,
      "--sort",
      "city",
      "--select",
      "city,id",
      "--format",
      "csv",
    ]);
    expect(sorted.out.split(/\r?\n/)).toEqual(["city,id", "Zug,3", "Bern,1", ",2", ""]);
    const found = await run([...asked, "--where", "city", "exactly", "Bern", "--count"]);
    expect(found.out).toContain("1");
    const shown = await run(asked);
    expect(shown.out.split("\n")[0]).toBe("id  at");
    writeFileSync(file, '{"id":1,"city":"Bern"}\n');
    const given = await run(asked);
    expect(given.err).toContain("city: is computed from the rest of the record; leave it out");
  });

  test("turns pages by cursors, which standard error names", async () => {
    const page = ["query", orders, "--sort", "total", "--limit", "3", "--format", "ndjson"];
    const first = await run([...page, "--after", ""]);
    const [, next = ""] = /^tercet: the next page: --after ([\w-]+)$/m.exec(first.err) ?? [];
    expect(first.out.trimEnd().split("\n")).toHaveLength(3);
    const last = await run([...page, "--after", next]);
    expect(last.code).toBe(0);
    const [, previous = ""] = /^tercet: the page before: --before ([\w-]+)$/m.exec(last.err) ?? [];
    const back = await run([...page, "--before", previous]);
    expect(back.out).toBe(first.out);
    expect((await run([...page, "--last"])).out.trimEnd().split("\n")).toHaveLength(3);
    const both = await run([...page, "--after", next, "--last"]);
    expect(both.err).toContain("--after, --before and --last: give only one of them");
    const some = await run([...page, "--last", "--select", "total,id"]);
    expect(some.out).toMatch(/^\{"total":[^,]*,"id":"[^"]*"\}\n/);
    const unknown = await run(["query", orders, "--select", "id,totl"]);
    expect(unknown.err).toContain("--select: element 1");
    const counted = await run(["query", orders, "--select", "id", "--count"]);
    expect(counted.err).toContain("can't be combined with --select");
    const whole = await run(["query", orders, "--sort", "total", "--format", "ndjson"]);
    expect(first.out + last.out).toBe(whole.out);
    const other = await run([...page, "--sort", "id", "--after", next]);
    expect(other.code).toBe(2);
    expect(other.err).toContain("--after: belongs to another query");
  });

  test("prints a table with its line of types on standard error", async () => {
    const table = await run([
      "query",
      orders,
      ...where("--where total greater_than 1000 --sort total"),
    ]);
    expect(table).toEqual({
      code: 0,
      err: TYPES,
      out: `id    state   city  total   paid   placed      note
0009  closed  Oslo  5300.5  true   2024-05-02  x
0008  open    -     1200    false  2024-05-02  -
2 of 2 matching records, 4 in all
`,
    });
    const wide = Array.from({ length: 30 }, (_, i) => `column${i}`);
    const input = `${wide.join(",")}\n${wide.join(",")}\n`;
    const { out, err } = await run(["query", "-", "--where", "column29", "exactly", "column29"], {
      input,
    });
    expect(out.split("\n")[0]).toMatch(/^column0 .* column29$/);
    expect(err).toMatch(/column19 string and 10 more\n$/);
  });

  test("counts, also by a field and by ranges", async () => {
    const criteria = where("--where paid exactly true");
    expect(await run(["query", orders, "--count", ...criteria])).toMatchObject({ out: "3\n" });
    expect(await run(["query", orders, "--count-by", "city", "--limit", "2"])).toMatchObject({
      out: "value  count\nRome   2\n-      1\n2 values of city\n",
    });
    const bins = await run(["query", orders, "--histogram", "total", "--bins", "2", ...criteria]);
    expect(bins).toMatchObject({
      out: "from     to       count\n-3       2648.75  2\n2648.75  5300.5   1\n2 ranges of total\n",
    });
    const best = ["--count-by", "city", "--summarize", "total", "--by", "sum", "--limit", "2"];
    expect((await run(["query", orders, ...best])).out).toBe(
      `value  count  sum     minimum  maximum  mean
Oslo   1      5300.5  5300.5   5300.5   5300.5
-      1      1200    1200     1200     1200
2 values of city
`,
    );
    const tagged = ["[a]", "[a,b]", "[]"].map(
      (tags, i) => `{"tags":${tags.replace(/\w/g, '"$&"')},"n":${i}}`,
    );
    const elements = ["query", "-", "--from", "ndjson", "--count-by", "tags", "--summarize", "n"];
    expect((await run(elements, { input: tagged.join("\n") })).out).toBe(
      "value  count  sum  minimum  maximum  mean\na      2      1    0        1        0.5\nb      1      1    1        1        1\n2 values of tags\n",
    );
    const first = ["--count-by", "city", "--prefix", "1", "--by", "count", "--ascending"];
    expect((await run(["query", orders, ...first])).out).toBe(
      "value  count\n-      1\nO      1\nR      2\n3 beginnings of city\n",
    );
    const days = ["--histogram", "total", "--step", "day", "--unit", "seconds", "--json"];
    expect(JSON.parse((await run(["query", orders, ...days, "--summarize", "total"])).out)).toEqual(
      [
        { from: -86400, to: 0, count: 1, sum: -3, minimum: -3, maximum: -3, mean: -3 },
        {
          from: 0,
          to: 86400,
          count: 3,
          sum: 6520.4,
          minimum: 19.9,
          maximum: 5300.5,
          mean: 6520.4 / 3,
        },
      ],
    );
    const quantiles = ["--summary", "total", "--quantiles", "0.5, 0.999", "--format", "csv"];
    expect((await run(["query", orders, ...quantiles])).out).toBe(
      "count,nulls,distinct,sum,minimum,maximum,mean,p50,p99.9\n4,0,4,6517.4,-3,5300.5,1629.35,19.9,5300.5\n",
    );
    expect((await run(["query", orders, "--summary", "city"])).out).toBe(
      "count  nulls  distinct\n3      1      2\nsummary of city\n",
    );
    const measures = ["n=count", "2024=sum:total", "best=maximum:city", "most=quantile:total:1"];
    const groups = [
      ...["--group-by", "paid,city", "--sort", "2024:DESC", "--limit", "2"],
      ...measures.flatMap((each) => ["--measure", each]),
    ];
    expect((await run(["query", orders, ...groups])).out).toBe(
      `paid   city  n  2024    best  most
true   Oslo  1  5300.5  Oslo  5300.5
false  -     1  1200    -     1200
2 groups by paid, city
`,
    );
    const ranges = '[{"field":"total","edges":[0,1000],"as":"from"}]';
    const having = ["--having", '[["count","at_least",1]]', "--format", "ndjson"];
    expect((await run(["query", orders, "--group-by", ranges, ...having])).out).toBe(
      '{"from":"-Infinity","count":1}\n{"from":"0","count":1}\n{"from":"1000","count":2}\n',
    );
    const json = await run(["query", orders, "--count-by", "paid", "--format", "ndjson"]);
    expect(json.out).toBe('{"value":true,"count":3}\n{"value":false,"count":1}\n');
    const plan = await run(["query", orders, "--explain", ...criteria]);
    expect(plan.out).toMatch(/^page: .*\n {2}index lookup of paid/);
  });

  test("reads and writes each format, gzipped or from standard input", async () => {
    const rows = ORDERS.replace("19.90", "19.9");
    const csv = ["--format", "csv"];
    expect(await run(["query", `${orders}.gz`, ...csv])).toMatchObject({ out: rows });
    expect(await run(["query", "-", ...csv], { input: gzipSync(ORDERS) })).toMatchObject({
      out: rows,
    });
    const semicolons = { input: "a;b\n1;NULL\n" };
    const options = ["--from", "csv", "--delimiter", ";", "--null", "NULL", "--json"];
    expect((await run(["query", "-", ...options], semicolons)).out).toBe(
      '[\n{"a":1,"b":null}\n]\n',
    );
    const european = { input: Buffer.from("a;b\n1;2,5\n3;\xe9\n", "latin1") };
    expect(await run(["query", "-", "--encoding", "windows-1252", ...csv], european)).toEqual({
      code: 0,
      out: 'a,b\n1,"2,5"\n3,é\n',
      err: 'tercet: delimiter inferred: ";"\ntercet: types inferred: a int, b string\n',
    });
    for (const format of ["csv", "ndjson", "json", "arrow", "parquet"]) {
      const file = join(folder, `again.${format}`);
      expect(await run(["query", orders, "--to", file])).toMatchObject({ code: 0, out: "" });
      const { code, out, err } = await run(["query", file, ...csv]);
      expect({ code, out }).toEqual({ code: 0, out: rows });
      // A saved collection has its schema.
      expect(err).toBe(format === "arrow" ? "" : TYPES);
    }
    await expectRefusal(["query", orders, "--to", join(folder, "again.csv")], /already exists/);
    await expectRefusal(
      ["query", orders, "--to", orders, "--force"],
      /is a source of this command/,
    );
  });

  test("a file is what its name says, or the command refuses to write it", async () => {
    const bad = join(folder, "one-bad.csv");
    writeFileSync(bad, "a,b\n1,x\n2\n");
    writeFileSync(batchFile, JSON.stringify(batch));
    const page = "<html";
    const contents: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
      csv: (bytes) => /^[^\n\t]*,/.test(bytes.toString()),
      tsv: (bytes) => /^[^\n]*\t/.test(bytes.toString()),
      ndjson: (bytes) => /^\{.*\}\n/.test(bytes.toString()),
      jsonl: (bytes) => /^\{.*\}\n/.test(bytes.toString()),
      json: (bytes) => typeof JSON.parse(bytes.toString()) === "object",
      arrow: (bytes) => bytes.subarray(0, 6).toString() === "ARROW1",
      feather: (bytes) => bytes.subarray(0, 6).toString() === "ARROW1",
      parquet: (bytes) => bytes.subarray(0, 4).toString() === "PAR1",
      html: (bytes) => bytes.subarray(0, 512).toString().toLowerCase().includes(page),
      xml: (bytes) => bytes.toString().startsWith("<?xml"),
      ...Object.fromEntries(["geojson", "xlsx", "sqlite"].map((ending) => [ending, () => false])),
    };
    const packings: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
      "": (bytes) => bytes,
      ".gz": (bytes) => gunzipSync(bytes),
      ...Object.fromEntries(
        [".zst", ".bz2", ".xz", ".zip", ".gz.gz", ".zst.gz"].map((ending) => [
          ending,
          () => expect.unreachable(`${ending} is not written`),
        ]),
      ),
    };
    const outputs: readonly (readonly string[])[] = [
      ["query", bad, "--skip-invalid", "TO", "--format", "csv"],
      ["query", orders, "--to", "TO"],
      ["export", batchFile, "--to", "TO"],
      ...["csv", "ndjson", "json", "arrow", "parquet"].map((format) => {
        return ["query", orders, "--format", format, "--to", "TO"];
      }),
    ];
    let written = 0;
    for (const [number, output] of outputs.entries()) {
      for (const [ending, isContent] of Object.entries(contents)) {
        for (const [packing, unpacked] of Object.entries(packings)) {
          if (packing !== "" && packing !== ".gz" && ending !== "csv") continue;
          const file = join(folder, `named-${number}.${ending}${packing}`);
          const { code, err } = await run(output.map((word) => (word === "TO" ? file : word)));
          if (!existsSync(file)) {
            expect([code, err]).toEqual([2, expect.stringContaining("tercet: ")]);
          } else {
            written++;
            expect(isContent(unpacked(readFileSync(file))), `${output.join(" ")}: ${file}`).toBe(
              true,
            );
          }
        }
      }
    }
    // Twice each: the endings of NDJSON; all; all; and those of each format.
    expect(written).toBe(2 * (2 + 8 + 8 + (2 + 2 + 1 + 2 + 1)));
    for (const name of ["report.json", "report.xml.zst", "report.csv"]) {
      const checked = ["check", "--junit", join(folder, name), "--", "true"];
      await expectRefusal(checked, /would contain XML|can't be written as/);
    }
    const tabbed = ["export", batchFile, "--to", join(folder, "x.tsv"), "--delimiter", ";"];
    await expectRefusal(tabbed, /--delimiter: .*x\.tsv has tabs/);
  });

  test("a large gzip file has several members, and is read back", async () => {
    const rows = Array.from({ length: 150_000 }, (_, id) => `${id},name of ${id}`).join("\n");
    const source = join(folder, "large.csv");
    writeFileSync(source, `id,name\n${rows}\n`);
    const to = join(folder, "large.copy.csv.gz");
    expect((await run(["query", source, "--to", to])).code).toBe(0);
    expect(gunzipSync(readFileSync(to)).equals(readFileSync(source))).toBe(true);
    expect((await run(["query", to, "--count"])).out).toBe("150000\n");
  });

  test("a table becomes a collection of a store, which is searched there", async () => {
    const store = join(folder, "shop.store");
    const into = (name: string) => ["import", orders, "--collection", name, "--to", store];
    const [first, second] = [await run(into("orders")), await run(into("more"))];
    expect([first.code, first.err, second.code]).toEqual([0, TYPES, 0]);
    expect(first.out).toMatch(/ records in .*shop\.store\/orders\n$/);
    for (const name of ["orders", "more"]) {
      const asked = ["--json", "--sort", "state:ASC", "--sort", "total", "--limit", "3"];
      const { code, out } = await run(["query", orders, ...asked]);
      expect(await run(["query", join(store, name), ...asked])).toMatchObject({
        code,
        out,
        err: "",
      });
      const sums = [await run(["query", orders, "--summary", "total", "--json"])];
      sums.push(await run(["query", join(store, name), "--summary", "total", "--json"]));
      expect(sums[1]?.out).toBe(sums[0]?.out);
    }
    await expectRefusal(into("orders"), /already has a collection orders/);
    await expectRefusal(
      ["query", join(store, "nothing")],
      /shop\.store: has no collection nothing; it has orders, more/,
    );
    const none = ["import", orders, orders, "--collection", "x", "--to", store];
    await expectRefusal(none, /--collection: takes one table/);

    // An option that would say nothing is refused, not ignored.
    for (const option of ["--batch", "--list", "--list-field", "--files"]) {
      const given = [...into("third"), option, "7"];
      await expectRefusal(given, new RegExp(`: ${option}: can't be combined with --collection\n$`));
    }
    const schema = ["--schema", "schema.json"];
    const asBatch = ["import", orders, "--to", join(folder, "none.store"), ...schema];
    await expectRefusal(asBatch, /: --schema: needs --collection\n$/);
    for (const given of [schema, ["--from", "csv"], ["--ignore-columns"]]) {
      const reason = `${given[0]}: is for files; .*orders is a collection of a store\n$`;
      await expectRefusal(["query", join(store, "orders"), ...given], new RegExp(reason));
    }
  });

  test("a collection of any name is found by the path that import prints", async () => {
    const store = join(folder, "names.store");
    const names = [".", "..", "orders/2026", "orders", "/orders", "orders/", "a//b", "../x", "0"];
    names.push("store.json", "__proto__", "2024", "-x", "a b", "é\u{1f600}", "\\", ".gz", "x.csv");
    const one = join(folder, "one.csv");
    for (const [index, name] of names.entries()) {
      writeFileSync(one, `id\n${index}\n`);
      const made = await run(["import", one, `--collection=${name}`, "--to", store]);
      expect([name, made.code]).toEqual([name, 0]);
    }
    for (const [index, name] of names.entries()) {
      const { out } = await run(["query", `${store}/${name}`, "--format", "ndjson"]);
      expect([name, out]).toEqual([name, `{"id":${index}}\n`]);
    }
    await expectRefusal(
      ["query", `${store}/none/x`],
      /names\.store: has no collection none\/x; it has/,
    );
  });

  test.runIf(process.platform === "linux")("closes the store of a collection", async () => {
    const store = join(folder, "closed.store");
    await run(["import", orders, "--collection", "orders", "--to", store]);
    await run(["query", join(store, "orders"), "--count"]);
    const open = spawnSync("ls", ["-l", `/proc/${process.pid}/fd`], { encoding: "utf8" });
    // Not its status: a descriptor may be closed between the listing and the look at it.
    expect(open.stdout).toContain(" -> ");
    expect(open.stdout).not.toContain(store);
  });

  test("columns keep the order of the file, whatever their names are", async () => {
    // Names such as 2024 come first in JavaScript's objects. The property is in test/import/inference.test.ts.
    const columns = ["town", "2024", "0", "__proto__", "1980", "a"];
    const file = join(folder, "years.csv");
    writeFileSync(file, `${columns.join(",")}\n${columns.map((_, i) => i).join(",")}\n`);
    const shown = await run(["query", file]);
    expect(shown.out.split("\n")[0]?.trim().split(/\s+/)).toEqual(columns);
    const typed = columns.map((name) => `${name} int`).join(", ");
    expect(shown.err).toContain(`types inferred: ${typed}\n`);
    const { out } = await run(["query", file, "--infer"]);
    const inferred = Array.from(out.matchAll(/^ {4}"(.*?)": /gm), ([, name]) => name);
    expect(inferred).toEqual(columns);
    const fixed = join(folder, "years.json");
    writeFileSync(fixed, out);
    const asFixed = await run(["query", file, "--schema", fixed]);
    expect(asFixed.out).toBe(shown.out);
    const record = `{${columns.map((name, i) => `"${name}":${i}`).join(",")}}`;
    expect((await run(["query", file, "--json"])).out).toBe(`[\n${record}\n]\n`);
    for (const format of ["csv", "ndjson", "json", "arrow", "parquet"]) {
      const written = join(folder, `years.${format}`);
      await run(["query", file, "--to", written, "--force"]);
      const again = await run(["query", written, "--format", "ndjson"]);
      expect(again.out).toBe(`${record}\n`);
    }
  });

  test("types that --infer prints are fixed by --schema", async () => {
    const { code, out, err } = await run(["query", orders, "--infer"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      fields: { total: { type: "float" }, city: { nullable: true } },
    });
    const file = join(folder, "schema.json");
    writeFileSync(
      file,
      out.replace('"id": {"type":"string"}', '"id": {"type":"string","unique":true}'),
    );
    expect((await run(["query", orders, "--schema", file, "--infer"])).out).toContain(
      '"unique":true',
    );
    const same = await run(["query", orders, "--schema", file, "--count"]);
    expect(same).toEqual({ code: 0, out: "4\n", err: "" });
    writeFileSync(orders.replace("orders", "twice"), `${ORDERS}0007,open,,1,true,x,x\n`);
    await expectRefusal(
      ["query", orders.replace("orders", "twice"), "--schema", file],
      /twice\.csv: line 6\.id: "0007" is already used by line 2; --skip-invalid FILE leaves such records out\n$/,
    );
    writeFileSync(file, '{"fields":{"id":{"type":"int"}}}');
    await expectRefusal(
      ["query", orders, "--schema", file, "--ignore-columns"],
      /orders\.csv: line 2\.id: must be an integer .*, not "0007"; write 7 or "7"; --skip-invalid FILE leaves such records out\n$/,
    );
    await expectRefusal(
      ["query", orders, "--schema", file],
      /these columns are not fields.*--ignore-columns/,
    );
    for (const [text, message] of [
      ["{", /schema\.json: is not JSON/],
      ["{}", /schema\.json: fields: must be an object/],
      ['{"fields":{"id":{"type":"text"}}}', /schema\.json: fields\.id\.type: must be "int"/],
    ] as const) {
      writeFileSync(file, text);
      await expectRefusal(["query", orders, "--schema", file], message);
    }
    await expectRefusal(
      ["query", orders, "--schema", "nowhere.json"],
      /nowhere\.json: no such file/,
    );
  });

  test.each([
    ["--where total above 5", /--where total above 5: unknown operator "above"; use "exactly"/],
    [
      "--where totl greater_than 5",
      /--where totl greater_than 5: unknown field "totl"; did you mean "total"/,
    ],
    [
      '--criteria [["placed","greater_than",5]]',
      /greater_than takes a string of well-formed Unicode, not 5; write "5"/,
    ],
    ["--where total greater_than much", /--where total greater_than much: /],
    ["--where total greater_than", /--where: needs three words: a field, an operator and a value/],
    ["--where total exactly --count", /--where: needs three words/],
    ["--or --where total exactly 5", /--or: "OR" must be between two criteria/],
    ["--where total exactly 5 --criteria []", /--where: can't be combined with --criteria/],
    ["--criteria [[1]]", /--criteria\[0\]: /],
    [
      '--criteria [["total","exactly",1],[["totl","exactly",1]]]',
      /--criteria\[1\]\[0\]: unknown field "totl"; did you mean "total"/,
    ],
    ["--where total exactly 5 --not", /--not: "NOT" must be before a criterion or a group/],
    ["--not --or --where total exactly 5", /--or: "OR" must be between two criteria/],
    ["--not --where totl exactly 5", /--where totl exactly 5: unknown field "totl"/],
    ["--criteria {", /--criteria: is not JSON/],
    ["--sort nothing", /--sort: unknown field "nothing"/],
    ["--limit few", /--limit: must be a non-negative safe integer/],
    ["--offset -1", /--offset: must be a non-negative safe integer/],
    ["--after x", /--after: is not a cursor/],
    ["--after x --count", /--count: can't be combined with --after/],
    ["--after x --offset 1", /--offset: can't be combined with --after/],
    ["--count-by nothing", /--count-by: unknown field "nothing"/],
    ["--histogram city", /--histogram: must be an int or float field, not "city"/],
    ["--histogram total --bins 0", /--bins: must be an integer from 1 to 10000, not 0/],
    ["--summary total --quantiles 5", /--quantiles: must be a number from 0 to 1, not 5/],
    ["--summary city --quantiles 0.5", /--quantiles: must be omitted for a field of the type/],
    ["--count-by city --by sum", /--by: "sum" needs --summarize, the name of an int or float/],
    ["--count-by city --summarize state", /--summarize: must be an int or float field/],
    ["--count-by city --ascending", /--ascending: needs --by/],
    ["--prefix 3", /--prefix: needs --count-by/],
    ["--summarize total", /--summarize: needs --count-by or --histogram/],
    ["--count-by total --prefix 2", /--prefix: must be omitted: "total" is not a string field/],
    ["--histogram total --bins 3 --step day", /--bins: must be omitted if --step is given/],
    ["--histogram total --unit seconds", /--unit: needs --step/],
    ["--histogram total --zone Europe/Berlin", /--zone: needs --step/],
    ["--histogram total --step day --zone Berlin", /--zone: must be a zone of the IANA database/],
    [
      "--count --count-by city",
      /--count, --count-by, --histogram, --summary and --group-by: give only one of them/,
    ],
    ["--group-by city,nothing", /--group-by\[1\]: unknown field "nothing"/],
    ["--group-by city --measure a=sum:city", /--measure a: must be an int or float field/],
    ["--group-by city --measure sum", /--measure: must be NAME=count or NAME=AGGREGATE:FIELD/],
    ["--group-by city --measure a=count --measure a=count", /--measure: gives two measures one/],
    ["--group-by city --having [[1]]", /--having\[0\]: /],
    ["--group-by city --sort total", /--sort: .*unknown field "total"/],
    ["--measure a=count", /--measure: needs --group-by/],
    ["--format xml", /--format: must be csv, ndjson, json, arrow or parquet, not xml/],
    ["--from xml", /--from: must be csv/],
    ["--column nothing=x", /orders\.csv: line 1: has no column "nothing"/],
  ])("refuses %s", async (words, message) => {
    await expectRefusal(["query", orders, ...where(words)], message);
  });

  test("a table that can't be read is refused with its place", async () => {
    const bad = join(folder, "bad.csv");
    writeFileSync(bad, "a,b\n1,2\n1\n");
    await expectRefusal(["query", bad], /bad\.csv: line 3: has 1 value, but there are 2 columns/);
    writeFileSync(bad, "");
    await expectRefusal(["query", bad], /bad\.csv: is empty; --allow-empty accepts that/);
    await expectRefusal(["query", bad, "--allow-empty"], /bad\.csv: has no columns/);
    await expectRefusal(
      ["query", join(folder, "none.csv")],
      /none\.csv: no such file or directory/,
    );
    await expectRefusal(["query", folder], /bad\.csv: is empty; --allow-empty accepts that/);
  });
});

describe("files", () => {
  test("returns the records of a tree in order, without links", async () => {
    const files = await filesIn(tree);
    expect(files.map(({ id, folder_id, name }) => [id, folder_id, name])).toEqual([
      ["1", "1", ".hidden"],
      ["2", "1", "png"],
      ["3", "1", "z.txt"],
      ["4", "2", "archive.tar.gz"],
      ["5", "2", "broken.png"],
      ["6", "2", "wide.png"],
      ["7", "4", "50% #1?.md"],
    ]);
    const path = join(tree, "z.txt");
    const stats = statSync(path);
    expect(files[2]).toEqual({
      id: "3",
      folder_id: "1",
      basename: "z",
      extension: ".txt",
      size: "12",
      creation_time: String(Math.floor(stats.birthtimeMs / 1000)),
      image_width: "0",
      image_height: "0",
      mime_type: "text/plain",
      last_modified_time: "1600000000",
      last_modified_user_id: String(stats.uid),
      name: "z.txt",
      url: pathToFileURL(path).href,
    });
    expect(files.map(({ basename, extension }) => [basename, extension]).slice(0, 4)).toEqual([
      [".hidden", ""],
      ["png", ""],
      ["z", ".txt"],
      ["archive.tar", ".gz"],
    ]);
    expect(fileURLToPath(files[6]?.url ?? "")).toBe(join(tree, "b", "deep", "50% #1?.md"));
  });

  test("reads the dimensions of images, and 0 for broken ones and other files", async () => {
    const sizes = (await filesIn(tree)).map((file) => [
      file.name,
      file.mime_type,
      file.image_width,
      file.image_height,
    ]);
    expect(sizes).toContainEqual(["wide.png", "image/png", "300", "20"]);
    expect(sizes).toContainEqual(["broken.png", "image/png", "0", "0"]);
    expect(sizes).toContainEqual(["png", "application/octet-stream", "0", "0"]);
  });

  test("accepts every option", async () => {
    const names = async (...parameters: string[]) =>
      (await filesIn(tree, ...parameters)).map(({ name }) => name);
    const criteria = '[["mime_type","starts_with","image/"],"OR",["size","exactly",12]]';
    expect(await names("--criteria", criteria)).toEqual(["z.txt", "broken.png", "wide.png"]);
    expect(await names("--criteria", criteria, "--sort-by", "size")).toEqual([
      "wide.png",
      "broken.png",
      "z.txt",
    ]);
    expect(
      await names("--sort-by", "name", "--order", "ASC", "--limit", "2", "--offset", "1"),
    ).toEqual(["50% #1?.md", "archive.tar.gz"]);
    expect(await names("--limit", "0")).toEqual([]);
    for (const order of ["asc", "Asc"]) {
      expect(await names("--sort-by", "name", "--order", order, "--limit", "1")).toEqual([
        ".hidden",
      ]);
    }
    const flags = ["--sort-by", "open_count", "--order", "asc", "--json"];
    const { out } = await run(["contacts", batchFile, "--limit", "1", ...flags]);
    expect(out).toContain('"send_id":"2"');
  });

  test("shows a table that ends with the number of records", async () => {
    const all = await run(["files", tree]);
    expect(all).toMatchObject({ code: 0, err: "" });
    const lines = all.out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^id +name +size +mime_type +last_modified_time +url$/);
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe("7 of 7 Files");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);

    const criteria = '[["mime_type","exactly","image/png"]]';
    const some = await run([
      "files",
      tree,
      "--criteria",
      criteria,
      "--sort-by",
      "image_width",
      "--limit",
      "1",
    ]);
    expect(some.out).toMatch(/^id .* image_width +url\n6 +wide\.png .* 300 +\S+wide\.png\n1 of 2 /);
    expect(some.out).toMatch(/\n1 of 2 matching Files, 7 in all\n$/);
  });

  test("cuts a long table, says so, and aligns what it shows", async () => {
    const many = join(place, "many");
    mkdirSync(many);
    for (let i = 0; i < 230; i++) writeFileSync(join(many, `${i}`), "");
    const short = (await run(["files", many])).out.trimEnd().split("\n");
    expect(short).toHaveLength(102);
    expect(short.at(-1)).toBe("100 of 230 Files; --limit shows more");
    const long = (await run(["files", many, "--limit", "1000"])).out.trimEnd().split("\n");
    expect(long.at(-1)).toBe("230 of 230 Files");
    const columns = new Set(long.slice(1, -1).map((line) => line.indexOf("application/")));
    expect(columns.size).toBe(1);
    expect(await filesIn(many)).toHaveLength(230);
  });

  test("survives hostile names, which do not control the terminal", async () => {
    const hostile = join(place, "hostile");
    mkdirSync(hostile);
    const names = [
      "\u001b[2Jclear",
      "two\nlines",
      "\u202egnp.exe",
      "日本語の名前.txt",
      "c1\u009bK",
      "\u2028",
    ];
    for (const name of names) writeFileSync(join(hostile, name), "");
    const broken = Buffer.concat([Buffer.from(`${hostile}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    writeFileSync(broken, "five!");

    const files = await filesIn(hostile, "--sort-by", "size");
    expect(files.map(({ name }) => name).toSorted()).toEqual(
      [...names, "f\ufffd\ufffd"].toSorted(),
    );
    expect(files[0]).toMatchObject({ name: "f\ufffd\ufffd", size: "5" });
    expect(files[0]?.url).toBe(`${pathToFileURL(hostile).href}/f%FF%FE`);

    const { out } = await run(["files", hostile]);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u);
    expect(out.trimEnd().split("\n")).toHaveLength(names.length + 3);
    expect(out).toContain("\\u001b[2Jclear");
    expect(out).toContain("two\\u000alines");
    expect(out).toContain("日本語の名前.txt");
  });

  test("skips what can't be read, with a warning", () => {
    const locked = join(place, "locked");
    mkdirSync(join(locked, "shut"), { recursive: true });
    writeFileSync(join(locked, "open.txt"), "");
    writeFileSync(join(locked, "shut", "in.txt"), "");
    writeFileSync(join(locked, "secret.png"), png(1, 1));
    chmodSync(place, 0o755);
    chmodSync(join(locked, "shut"), 0);
    chmodSync(join(locked, "secret.png"), 0);
    // The superuser may read everything.
    const options = process.getuid?.() === 0 ? { uid: 65534, cwd: "/" } : {};
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bundle, "files", locked, "--json"],
      { encoding: "utf8", ...options },
    );
    chmodSync(join(locked, "shut"), 0o755);
    expect(status).toBe(1);
    expect((JSON.parse(stdout) as FileRecord[]).map(({ name }) => name)).toEqual(["open.txt"]);
    expect(stderr).toBe(
      `tercet: skipped ${locked}/secret.png: permission denied\n` +
        `tercet: skipped ${locked}/shut: permission denied\n` +
        `tercet: left out 2 files or folders\n`,
    );
  });

  test("names with wide characters, or with the escape of a control, do not look alike", async () => {
    const wide = join(place, "wide");
    const names = ["1", "2"].flatMap((end) => [
      `${"「".repeat(14)}${end}`,
      `${"☝".repeat(20)}${end}`,
      `\u001b[31m${end}`,
      `\\u001b[31m${end}`,
    ]);
    mkdirSync(wide);
    for (const name of names) writeFileSync(join(wide, name), "");
    const { out } = await run(["files", wide, "--sort-by", "name"]);
    const rows = out.trimEnd().split("\n").slice(1, -1);
    expect(new Set(rows.map((row) => row.split(/ {2,}/)[1])).size).toBe(names.length);
  });

  test("cuts paths in the middle, but never so that two look alike", async () => {
    const alike = join(place, "alike");
    const names = ["a", "b", "c"].flatMap((letter) =>
      ["report", "summary"].map((end) => {
        const middle = `${letter}-${"quarterly-figures-".repeat(6)}`;
        return `the-first-report-${middle}-${end}.txt`;
      }),
    );
    const folders = ["east", "west"].map((each) => join(alike, "deep".repeat(12), each, "same"));
    for (const folder of folders) {
      mkdirSync(join(folder, "deep".repeat(30)), { recursive: true });
      for (const name of names) writeFileSync(join(folder, "deep".repeat(30), name), "");
    }
    const { out } = await run(["files", alike, "--criteria", '[["url","contains","/"]]']);
    const rows = out.trimEnd().split("\n").slice(1, -1);
    const cells = rows.map((row) => row.split(/ {2,}/));
    expect(rows).toHaveLength(12);
    expect(new Set(cells.map((row) => row[1])).size).toBe(names.length);
    for (const [, name] of cells)
      expect(name).toMatch(/^the-first-report-\S*…\S*(?:report|summary)\.txt$/);
    expect(new Set(cells.map((row) => row.at(-1))).size).toBe(rows.length);
    for (const row of cells) expect(row.at(-1)).toMatch(/^file:\S*….*\.txt$/);
  });
});

describe("contacts", () => {
  test("--json prints what getBatchContacts returns", async () => {
    const service = createService({ batches: [batch] });
    const plain = await run(["contacts", batchFile, "--json"]);
    expect(plain).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(plain.out)).toEqual(service.getBatchContacts(1234));
    const options = [
      "--sort-by",
      "contact_email",
      "--order",
      "ASC",
      "--limit",
      "1",
      "--offset",
      "1",
    ];
    expect(JSON.parse((await run(["contacts", batchFile, "--json", ...options])).out)).toEqual(
      service.getBatchContacts(1234, null, 1, 1, "contact_email", "ASC"),
    );
  });

  test("searches by a List Field, and has a column for the List", async () => {
    const criteria = '[["First Name","contains","Eve"],"OR",["Email","exactly","c"]]';
    const { code, out } = await run(["contacts", batchFile, "--criteria", criteria]);
    expect(code).toBe(0);
    expect(out).toMatch(/^List +send_id +contact_email/);
    expect(out).toMatch(/^3 +3 +c@example\.com/m);
    expect(out).toMatch(/^7 +2 +a@example\.com/m);
    expect(out).toMatch(/\n2 of 2 matching Contacts, 3 in all\n$/);
  });
});

describe("a Batch, wherever it comes from", () => {
  const expected = async () => (await run(["contacts", batchFile])).out;

  test("standard input is -, from a pipe or a file", async () => {
    const input = JSON.stringify(batch);
    expect(await run(["contacts", "-"], { input })).toEqual({
      code: 0,
      out: await expected(),
      err: "",
    });
    const shell = (command: string) =>
      spawnSync("sh", ["-c", command], { cwd: place, encoding: "utf8", env: environment });
    expect(shell("tercet contacts - < batch.json").stdout).toBe(await expected());
    expect(shell("cat batch.json | tercet contacts /dev/stdin").stdout).toBe(await expected());
    expect(await run(["contacts", "-"], { input: "{" })).toEqual({
      code: 2,
      out: "",
      err: "tercet: standard input: is not JSON: unexpected end at byte 1\n",
    });
    expect((await run(["rpc", "--batch", "-"], { input })).err).toBe(
      "tercet: standard input holds the requests; give --files and --batch a file\n",
    );
  });

  test("gzip is recognised by its bytes, not by the name", async () => {
    const packed = join(place, "packed.json");
    writeFileSync(packed, gzipSync(JSON.stringify(batch)));
    expect(await run(["contacts", packed])).toEqual({ code: 0, out: await expected(), err: "" });
    expect((await run(["contacts", "-"], { input: readFileSync(packed) })).out).toBe(
      await expected(),
    );
    const request = '{"id":1,"method":"getBatchContacts","params":["key",1234]}';
    expect((await run(["rpc", "--batch", packed], { input: request })).out).toContain(
      "c@example.com",
    );
    writeFileSync(packed, readFileSync(packed).subarray(0, 80));
    await expectRefusal(["contacts", packed], `${packed}: is damaged gzip: unexpected end of data`);
  });

  test("millions of elements that are not Contacts are refused in little memory", () => {
    const bomb = join(place, "bomb.json.gz");
    const [start, zeros, end] = [
      '{"id":5,"lists":[{"id":8,"contacts":[0',
      ",0".repeat(500_000),
      "]}]}",
    ];
    const members = [start, ...Array.from({ length: 12 }, () => zeros), end];
    writeFileSync(bomb, Buffer.concat(members.map((member) => gzipSync(member))));
    const options = ["--max-old-space-size=48", bundle, "contacts", bomb];
    const { status, stderr } = spawnSync(process.execPath, options, { encoding: "utf8" });
    expect(stderr).toBe(`tercet: ${bomb}: lists[0].contacts[0]: must be an object, not 0\n`);
    expect(status).toBe(2);
  });

  test("it leaves nothing behind in the folder for temporary files", () => {
    const temporary = mkdtempSync(join(place, "temporary-"));
    const { status } = spawnSync(process.execPath, [bundle, "contacts", "-"], {
      input: JSON.stringify(batch),
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(status).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    rmSync(temporary, { recursive: true });
    const { stderr } = spawnSync(process.execPath, [bundle, "contacts", "-"], {
      encoding: "utf8",
      input: JSON.stringify(batch),
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(stderr).toBe(
      `tercet: standard input: can't be stored in ${temporary}: no such file or directory\n`,
    );
  });
});

describe("what query asks of a table", () => {
  const folder = join(place, "asked");
  beforeAll(() => {
    mkdirSync(folder);
    for (const name of ["a.txt", "b.txt", "c.md"]) {
      writeFileSync(join(folder, name), name.repeat(name.charCodeAt(0) - 96));
    }
  });

  test("is asked of Files, too", async () => {
    const where = [
      "--where",
      "extension",
      "exactly",
      ".md",
      "--or",
      "--where",
      "size",
      "in",
      "5,6",
    ];
    expect((await filesIn(folder, ...where)).map(({ name }) => name)).toEqual(["a.txt", "c.md"]);
    expect((await run(["files", folder, "--count", ...where])).out).toBe("2\n");
    expect((await run(["files", folder, "--count-by", "extension"])).out).toBe(
      "value  count\n.txt   2\n.md    1\n2 values of extension\n",
    );
    expect((await run(["files", folder, "--summary", "size"])).out).toMatch(/\n3 .* 27 /);
    await expectRefusal(
      ["files", folder, "--where", "size", "at_least", "5"],
      /tercet: --where size at_least 5: unknown operator "at_least"; use "exactly", .* or "in"\n$/,
    );
    await expectRefusal(["files", folder, "--histogram", "name"], /--histogram: must be an int/);
  });

  test("is asked of Contacts, too, with their List Fields", async () => {
    const asked = async (...words: string[]) => (await run(["contacts", batchFile, ...words])).out;
    expect(await asked("--count", "--where", "First Name", "contains", "Eve")).toBe("1\n");
    expect(await asked("--count-by", "Email", "--json")).toBe(
      '[\n{"value":null,"count":2},\n{"value":"c","count":1}\n]\n',
    );
    expect(await asked("--histogram", "open_count", "--bins", "3")).toMatch(/^from +to +count\n0 /);
  });
});

test("--explain prints the plan that answers the query, with its actual rows, as text or JSON", async () => {
  const options = [
    "--criteria",
    '[["contact_email","ends_with","example.com"]]',
    "--sort-by",
    "send_id",
  ];
  const { code, out } = await run(["contacts", batchFile, ...options, "--explain"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^page: 100 rows at offset 0.* for 3 rows\n {2}sort by send_id DESC/);
  expect(out).toContain('contact_email ends_with "example.com"');
  expect(out).toContain("index scan of send_id — about 3 rows, actually 3");

  const json = await run(["files", tree, "--limit", "1", "--explain", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ limit: 1, actualRows: 1, access: { path: "scan" } });
});

test.each([
  ["count: ", ["--count"]],
  [
    "groups by bytes DESC, the first 2: ",
    [
      "--group-by",
      "extension",
      "--measure",
      "bytes=sum:size",
      "--sort-by",
      "bytes",
      "--limit",
      "2",
    ],
  ],
  ["groups: ", ["--count-by", "extension", "--prefix", "1", "--summarize", "size"]],
  ["groups: ", ["--histogram", "size"]],
  ["groups: ", ["--summary", "size", "--criteria", "[]"]],
])("--explain: %s", async (begin, options) => {
  const { code, out } = await run(["files", tree, ...options, "--explain"]);
  expect([code, out.slice(0, begin.length)]).toEqual([0, begin]);
  const json = await run(["files", tree, ...options, "--explain", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ changes: [] });
});

describe("generate", () => {
  test("files are the same for the same seed, and loadable", async () => {
    const one = await run(["generate", "files", "--count", "3000", "--seed", "5"]);
    expect(one).toMatchObject({ code: 0, err: "" });
    expect((await run(["generate", "files", "--count", "3000", "--seed", "5"])).out).toBe(one.out);
    expect((await run(["generate", "files", "--count", "3000", "--seed", "6"])).out).not.toBe(
      one.out,
    );
    const files = JSON.parse(one.out) as FileInput[];
    expect(createService({ files }).searchFiles()).toHaveLength(3000);
    expect((await run(["generate", "files", "--count", "0"])).out).toBe("[]\n");
  });

  test("a Batch is loadable, with its Lists", async () => {
    const generated = await run([
      "generate",
      "batch",
      "--count",
      "500",
      "--lists",
      "3",
      "--seed",
      "2",
    ]);
    expect(generated).toMatchObject({ code: 0, err: "" });
    const made = JSON.parse(generated.out) as BatchInput;
    const id = String(made.id);
    const lists = createService({ batches: [made] }).getBatchContacts(id);
    expect(Object.keys(lists)).toHaveLength(3);
    expect(Object.values(lists).flat()).toHaveLength(500);
  });
});

describe("bad usage and bad input: exit code 2 and one line", () => {
  test.each([
    [[], "no command given"],
    [["generate"], "no command given"],
    [["nonsense"], "unknown command 'nonsense'"],
    [["files"], "missing required argument 'DIR|FILE'"],
    [["files", ".", "extra"], "too many arguments"],
    [["files", ".", "--jsn"], "unknown option '--jsn'"],
    [["files", ".", "--limit"], "argument missing"],
    [["files", "/no/such/place"], "/no/such/place: no such file or directory"],
    [["files", "package.json"], 'package.json: [0]: has the unknown field "version"'],
    [["files", ".", "--criteria", "[["], "--criteria: is not JSON"],
    [["files", ".", "--criteria", "[[\u001b"], "--criteria: is not JSON"],
    [["files", ".", "--criteria", "{}"], "tercet: --criteria: must be an array"],
    [
      ["files", ".", "--criteria", '[["a","exactly",1]]'],
      'tercet: --criteria[0]: unknown field "a"',
    ],
    [["files", ".", "--limit", "1.5"], "tercet: --limit: must be a non-negative"],
    [["files", ".", "--offset", "-1"], "tercet: --offset: must be a non-negative"],
    [["files", ".", "--sort-by", "__proto__"], 'tercet: --sort-by: unknown field "__proto__"'],
    [["files", ".", "--order", "up"], 'tercet: --order: must be "ASC" or "DESC"'],
    [["contacts", "/no/such.json"], "/no/such.json: no such file or directory"],
    [["contacts", "src"], "src: is a directory"],
    [["contacts", "README.md"], /README\.md: (is not JSON|no such file)/],
    [["generate", "files"], "required option '--count <N>' not specified"],
    [["generate", "files", "--count", "-1"], "It must not be negative"],
    [["generate", "files", "--count", "many"], "It must be an integer"],
    [["generate", "files", "--count", "1", "--lists", "2"], "unknown option '--lists'"],
    [["generate", "batch", "--count", "1", "--lists", "0"], "tercet: --lists: must be a positive"],
    [["files", ""], "'DIR|FILE'. It must not be empty"],
    [["contacts", ""], "'BATCH.json|FILE|DIR'. It must not be empty"],
    [["rpc", "--files", ""], "It must not be empty"],
    [["rpc", "--batch", ""], "It must not be empty"],
    [["rpc", "--files", "/no/such"], "/no/such: no such file or directory"],
  ])("tercet %j", async (parameters, message) => {
    await expectRefusal(parameters, message);
  });

  test("an error names the file and the place of a bad record", async () => {
    const bad = join(place, "bad.json");
    const write = (content: unknown) => writeFileSync(bad, JSON.stringify(content));
    write({ id: 1, lists: [{ id: 1, contacts: [{ send_id: 1 }] }] });
    await expectRefusal(
      ["contacts", bad],
      `tercet: ${bad}: lists[0].contacts[0].contact_id: is missing\n`,
    );
    await expectRefusal(
      ["rpc", "--batch", batchFile, "--batch", bad],
      `${bad}: lists[0].contacts[0]`,
    );
    await expectRefusal(
      ["rpc", "--batch", batchFile, "--batch", batchFile],
      "Batch 1234 occurs twice",
    );
    write([]);
    await expectRefusal(["contacts", bad], `${bad}: must be an object`);
    write([
      { id: 1, folder_id: 1, name: "a" },
      { id: 2, folder_id: 1, name: "b", size: 0.5 },
    ]);
    await expectRefusal(["rpc", "--files", bad], `${bad}: [1].size: must be an integer`);
    write({});
    await expectRefusal(["rpc", "--files", bad], `${bad}: [0].id: is missing`);
    writeFileSync(bad, Buffer.from([0x22, 0xff, 0x22]));
    await expectRefusal(["contacts", bad], `${bad}: is not UTF-8 at byte 1\n`);
  });
});

test("leaves quietly when the reader of stdout has seen enough", () => {
  const command = `"${process.execPath}" "${bundle}" generate files --count 200000; echo "code $?" >&2`;
  const { stdout, stderr } = spawnSync("sh", ["-c", `{ ${command}; } | head -n 1`], {
    encoding: "utf8",
  });
  expect(stdout).toBe("[\n");
  expect(stderr).toBe("code 0\n");
});

describe("the page", () => {
  test("never overwrites data, nor any file without --force", async () => {
    const data = join(place, "mydata.csv");
    writeFileSync(data, "id,folder_id,name\n");
    for (const force of [[], ["--force"]]) {
      await expectRefusal(
        ["playground", data, ...force],
        `tercet: ${data}: the name of the page must end in .html; drop your data onto it in a browser\n`,
      );
    }
    expect(readFileSync(data, "utf8")).toBe("id,folder_id,name\n");
    const page = join(place, "mine.html");
    writeFileSync(page, "mine");
    await expectRefusal(["playground", page], `${page}: already exists; --force replaces it\n`);
    expect(readFileSync(page, "utf8")).toBe("mine");
  });
});

test("a file read through standard input, or written through standard output, is protected, too", () => {
  const file = join(place, "both.json");
  const content = JSON.stringify([{ id: 1, folder_id: 1, name: "a" }]);
  const shell = (command: string) =>
    spawnSync("sh", ["-c", command], { cwd: place, encoding: "utf8", env: environment });
  for (const [command, name] of [
    ["tercet export - --files --to both.json --force < both.json", "both.json"],
    ["tercet export both.json --files --format ndjson >> both.json", "standard output"],
  ] as const) {
    writeFileSync(file, content);
    const { status, stderr } = shell(command);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `tercet: ${name}: is a source of this command and can't be overwritten\n`,
    });
    expect(readFileSync(file, "utf8")).toBe(content);
  }
});

describe("sql", () => {
  const sql = async (...parameters: string[]) => await run(["sql", ...parameters]);

  test("prints what the service would send, and its parameters as JSON", async () => {
    const { code, out, err } = await sql(
      ...["--dialect", "postgres", "--criteria", '[["name","contains","a\'b"]]'],
      ...["--sort-by", "size", "--limit", "10", "--offset", "5"],
    );
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [text, parameters] = out.split("\n");
    expect(text).toMatch(
      /^SELECT .* FROM "tercet_files" WHERE strpos\("name", \$1::text\) > 0 ORDER BY "size" DESC NULLS LAST, "position" LIMIT 10 OFFSET 5$/,
    );
    expect(JSON.parse(parameters ?? "")).toEqual(["a'b"]);
  });

  test("prints the statement for the Contacts of a Batch, with its List Fields", async () => {
    const { out } = await sql(
      ...["--dialect", "sqlite", "--batch", "7", "--list-field", "Age=int", "--sort-by", "Age"],
      ...["--order", "asc"],
    );
    expect(out).toMatch(/ ORDER BY .* ASC/);
    expect(out).toContain('FROM "tercet_contacts" WHERE `batch_id` = ? ORDER BY CAST(json_extract');
    expect(out).toMatch(/\n\[7,7\]\n$/);
  });

  test("tables prints statements that an engine accepts", async () => {
    const { out } = await sql(
      ...["tables", "--dialect", "sqlite", "--files-index", "size", "--contacts-index", "send_id"],
    );
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run(out);
    const [names] = database.exec("SELECT name FROM sqlite_schema WHERE sql IS NOT NULL");
    expect(names?.values.flat()).toEqual([
      "tercet_files",
      "tercet_contacts",
      "tercet_lists",
      "tercet_state",
      "tercet_files_size",
      "tercet_files_id",
      "tercet_contacts_send_id",
    ]);
    database.close();
  });

  test.each([
    [[], "--dialect: must name an engine"],
    [["--dialect", "oracle"], 'options.dialect: must be "postgres"'],
    [["tables"], "--dialect: must name an engine"],
    [
      ["tables", "--dialect", "sqlite", "--files-index", "sise"],
      "options.indexes.files[0]: must be",
    ],
    [["--dialect", "sqlite", "--criteria", "[1]"], "criteria[0]: must be"],
    [
      ["--dialect", "sqlite", "--limit", "0"],
      "--limit: must be at least 1, since 0 selects no rows",
    ],
    [["--dialect", "sqlite", "--list-field", "A"], "--list-field: needs --batch"],
    [["--dialect", "sqlite", "--batch", "x"], "batch_id: must be an integer"],
  ])("%j is refused", async (parameters, message) => {
    const { code, out, err } = await sql(...parameters);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`tercet: ${message}`);
  });
});
