// The request that stands for what the page shows, the ways to get each error, and the same request
// in other languages.

import { asText } from "./criteria-list.ts";
import type { Asked, Kind, SqlText } from "./messages.ts";

/** How many records a request asks for, unless somebody edits it. */
export const LIMIT = 3;

export interface Subject {
  readonly kind: Kind;
  readonly batchId: string | undefined;
}

const methodOf = (kind: Kind) => (kind === "contacts" ? "getBatchContacts" : "searchFiles");

/** The parameters behind the api key; those at the end that are not given are left out. */
function parametersOf({ batchId }: Subject, { criteria, sortBy, sortOrder }: Asked): unknown[] {
  return [
    ...(batchId === undefined ? [] : [Number(batchId)]),
    criteria,
    LIMIT,
    0,
    ...(sortBy === "" ? [] : [sortBy, sortOrder]),
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
  const method = methodOf(subject.kind);
  const parameters = parametersOf(subject, asked).map((value) => JSON.stringify(value));
  const data = subject.kind === "contacts" ? "batches: [batch]" : "files";
  return [
    `import { createService } from "tercet";`,
    "",
    `const service = createService({ ${data} });`,
    `const found = service.${method}(`,
    ...parameters.map((value) => `  ${value},`),
    ");",
  ].join("\n");
}

export function asShell({ kind }: Subject, { criteria, sortBy, sortOrder }: Asked): string {
  const source = kind === "contacts" ? "contacts batch.json" : "files .";
  const quoted = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`;
  return [
    `tercet ${source}`,
    ...(criteria.length === 0 ? [] : [`  --criteria ${quoted(criteria)}`]),
    ...(sortBy === "" ? [] : [`  --sort-by ${JSON.stringify(sortBy)} --order ${sortOrder}`]),
    `  --limit ${LIMIT} --json`,
  ].join(" \\\n");
}

/** The statement with a line for each of its clauses, and what is bound below it. */
export function asSql({ text, parameters }: SqlText): string {
  const clauses = text.replace(/ (FROM|WHERE|ORDER BY|LIMIT) /g, "\n$1 ");
  return parameters.length === 0
    ? clauses
    : `${clauses}\n\n-- ${parameters.map((each) => JSON.stringify(each)).join(", ")}`;
}
