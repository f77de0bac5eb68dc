// The request for what the page shows, the ways to provoke each error, and the same request in other
// languages.

import { asText } from "./criteria-list.ts";
import { stemOf } from "./link.ts";
import { TEXT_OPTIONS } from "./messages.ts";
import type { Asked, Conversion, Kind, Loaded, Read, Relation } from "./messages.ts";
import type { SqlText, TextOptions } from "./messages.ts";

/** How many records a request asks for, unless the reader edits it, and how many a test compares. */
export const LIMIT = 3;

/** How many records code asks for: of a table all, as the page shows them; of a method what the request does. */
export const limitOf = ({ kind }: Pick<Subject, "kind">): number | undefined =>
  kind === undefined ? undefined : LIMIT;

/** What is asked about: data that one of the two methods answers from, or the records of a file. */
export interface Subject extends Pick<Loaded, "kind" | "batchId" | "read"> {
  readonly file: string;
  readonly relations?: readonly Relation[];
  readonly fields?: Loaded["fields"];
}

const methodOf = (kind: Kind | undefined) =>
  kind === "contacts" ? "getBatchContacts" : "searchFiles";

/** The parameters behind the api key; those at the end that are not given are left out. */
function parametersOf({ batchId }: Subject, { criteria, sort: [first] }: Asked): unknown[] {
  return [
    ...(batchId === undefined ? [] : [Number(batchId)]),
    criteria,
    LIMIT,
    0,
    ...(first ?? []),
  ];
}

export interface Request {
  readonly id: unknown;
  readonly method: unknown;
  readonly params: readonly unknown[];
}

export function requestFor(subject: Subject, asked: Asked): Request {
  return {
    id: 1,
    method: methodOf(subject.kind),
    params: ["secret", ...parametersOf(subject, asked)],
  };
}

/** A request that gets each error, by its code. */
export const MISTAKES: readonly {
  readonly code: number;
  readonly label: string;
  readonly make: (request: Request, kind: Kind) => unknown;
}[] = [
  { code: 104, label: "an unknown method", make: (request) => ({ ...request, method: "find" }) },
  {
    code: 107,
    label: "a method that is not a name",
    make: (request) => ({ ...request, method: 7 }),
  },
  { code: 300, label: "a wrong api key", make: (request) => withParameter(request, 0, "guess") },
  {
    code: 308,
    label: "a Batch that there is not",
    make: ({ id, params }) => ({
      id,
      method: "getBatchContacts",
      params: [params[0], 404],
    }),
  },
  {
    code: 310,
    label: "a negative limit",
    make: (request, kind) => withParameter(request, kind === "contacts" ? 3 : 2, -1),
  },
  {
    code: 311,
    label: "an unknown operator",
    make: (request, kind) =>
      kind === "contacts"
        ? withParameter(request, 2, [["send_status", "like", "a"]])
        : withParameter(request, 1, [["name", "like", "a"]]),
  },
  {
    code: 100,
    label: "keys that can’t be looked up",
    make: (request) => withParameter(request, 0, "broken"),
  },
];

const withParameter = ({ params, ...request }: Request, at: number, value: unknown): Request => ({
  ...request,
  params: params.with(at, value),
});

/** As JSON, a parameter to a line, and a criterion to a line. */
export function requestText(request: unknown): string {
  const { id, method, params } = Object(request) as Partial<Request>;
  const lines = (params ?? []).map((value) =>
    Array.isArray(value) ? asText(value).replaceAll("\n", "\n    ") : JSON.stringify(value),
  );
  const list = lines.map((line) => `\n    ${line}`).join(",");
  return [
    "{",
    `  "id": ${JSON.stringify(id)},`,
    `  "method": ${JSON.stringify(method)},`,
    `  "params": [${list}\n  ]`,
    "}",
  ].join("\n");
}

export function asTypeScript(subject: Subject, asked: Asked, limit = limitOf(subject)): string {
  const { kind } = subject;
  if (kind === undefined) return queryAsTypeScript(subject, asked, limit);
  const method = methodOf(kind);
  const parameters = parametersOf(subject, asked).map((value) => JSON.stringify(value));
  const data = kind === "contacts" ? "batches: [batch]" : "files";
  return [
    `import { createService } from "tercet";`,
    "",
    `const service = createService({ ${data} });`,
    `const found = service.${method}(`,
    ...parameters.map((value) => `  ${value},`),
    ");",
  ].join("\n");
}

/** A test that the call finds what it finds now: its first records, as JSON. */
export function asTest(subject: Subject, asked: Asked, found: string): string {
  const expected = found.replaceAll("\n", "\n  ");
  return [
    `import { expect, test } from "vitest";`,
    asTypeScript(subject, asked, LIMIT),
    "",
    `test(${JSON.stringify(`finds the same first ${LIMIT} in ${tableOf(subject)}`)}, () => {`,
    `  expect(found).toEqual(${expected});`,
    "});",
  ].join("\n");
}

function queryAsTypeScript(
  { file, read, relations = [], fields = [] }: Subject,
  { criteria, sort }: Asked,
  limit: number | undefined,
): string {
  return [
    `import { readFileSync } from "node:fs";`,
    ...withComputed(loadingOf(file, read), read, fields),
    ...relations.map(
      ({ by, table, key }) =>
        `// ${oneLine(by)}: declare { references: [${oneLine(table)}, ${oneLine(key)}] }, and query a database of both.`,
    ),
    "const found = records.query({",
    `  criteria: ${JSON.stringify(criteria)},`,
    ...(sort.length === 0 ? [] : [`  sort: ${JSON.stringify(sort)},`]),
    ...(limit === undefined ? [] : [`  limit: ${limit},`]),
    "});",
  ].join("\n");
}

/** With fields for the columns that are computed. Its last line loads the records by a schema. */
function withComputed(
  loading: readonly string[],
  read: Read | undefined,
  fields: Loaded["fields"],
): readonly string[] {
  const formulas = fields.flatMap(({ name, type, computed }) =>
    computed === undefined ? [] : [{ name, type, ...computed }],
  );
  const reading = read?.schema === undefined ? [] : ["readSchema"];
  if (formulas.length === 0) return [...importing(reading), ...loading];
  const codes = formulas.map(({ code }) => code ?? "");
  const helpers = Object.entries(HELPERS).flatMap(([name, lines]) =>
    codes.some((code) => code.includes(name)) ? lines : [],
  );
  const types = [...new Set(formulas.map(({ type }) => type))].sort();
  return [
    ...importing(["defineSchema", ...types, ...reading]),
    ...loading.slice(0, -1),
    ...helpers,
    "const computed = defineSchema(schema.fields, {",
    "  computed: {",
    ...formulas.map(({ name, type, expression, code }) =>
      code === undefined
        ? `    // ${oneLine(name)} is ${oneLine(expression)}, with columns of another table, which no field of this one reads.`
        : `    ${JSON.stringify(name)}: ${type}({ nullable: true, compute: (r) => ${code} }),`,
    ),
    "  },",
    "});",
    ...loading
      .slice(-1)
      .map((line) =>
        line.replace("(schema,", "(computed,").replace(/ schema\b/, " schema: computed"),
      ),
  ];
}

const importing = (names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`import { ${names.join(", ")} } from "tercet";`];

/**
 * What the code of expressions calls, by its name: in TypeScript, the functions of `operations.ts`. `any` gives types to
 * the parameters of operations, whose code has none; the page has checked those of the values.
 */
const HELPERS: Readonly<Record<string, readonly string[]>> = {
  of: [
    "const of = (run: (...values: any[]) => any, ...values: unknown[]) => {",
    "  const value = values.includes(null) ? null : run(...values);",
    '  return typeof value === "number" && !Number.isFinite(value) ? null : value;',
    "};",
  ],
  compare: [
    "const compare = (a: any, b: any): number =>",
    '  typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a - b;',
  ],
  round: [
    "const shifted = (number: number, by: number) => {",
    '  const [digits, exponent] = number.toExponential(14).split("e");',
    "  return Number(`${digits}e${Number(exponent) + by}`);",
    "};",
    "const round = (number: number, digits = 0) =>",
    "  Math.abs(number) * 10 ** digits < 1e15",
    "    ? Math.sign(number) * shifted(Math.round(shifted(Math.abs(number), digits)), -digits)",
    "    : digits > 0 ? number : Math.sign(number) * Math.round(Math.abs(number));",
  ],
};

/** In a comment, which ends with its line. */
const oneLine = (name: string): string => JSON.stringify(name).replace(/[\u2028\u2029]/g, " ");

/** How to make a collection of a file, by its name, and by how it was read. */
function loadingOf(file: string, read: Read | undefined): string[] {
  const bytes = `const bytes = readFileSync(${JSON.stringify(file)});`;
  const schema = read?.schema;
  const given = schema === undefined ? "{ schema }" : "{ schema, convert }";
  const typing = schema === undefined ? [] : asCode(schema, read?.conversions ?? []);
  const inferring = schema === undefined ? "inferSchema, " : "";
  if (/\.parquet$/i.test(file)) {
    return [
      `import * as hyparquet from "hyparquet";`,
      `import { ${inferring}loadCollection, readParquet } from "tercet/import";`,
      "",
      bytes,
      ...(schema === undefined
        ? ["const schema = await inferSchema(readParquet(hyparquet, bytes));"]
        : typing),
      `const records = await loadCollection(schema, readParquet(hyparquet, bytes, ${given}));`,
    ];
  }
  if (/\.(?:arrow|ipc|feather|tercet)$/i.test(file)) {
    return [
      `import * as flechette from "@uwdata/flechette";`,
      `import { ${inferring}loadCollection, readArrow } from "tercet/import";`,
      "",
      bytes,
      ...(schema === undefined
        ? ["const schema = inferSchema(readArrow(flechette, bytes));"]
        : typing),
      `const records = loadCollection(schema, readArrow(flechette, bytes, ${given}));`,
    ];
  }
  return [
    `import { ${inferring}loadCollection, readRecords } from "tercet/import";`,
    "",
    bytes,
    `const options = { ${membersOf({ name: file, ...said(read) }).join(", ")} };`,
    ...(schema === undefined
      ? ["const schema = inferSchema(readRecords(bytes, options));"]
      : typing),
    `const records = loadCollection(schema, readRecords(bytes, ${given.replace("{ ", "{ ...options, ")}));`,
  ];
}

/** What has to be said of a text: what was found out of CSV, if it is not usual, and what was chosen. */
function said(read: Read | undefined): object {
  if (read?.text === undefined) return {};
  const { given, found } = read.text;
  const { delimiter = ",", header = true, quote = '"', escape, comment, skipLines } = found;
  const { trim, ragged } = found;
  return {
    ...(delimiter !== "," && { delimiter }),
    ...(!header && { header }),
    ...(quote !== '"' && { quote }),
    ...(escape !== undefined && { escape }),
    ...(comment !== undefined && { comment }),
    ...(skipLines !== undefined && { skipLines }),
    ...(trim !== undefined && { trim }),
    ...(ragged !== undefined && { ragged }),
    ...given,
  };
}

const membersOf = (options: object): string[] =>
  Object.entries(options).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);

const CONVERSIONS: Readonly<Record<Extract<Conversion, string>, string>> = {
  comma: `Number(String(value).replaceAll(".", "").replace(",", "."))`,
  text: `typeof value === "object" ? value && JSON.stringify(value) : String(value)`,
  number: `typeof value === "boolean" ? Number(value) : value`,
  boolean: `/^(1|true|yes)$/i.test(String(value)) || (/^(0|false|no)$/i.test(String(value)) ? false : value)`,
};

/** The schema, and the functions that make of values what it takes. */
function asCode(schema: object, conversions: Read["conversions"]): string[] {
  const functions = conversions.map(([name, conversion]) => {
    const made =
      typeof conversion === "string"
        ? CONVERSIONS[conversion]
        : conversion.separator !== "" && conversion.zone === ""
          ? `Date.parse(String(value) + "Z")`
          : "Date.parse(String(value))";
    return `  ${JSON.stringify(name)}: (value: unknown) => ${made},`;
  });
  return [
    `const schema = readSchema(${JSON.stringify(schema)});`,
    ...(functions.length === 0
      ? ["const convert = {};"]
      : ["const convert = {", ...functions, "};"]),
  ];
}

export function asShell(
  { kind, file, read, fields = [] }: Subject,
  { criteria, sort }: Asked,
): string {
  const source = { contacts: "contacts batch.json", files: "files ." };
  const { schema, conversions = [], text } = read ?? {};
  const isComputed = fields.some(({ computed }) => computed !== undefined);
  const isSaved = conversions.length > 0 || isComputed;
  const ending = isComputed ? "arrow" : "all.arrow";
  const place = isSaved ? `${tableOf({ kind, file })}.${ending}` : file;
  const before = isComputed
    ? ["# The command computes no columns: save all records as “Arrow” first."]
    : isSaved
      ? [
          "# The command converts no times and decimals: save the table as “Saved collection” first.",
        ]
      : schema === undefined
        ? []
        : [`echo ${quoted(JSON.stringify(schema))} > schema.json`];
  const reading = [
    ...(schema === undefined || isSaved ? [] : ["--schema schema.json"]),
    ...(isSaved ? [] : flagsOf(text?.given ?? {})),
  ];
  const sorting =
    kind === undefined
      ? sort.map(([field, order]) => `--sort ${quoted(`${field}:${order}`)}`)
      : sort.slice(0, 1).map(([field, order]) => `--sort-by ${quoted(field)} --order ${order}`);
  const command = [
    // Keeps a name from being taken for an option.
    `tercet ${kind === undefined ? `query ${quoted(place.replace(/^-/, "./-"))}` : source[kind]}`,
    ...reading.map((each) => `  ${each}`),
    ...(criteria.length === 0 ? [] : [`  --criteria ${quoted(JSON.stringify(criteria))}`]),
    ...sorting.map((each) => `  ${each}`),
    kind === undefined ? "  --json" : `  --limit ${LIMIT} --json`,
  ];
  return [...before, command.join(" \\\n")].join("\n");
}

/** The options of the command. */
const flagsOf = (given: TextOptions): string[] =>
  TEXT_OPTIONS.flatMap((name) => {
    const flag = `--${FLAGS[name] ?? name}`;
    const values: unknown[] = [given[name] ?? []].flat();
    return values.map((value) => {
      if (name === "quote" && value === false) return `${flag} ''`;
      if (typeof value === "boolean") return value ? flag : flag.replace("--", "--no-");
      return `${flag} ${quoted(String(value))}`;
    });
  }).filter((each) => each !== "--no-flatten" && each !== "--header");

const FLAGS: Partial<Readonly<Record<keyof TextOptions, string>>> = {
  ...{ nullText: "null", skipLines: "skip-lines", dateFormat: "date-format" },
  nonFinite: "non-finite",
};

/** A word of a command line. */
function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The name of the table in SQL. */
export function tableOf({ kind, file }: Pick<Subject, "kind" | "file">): string {
  return kind ?? stemOf(file);
}

/** The statement with a line for each of its clauses, what is bound below it, and which columns the table needs besides. */
export function asSql({ text, parameters, needs }: SqlText): string {
  const clauses = text.replace(/ (FROM|WHERE|ORDER BY|LIMIT) /g, "\n$1 ");
  const notes = [
    ...(parameters.length === 0 ? [] : [parameters.map((each) => JSON.stringify(each)).join(", ")]),
    ...needs.map(([column, what]) => `The table needs the column "${column}": ${what}.`),
  ];
  return notes.length === 0
    ? clauses
    : `${clauses}\n\n${notes.map((each) => `-- ${each}`).join("\n")}`;
}
