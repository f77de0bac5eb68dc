// The request that stands for what the page shows, the ways to get each error, and the same request
// in other languages.

import { asText } from "./criteria-list.ts";
import type { Asked, Kind, Loaded, SqlText } from "./messages.ts";

/** How many records a request asks for, unless somebody edits it. */
export const LIMIT = 3;

/** What is asked about: data that one of the two methods answers from, or the records of a file. */
export interface Subject extends Pick<Loaded, "kind" | "batchId"> {
  readonly file: string;
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
  { code: 107, label: "a method that is no name", make: (request) => ({ ...request, method: 7 }) },
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

export function asTypeScript(subject: Subject, asked: Asked): string {
  const { kind, file } = subject;
  if (kind === undefined) return queryAsTypeScript(file, asked);
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

/** A test that the call finds what it finds now, which is JSON. */
export function asTest(subject: Subject, asked: Asked, found: string): string {
  const expected = found.replaceAll("\n", "\n  ");
  return [
    `import { expect, test } from "vitest";`,
    asTypeScript(subject, asked),
    "",
    `test(${JSON.stringify(`finds the same in ${tableOf(subject)}`)}, () => {`,
    `  expect(found).toEqual(${expected});`,
    "});",
  ].join("\n");
}

function queryAsTypeScript(file: string, { criteria, sort }: Asked): string {
  return [
    `import { readFileSync } from "node:fs";`,
    ...loadingOf(file),
    "const found = records.query({",
    `  criteria: ${JSON.stringify(criteria)},`,
    ...(sort.length === 0 ? [] : [`  sort: ${JSON.stringify(sort)},`]),
    `  limit: ${LIMIT},`,
    "});",
  ].join("\n");
}

/** How to make a collection of a file, by its name. */
function loadingOf(file: string): string[] {
  const bytes = `const bytes = readFileSync(${JSON.stringify(file)});`;
  if (/\.parquet$/i.test(file)) {
    return [
      `import * as hyparquet from "hyparquet";`,
      `import { inferSchema, loadCollection, readParquet } from "tercet/import";`,
      "",
      bytes,
      "const schema = await inferSchema(readParquet(hyparquet, bytes));",
      "const records = await loadCollection(schema, readParquet(hyparquet, bytes, { schema }));",
    ];
  }
  if (/\.(?:arrow|ipc|feather|tercet)$/i.test(file)) {
    const opening = "const records = openCollection(bytes);";
    return [`import { openCollection } from "tercet/arrow";`, "", bytes, opening];
  }
  return [
    `import { inferSchema, loadCollection, readRecords } from "tercet/import";`,
    "",
    bytes,
    `const options = { name: ${JSON.stringify(file)} };`,
    "const schema = inferSchema(readRecords(bytes, options));",
    "const records = loadCollection(schema, readRecords(bytes, { ...options, schema }));",
  ];
}

export function asShell({ kind, file }: Subject, { criteria, sort }: Asked): string {
  const source = { contacts: "contacts batch.json", files: "files ." };
  const sorting =
    kind === undefined
      ? sort.map(([field, order]) => `--sort ${quoted(`${field}:${order}`)}`)
      : sort.slice(0, 1).map(([field, order]) => `--sort-by ${quoted(field)} --order ${order}`);
  return [
    // Keeps a name from being taken for an option.
    `tercet ${kind === undefined ? `query ${quoted(file.replace(/^-/, "./-"))}` : source[kind]}`,
    ...(criteria.length === 0 ? [] : [`  --criteria ${quoted(JSON.stringify(criteria))}`]),
    ...sorting.map((each) => `  ${each}`),
    `  --limit ${LIMIT} --json`,
  ].join(" \\\n");
}

/** A word of a command line. */
function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The name of the table in SQL. */
export function tableOf({ kind, file }: Subject): string {
  return kind ?? (file.replace(/\..*$/s, "") || "records");
}

/** The statement with a line for each of its clauses, and what is bound below it. */
export function asSql({ text, parameters }: SqlText): string {
  const clauses = text.replace(/ (FROM|WHERE|ORDER BY|LIMIT) /g, "\n$1 ");
  return parameters.length === 0
    ? clauses
    : `${clauses}\n\n-- ${parameters.map((each) => JSON.stringify(each)).join(", ")}`;
}
