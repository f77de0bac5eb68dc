// Computed columns: expressions against a reference that walks trees record by record, on data built to break them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Session } from "../../src/playground/engine/session.ts";
import { quotedName } from "../../src/playground/expression-names.ts";
import type { Computed, FieldInfo } from "../../src/playground/messages.ts";
import { asShell, asSql, asTypeScript } from "../../src/playground/requests.ts";
import { settings } from "../property.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

type Value = string | number | boolean | null;
type Members = Readonly<Record<string, Value>>;

const TEXTS = [null, "", "a", "A", "ab", "\u{10000}", "\uffff", "ß", "null", "0"];
const NUMBERS = [null, 0, -1, 2, 7, 1000, 2 ** 52, -(2 ** 53) + 1];
const FRACTIONS = [null, 0.1, -2.5, 1.005, 1e308, 1e-300, 12.345];
const DAY = 86_400_000;
const FIRST = Date.UTC(2024, 1, 28);

/** A day, as a table has it. */
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const records: readonly Members[] = Array.from({ length: 90 }, (_, i) => ({
  n: NUMBERS[i % 8] ?? null,
  "unit price": NUMBERS[(i * 5 + 2) % 7] ?? null,
  x: FRACTIONS[(i * 3) % 7] ?? null,
  "0": FRACTIONS[(i * 2 + 1) % 5] ?? null,
  s: TEXTS[(i * 7) % 10] ?? null,
  or: TEXTS[(i * 3 + 1) % 9] ?? null,
  b: [true, false, null][i % 3] ?? null,
  c: [true, null, false, true][i % 4] ?? null,
  t: i % 5 === 4 ? null : dayOf(FIRST + (i % 7) * DAY),
  u: i % 6 === 5 ? null : dayOf(FIRST + (i % 4) * DAY),
}));
const NAMES = Object.keys(records[0] ?? {});
const file = new ReadFile(
  Buffer.from(records.map((record) => JSON.stringify(record)).join("\n")),
  "a.ndjson",
);

async function opened(computed: readonly Computed[] = []) {
  const session = new Session(() => undefined);
  await session.load({ file, name: "a.ndjson" }, "auto", { types: [], text: {} });
  return { session, ...(await session.compute(computed)) };
}

const all = { criteria: [], sort: [] };

/** The values of a column for all records, in an order. */
const valuesIn = (session: Session, sort: readonly (readonly [string, "ASC" | "DESC"])[] = []) =>
  session.rows({ criteria: [], sort }, 0, 1000).rows.map((row) => row.at(-1));

/** How strongly the text of an expression binds, and what it is for a record. */
interface Expression {
  readonly text: string;
  readonly strength: number;
  readonly isInteger?: boolean;
  readonly of: (record: Members) => Value;
}

const ALONE = 9;

const within = ({ text, strength }: Expression, least: number) =>
  strength < least ? `(${text})` : text;
const finite = (value: Value) =>
  typeof value === "number" && !Number.isFinite(value) ? null : value;
const constant = (text: string, value: Value, isInteger = false): Expression => ({
  ...{ text, strength: ALONE, isInteger },
  of: () => value,
});

/** A sign between two values that are not null. */
const binary =
  (sign: string, strength: number, run: (a: never, b: never) => Value, isInteger = false) =>
  (a: Expression, b: Expression): Expression => ({
    text: `${within(a, strength)} ${sign} ${within(b, strength + 1)}`,
    strength,
    isInteger: isInteger && a.isInteger === true && b.isInteger === true,
    of: (record) => {
      const [left, right] = [a.of(record), b.of(record)];
      return left === null || right === null ? null : finite(run(left as never, right as never));
    },
  });

/** A function of values that are not null. */
const called =
  (name: string, run: (...values: never[]) => Value, isInteger?: boolean) =>
  (...parts: Expression[]): Expression => ({
    text: `${name}(${parts.map(({ text }) => text).join(", ")})`,
    strength: ALONE,
    isInteger: isInteger ?? parts.every((part) => part.isInteger === true),
    of: (record) => {
      const values = parts.map((part) => part.of(record));
      return values.includes(null) ? null : finite(run(...(values as never[])));
    },
  });

const column = (name: string, isInteger = false): Expression => ({
  ...{ text: quotedName(name), strength: ALONE, isInteger },
  of: (record) => record[name] ?? null,
});
const time = (name: string): Expression => ({
  ...{ text: name, strength: ALONE },
  of: (record) => (record[name] === null ? null : Date.parse(String(record[name]))),
});

const bytesOf = (value: Value) => Buffer.from(String(value));
const ordered = (a: Value, b: Value) =>
  typeof a === "string" ? Buffer.compare(bytesOf(a), bytesOf(b)) : Number(a) - Number(b);
const extreme = (sign: number) => (first: Value, second: Value) =>
  sign * ordered(first, second) > 0 ? second : first;

/** By its first 15 digits, in integers. */
function rounded(number: number, digits: number): number {
  const size = Math.abs(number);
  const scale = 10 ** digits;
  // A fraction of such a number has no digit among these.
  if (size * scale >= 1e15) return digits > 0 ? number : Math.sign(number) * Math.round(size);
  const [first = "", exponent = ""] = size.toExponential(14).split("e");
  const shift = Number(exponent) - 14 + digits;
  const all = BigInt(first.replace(".", ""));
  const unit = 10n ** BigInt(Math.abs(shift));
  const whole = shift >= 0 ? all * unit : (2n * all + unit) / (2n * unit);
  return (Math.sign(number) * Number(whole)) / scale + 0;
}

const {
  number,
  condition,
  text: texts,
  date,
} = fc.letrec<{
  number: Expression;
  condition: Expression;
  text: Expression;
  date: Expression;
}>((tie) => {
  const [one, is, text, day] = [tie("number"), tie("condition"), tie("text"), tie("date")];
  const pairs = (part: fc.Arbitrary<Expression>, ...made: ReturnType<typeof binary>[]) =>
    fc.tuple(fc.constantFrom(...made), part, part).map(([make, a, b]) => make(a, b));
  const comparisons = [
    binary("=", 4, (a, b) => a === b),
    binary("!=", 4, (a, b) => a !== b),
    binary("<", 4, (a, b) => ordered(a, b) < 0),
    binary("<=", 4, (a, b) => ordered(a, b) <= 0),
    binary(">", 4, (a, b) => ordered(a, b) > 0),
    binary(">=", 4, (a, b) => ordered(a, b) >= 0),
  ];
  const chosen = (part: fc.Arbitrary<Expression>) =>
    fc.tuple(is, part, part).map(([condition, a, b]): Expression => ({
      text: `if(${condition.text}, ${a.text}, ${b.text})`,
      strength: ALONE,
      isInteger: a.isInteger === true && b.isInteger === true,
      of: (record) => {
        const value = condition.of(record);
        return value === null ? null : (value === true ? a : b).of(record);
      },
    }));
  const known = (part: fc.Arbitrary<Expression>) =>
    fc.tuple(part, part).map(([a, b]): Expression => ({
      text: `coalesce(${a.text}, ${b.text})`,
      strength: ALONE,
      isInteger: a.isInteger === true && b.isInteger === true,
      of: (record) => a.of(record) ?? b.of(record),
    }));
  const extremes = (part: fc.Arbitrary<Expression>) =>
    fc
      .tuple(fc.constantFrom(called("min", extreme(1)), called("max", extreme(-1))), part, part)
      .map(([make, a, b]) => make(a, b));
  const numbers: fc.Arbitrary<Expression> = fc.oneof(
    { maxDepth: 4, depthIdentifier: "expression" },
    fc.constantFrom(column("n", true), column("unit price", true), column("x"), column("0")),
    fc.constantFrom(constant("3", 3, true), constant(".5", 0.5), constant("1e2", 100, true)),
    fc
      .uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
      .map((names): Expression => ({
        ...{ text: `missing(${names.map(quotedName).join()})`, strength: ALONE, isInteger: true },
        of: (record) => names.filter((name) => record[name] === null).length,
      })),
    fc.tuple(fc.nat(9), fc.nat(9)).map((ends): Expression => {
      const [from, to] = ends.sort((a, b) => a - b);
      const names = NAMES.slice(from, to + 1);
      return {
        ...{ strength: ALONE, isInteger: true },
        text: `missing(${quotedName(names[0] ?? "")}:${quotedName(names.at(-1) ?? "")})`,
        of: (record) => names.filter((name) => record[name] === null).length,
      };
    }),
    pairs(
      one,
      binary("+", 6, (a: number, b: number) => a + b + 0, true),
      binary("-", 6, (a: number, b: number) => a - b + 0, true),
      binary("*", 7, (a: number, b: number) => a * b + 0, true),
      binary("/", 7, (a: number, b: number) => a / b + 0),
      binary("%", 7, (a: number, b: number) => (a % b) + 0, true),
    ),
    one.map((part) => ({ ...called("", (a: number) => 0 - a)(part), text: `-${within(part, 9)}` })),
    one.map(called("abs", (a: number) => Math.abs(a))),
    one.map((part) => called("round", (a: number) => rounded(a, 0), true)(part)),
    one.map((part) => ({
      ...called("round", (a: number) => rounded(a, 2), false)(part),
      text: `round(${part.text}, 2)`,
    })),
    text.map((part) => called("length", (a: string) => Array.from(a).length, true)(part)),
    fc
      .tuple(day, day)
      .map((parts) => called("days", (a: number, b: number) => (b - a) / DAY, false)(...parts)),
    ...[chosen(one), known(one), extremes(one)],
  );
  return {
    number: numbers,
    condition: fc.oneof(
      { maxDepth: 4, depthIdentifier: "expression" },
      fc.constantFrom(column("b"), column("c"), constant("TRUE", true), constant("null", null)),
      ...[one, text, day].map((part) => pairs(part, ...comparisons)),
      fc.tuple(is, is).map(([a, b]): Expression => ({
        ...{ text: `${within(a, 2)} and ${within(b, 3)}`, strength: 2 },
        of: (record) => {
          const both = [a.of(record), b.of(record)];
          return both.includes(false) ? false : both.includes(null) ? null : true;
        },
      })),
      fc.tuple(is, is).map(([a, b]): Expression => ({
        ...{ text: `${within(a, 1)} or ${within(b, 2)}`, strength: 1 },
        of: (record) => {
          const both = [a.of(record), b.of(record)];
          return both.includes(true) ? true : both.includes(null) ? null : false;
        },
      })),
      is.map((part): Expression => ({
        ...{ text: `not ${within(part, 3)}`, strength: 3 },
        of: (record) => {
          const value = part.of(record);
          return value === null ? null : value !== true;
        },
      })),
    ),
    text: fc.oneof(
      { maxDepth: 4, depthIdentifier: "expression" },
      fc.constantFrom(column("s"), column("or"), constant("'it''s'", "it's"), constant("''", "")),
      pairs(
        text,
        binary("&", 5, (a: string, b: string) => a + b),
      ),
      text.map(called("lower", (a: string) => a.toLowerCase())),
      text.map(called("upper", (a: string) => a.toUpperCase())),
      ...[chosen(text), known(text), extremes(text)],
    ),
    date: fc.oneof(
      { maxDepth: 3, depthIdentifier: "expression" },
      fc.constantFrom(time("t"), time("u")),
      ...[chosen(day), known(day), extremes(day)],
    ),
  };
});

const expression = fc.oneof(number, condition, texts, date);

/** What a column is for a record: an integer that is too large is null. */
const expectedOf = ({ of, isInteger }: Expression, record: Members): Value => {
  const value = of(record);
  const isExact = isInteger !== true || value === null || Number.isSafeInteger(value);
  return isExact ? (typeof value === "number" ? value + 0 : value) : null;
};

const isAlwaysNull = ({ text }: Expression) => !/[a-z"]/i.test(text.replace(/null/gi, ""));

describe("a computed column", () => {
  test("has the value of its expression for each record, in any order", async () => {
    const { session } = await opened();
    await fc.assert(
      fc.asyncProperty(expression, async (made) => {
        fc.pre(!isAlwaysNull(made));
        const { problems } = await session.compute([{ name: "v", expression: made.text }]);
        if (problems[0]?.[1].includes("always null") === true) return;
        expect(problems).toEqual([]);
        const expected = records.map((record) => expectedOf(made, record));
        expect(valuesIn(session)).toEqual(expected);
        // By the column, which is computed of others, rather than by records.
        const sorted = valuesIn(session, [["v", "ASC"]]);
        const nulls = expected.filter((value) => value === null).length;
        const known = expected.filter((value) => value !== null);
        expect(sorted).toEqual([...Array<null>(nulls).fill(null), ...known.sort(ordered)]);
        expect(session.count([["v", "exactly", null]]).matching).toBe(nulls);
      }),
      settings(400),
    );
  });

  test("the code that is shown computes the same", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tercet-computed-"));
    const made = fc.sample(expression, settings(60)).filter((each) => !isAlwaysNull(each));
    let run = 0;
    for (let at = 0; at < made.length; at += 20) {
      const some = made.slice(at, at + 20).map((each, i) => ({ ...each, name: `v${i}` }));
      const computed = some.map(({ name, text }) => ({ name, expression: text }));
      const { fields, session } = await opened(computed);
      const known = some.filter(({ name }) => fields.some((each) => each.name === name));
      const { read } = await session.load({ file, name: "a.ndjson" }, "auto", {
        ...{ types: [], text: {} },
      });
      const path = join(folder, "a.ndjson");
      writeFileSync(path, file.content);
      const subject = { kind: undefined, batchId: undefined, read, file: path, fields };
      const text = asTypeScript(subject, all).replace(
        "query({",
        `query({ select: ${JSON.stringify(known.map(({ name }) => name))},`,
      );
      const script = join(folder, `s${at}.ts`);
      writeFileSync(script, `${text}\nexport default found;\n`);
      const outfile = join(folder, `s${at}.mjs`);
      const alias = {
        tercet: resolve("src/index.ts"),
        "tercet/import": resolve("src/import/index.ts"),
      };
      buildSync({
        ...{ entryPoints: [script], outfile, alias },
        ...{ bundle: true, format: "esm", platform: "node", packages: "bundle" },
      });
      const { default: found } = (await import(pathToFileURL(outfile).href)) as {
        default: readonly Members[];
      };
      for (const each of known) {
        run++;
        expect(
          found.map((record) => record[each.name]),
          each.text,
        ).toEqual(records.map((record) => expectedOf(each, record)));
      }
    }
    expect(run).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  });

  test("is computed again where a record is changed, and follows what is undone", async () => {
    const { session } = await opened([
      { name: "twice", expression: "2 * n" },
      { name: "large", expression: "twice > 10" },
    ]);
    const first = [["unit price", "exactly", 2]];
    const before = session.count([["large", "exactly", true]]).matching;
    const [row = []] = session.rows({ ...all, criteria: first }, 0, 1).rows;
    const place = { asked: { ...all, criteria: first }, position: 0, row };
    session.change({ kind: "set", place, field: "n", value: 100 });
    expect(session.rows({ ...all, criteria: first }, 0, 1).rows[0]?.slice(-2)).toEqual([200, true]);
    expect(session.count([["large", "exactly", true]]).matching).toBe(before + 1);
    session.change({ kind: "undo" });
    expect(session.rows({ ...all, criteria: first }, 0, 1).rows[0]).toEqual(row);
  });

  test("selects the records that are changed", async () => {
    const { session } = await opened([{ name: "twice", expression: "2 * n" }]);
    const criteria = [["twice", "exactly", 14], "OR", ["n", "exactly", 1000]];
    const { matching } = session.count(criteria);
    expect(matching).toBeGreaterThan(5);
    session.change({ kind: "set", criteria, field: "n", value: 8 });
    expect(session.count([["twice", "exactly", 16]]).matching).toBe(matching);
    expect(session.count(criteria).matching).toBe(0);
    session.change({ kind: "remove", criteria: [["twice", "exactly", 16]] });
    expect(session.count([]).matching).toBe(records.length - matching);
    session.change({ kind: "undo" });
    session.change({ kind: "undo" });
    expect(session.count(criteria).matching).toBe(matching);
    expect(valuesIn(session)).toEqual(
      records.map(({ n }) =>
        expectedOf(column("n", true), { n: n === null ? null : 2 * Number(n) }),
      ),
    );
  });

  test("keeps its values where one more is added, and is shown as what it is", async () => {
    const { session, fields } = await opened([
      { name: "later", expression: "max(t, '2024-02-29')" },
      { name: "length of s", expression: "length(s)" },
      { name: "is", expression: "later > t" },
    ]);
    const shown = (name: string) => fields.find((each) => each.name === name);
    expect(shown("later")).toMatchObject({ type: "int", unit: "milliseconds", nullable: true });
    expect(shown("later")?.form).toEqual(shown("t")?.form);
    expect(shown("length of s")).toMatchObject({ type: "int", isMeasure: true });
    expect(shown("is")).toMatchObject({ type: "boolean" });
    expect(session.rows(all, 0, 1).rows[0]?.slice(-3)).toEqual([FIRST + DAY, null, true]);
    const { facets } = await session.compute([
      { name: "later", expression: "max(t, '2024-02-29')" },
    ]);
    expect(facets.some(({ field }) => field === "later")).toBe(true);
    expect(session.rows(all, 0, 1).rows[0]).toHaveLength(NAMES.length + 1);
    expect((await session.compute([])).fields).toHaveLength(NAMES.length);
    expect(session.rows(all, 0, 1).rows[0]).toHaveLength(NAMES.length);
  });

  test("is in the files that are saved", async () => {
    const { session } = await opened([
      { name: "twice", expression: "2 * n" },
      { name: "next", expression: "max(t, '2024-02-29')" },
    ]);
    const asked = { criteria: [["twice", "exactly", 14]], sort: [] };
    const expected = session.count(asked.criteria).matching;
    for (const format of ["csv", "ndjson", "json", "arrow", "parquet"] as const) {
      const saved = session.save(asked, format);
      const name = `b.${format}`;
      const again = new Session(() => undefined);
      const content = Buffer.from(await saved.arrayBuffer());
      await again.load({ file: new ReadFile(content, name), name }, "auto", {
        ...{ types: [], text: {} },
      });
      const { rows } = again.rows(all, 0, 100);
      expect(rows).toHaveLength(expected);
      expect(rows.map((row) => row.slice(-2))).toEqual(
        session.rows(asked, 0, 100).rows.map((row) => row.slice(-2)),
      );
    }
  });

  test("is said to be needed where code can't have it", async () => {
    const { session, fields } = await opened([{ name: "twice", expression: "2 * n" }]);
    const asked = { criteria: [["twice", "exactly", 14]], sort: [] };
    expect(asSql(session.sql(asked, undefined, "duckdb", "a"))).toContain(
      'The table needs the column "twice": 2 * n.',
    );
    const subject = { kind: undefined, batchId: undefined, read: undefined, file: "a.csv", fields };
    expect(asShell(subject, asked).split("\n")[0]).toContain("The command computes no columns");
  });
});

describe("an expression", () => {
  const reasonFor = async (expression: string) => {
    const { session } = await opened();
    const { problems } = await session.compute([{ name: "v", expression }]);
    return problems[0]?.[1];
  };

  test.each([
    ["", "character 1: expected a column, a number or a string, not the end"],
    ["n +", "character 4: expected a column, a number or a string, not the end"],
    ["n n", 'character 3: expected the end, not "n"; a sign such as + or = is missing'],
    ["(n", "character 3: expected ) behind what began with (, not the end"],
    ["n)", 'character 2: expected the end, not ")"; remove it, or add ( before'],
    ["n + 'a", "character 5: this has no end; add ' behind it"],
    ['n + "a', 'character 5: this has no end; add " behind it'],
    [
      "n ? 1",
      'character 3: "?" means nothing here; columns with other names are in double quotes, strings in single ones',
    ],
    ["N", "character 1: there is no column N; did you mean n?"],
    ["unit", 'character 1: there is no column unit; did you mean "unit price"?'],
    [
      "n = paid",
      "character 5: there is no column paid; a string is in single quotes, such as 'paid'",
    ],
    [
      "n + s",
      "character 3: + takes two numbers, not a number and a string; write & to join strings",
    ],
    [
      "u - t",
      "character 3: - takes two numbers, not a time and a time; write days(from, to) or hours(from, to)",
    ],
    ["n > s", "character 3: > takes two values of one type, not a number and a string"],
    ["n < 1 < 2", "character 7: only two values are compared at once; write a < b and b < c"],
    ["t > 'soon'", `character 5: "soon" is not a time; write '2024-12-31' or '2024-12-31T23:59'`],
    ["not n", "character 1: not takes a condition, not a number"],
    ["round(x, n)", "character 10: round takes a whole number of digits, from -15 to 15"],
    ["round(x, 99)", "character 10: round takes a whole number of digits, from -15 to 15"],
    ["missing()", "character 1: missing takes columns, not nothing"],
    [
      "missing(x:n)",
      "character 9: a range is between two columns of the table, such as q1:q9, the first one first",
    ],
    [
      "missing(1:n)",
      "character 9: a range is between two columns of the table, such as q1:q9, the first one first",
    ],
    ["1e999", "character 1: this number is too large"],
    ["null", "character 1: this is always null; name a column"],
  ])("%j is refused at its place, with a remedy", async (text, reason) => {
    expect(await reasonFor(text)).toBe(reason);
  });

  test("names all functions where one is unknown", async () => {
    expect(await reasonFor("eval(n)")).toMatch(
      /^character 1: there is no function eval; there are .*abs.*missing/,
    );
  });

  test("is bounded, however it is written", async () => {
    const deep = "(".repeat(1000) + "n";
    expect(await reasonFor(deep)).toContain("more than 50 levels are nested");
    expect(await reasonFor("- ".repeat(999) + "n")).toContain("more than 50 levels are nested");
    expect(await reasonFor("n+".repeat(1000))).toContain("the end");
    expect(await reasonFor(`${"n+".repeat(999)}n`)).toBe(undefined);
    expect(await reasonFor("n+".repeat(1001))).toContain("at most 2000 characters");
    expect(await reasonFor(`missing(${"*,".repeat(990)}*)`)).toBe(undefined);
    // Each is many times as large as the one before.
    const doubling = Array.from({ length: 20 }, (_, i) => ({
      name: `v${i}`,
      expression:
        i === 0
          ? "n"
          : Array(500)
              .fill(`v${i - 1}`)
              .join("+"),
    }));
    const { problems } = await opened(doubling);
    expect(problems[0]?.[1]).toContain("this makes too many operations for a record; shorten it");
    const chain = Array.from({ length: 20 }, (_, i) => ({
      name: `v${i}`,
      expression: i === 0 ? "n" : `v${i - 1}${"+1".repeat(900)}`,
    }));
    expect((await opened(chain)).problems[0]?.[1]).toContain("too many operations");
  });

  test("that is refused leaves the others, and so does a name that is taken", async () => {
    const { problems, fields } = await opened([
      { name: "v", expression: "n * 2" },
      { name: "w", expression: "nn * 2" },
      { name: "n", expression: "1 + n" },
      { name: "y", expression: "v + 1" },
    ]);
    expect(problems.map(([name]) => name)).toEqual(["w", "n"]);
    expect(problems[1]?.[1]).toBe("there is already a column n; choose another name");
    const added = fields.filter(({ computed }: FieldInfo) => computed !== undefined);
    expect(added.map(({ name }) => name)).toEqual(["v", "y"]);
  });
});
