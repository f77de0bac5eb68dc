// The expressions of computed columns, such as `discount > 0.2 * amount`: a parser by precedence, which checks types as it
// goes. Source of the method: V. Pratt, "Top down operator precedence", 1973.

import { TercetError } from "../../index.ts";
import { quotedName } from "../expression-names.ts";
import { LONGEST_EXPRESSION } from "../messages.ts";
import { readTime } from "../times.ts";
import { OPERATIONS, type Operation, type Type, type Value } from "./operations.ts";

export type Tree = {
  readonly type: Type;
  /** Where it begins in the text. */
  readonly at: number;
} & (
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "column"; readonly name: string }
  | {
      readonly kind: "call";
      readonly of: Operation;
      readonly parts: readonly Tree[];
      /** How many operations it makes, and how many of them wait for one another. */
      readonly size: number;
      readonly depth: number;
    }
);

/** Columns that are computed themselves are a part of those that name them. */
const MOST_OPERATIONS = 20_000;
const MOST_DEEP = 1000;

const MOST_NESTED = 50;

interface Token {
  readonly kind: "number" | "string" | "quoted" | "name" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

const TOKEN =
  /(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|'(?<string>(?:[^']|'')*)'|"(?<quoted>(?:[^"]|"")+)"|(?<name>[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{M}\p{N}_$]*)*)|(?<sign><=|>=|!=|<>|[-+*/%&=<>(),:])/uy;

const KINDS = ["number", "string", "quoted", "name", "sign"] as const;

/** How strongly a sign binds what is on both of its sides. */
const BINDING: ReadonlyMap<string, number> = new Map(
  [
    ["or"],
    ["and"],
    ["not"],
    ["=", "!=", "<", "<=", ">", ">="],
    ["&"],
    ["+", "-"],
    ["*", "/", "%"],
  ].flatMap((signs, i) => signs.map((sign) => [sign, i + 1] as const)),
);
const NOT = 3;
const COMPARED = 4;
const NEGATIVE = 8;

const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const isFunction = (name: string): boolean => /^(?!and|or|not|neg)[a-z]/.test(name);

/** In words, for errors. */
const NAMES: Readonly<Record<Type, string>> = {
  int: "a number",
  float: "a number",
  boolean: "a condition",
  string: "a string",
  time: "a time",
  null: "null",
  other: "an array or JSON",
};

const ONLY_MISSING = "this column has arrays or JSON, of which only missing(…) can be asked";

/** @param at the first character that shows what is wrong, counted from 0 */
function refuse(at: number, reason: string): never {
  throw new TercetError(`character ${at + 1}: ${reason}`);
}

/** The columns that an expression may name. */
export type ColumnTypes = ReadonlyMap<string, Type>;

/**
 * @param own the columns that `*` stands for, and of which there are ranges, in their order
 * @throws TercetError with the number of the first character that shows what is wrong
 */
export function parseExpression(text: string, columns: ColumnTypes, own: readonly string[]): Tree {
  if (text.length > LONGEST_EXPRESSION) {
    const remedy = "compute a part of it in a column of its own";
    refuse(
      LONGEST_EXPRESSION,
      `an expression has at most ${LONGEST_EXPRESSION} characters; ${remedy}`,
    );
  }
  const tokens = tokensOf(text);
  let next = 0;
  let nested = 0;

  const peek = (): Token => tokens[next] ?? { kind: "end", text: "", at: text.trimEnd().length };
  const isSign = (sign: string) => peek().kind === "sign" && peek().text === sign;
  /** What is there instead of what was expected. */
  const miss = (expected: string, remedy = ""): never => {
    const { kind, text: found, at } = peek();
    const said = kind === "end" ? "the end" : JSON.stringify(found);
    return refuse(at, `expected ${expected}, not ${said}${remedy}`);
  };
  const expect = (sign: string, where: string) => {
    if (isSign(sign)) next++;
    else miss(`${sign} ${where}`);
  };

  /** Everything that binds more strongly than what is before it. */
  function expression(least: number): Tree {
    if (++nested > MOST_NESTED) {
      refuse(
        peek().at,
        `more than ${MOST_NESTED} levels are nested; compute a part in a column of its own`,
      );
    }
    let left = first();
    for (;;) {
      const { kind, text: sign, at } = peek();
      const name = sign.toLowerCase();
      const binding = kind === "sign" || kind === "name" ? (BINDING.get(name) ?? 0) : 0;
      if (binding <= least || binding === NOT) break;
      next++;
      left = call(name, at, left.at, [left, expression(binding)]);
      // `a < b < c` would compare a condition with a number.
      if (binding === COMPARED && BINDING.get(peek().text) === COMPARED) {
        refuse(peek().at, "only two values are compared at once; write a < b and b < c");
      }
    }
    nested--;
    return left;
  }

  function first(): Tree {
    const { kind, text: found, at } = peek();
    if (kind === "end" || (kind === "sign" && found !== "(" && found !== "-")) {
      miss("a column, a number or a string");
    }
    next++;
    if (kind === "number") {
      const value = Number(found);
      if (value === Infinity) refuse(at, "this number is too large");
      return { kind: "constant", type: Number.isSafeInteger(value) ? "int" : "float", value, at };
    }
    if (kind === "string") return { kind: "constant", type: "string", value: found, at };
    if (kind === "quoted") return column(found, at);
    if (kind === "name") return named(found, at);
    if (found === "-") return call("negative", at, at, [expression(NEGATIVE)]);
    const inner = expression(0);
    expect(")", "behind what began with (");
    return inner;
  }

  function named(found: string, at: number): Tree {
    const word = found.toLowerCase();
    const value = CONSTANTS.get(word);
    if (value !== undefined) {
      return { kind: "constant", type: value === null ? "null" : "boolean", value, at };
    }
    if (word === "not") return call(word, at, at, [expression(NOT)]);
    if (!isSign("(")) return column(found, at);
    if (!OPERATIONS.has(word) || !isFunction(word)) {
      const known = [...OPERATIONS.keys()].filter(isFunction).join(", ");
      refuse(at, `there is no function ${found}; there are ${known}`);
    }
    next++;
    const parts: Tree[] = [];
    while (!isSign(")")) {
      if (parts.length > 0) expect(",", `between the values of ${word}, or ) behind them`);
      parts.push(...given());
      if (parts.length > MOST_OPERATIONS) tooLarge(at);
    }
    next++;
    return call(word, at, at, parts);
  }

  /** A value that a function takes, or all columns, or those from one to another. */
  function given(): readonly Tree[] {
    const { at } = peek();
    const all = (names: readonly string[]) => names.map((name) => column(name, at));
    if (isSign("*")) {
      next++;
      return all(own);
    }
    const from = expression(0);
    if (!isSign(":")) return [from];
    next++;
    const to = first();
    const [start, end] = [from, to].map((each) =>
      each.kind === "column" ? own.indexOf(each.name) : -1,
    ) as [number, number];
    if (start < 0 || end < start) {
      refuse(at, "a range is between two columns of the table, such as q1:q9, the first one first");
    }
    return all(own.slice(start, end + 1));
  }

  function column(name: string, at: number): Tree {
    const type = columns.get(name);
    if (type === undefined) refuse(at, `there is no column ${name}${nearest(name, columns)}`);
    return { kind: "column", type, name, at };
  }

  const tree = expression(0);
  if (peek().kind !== "end") {
    miss(
      "the end",
      isSign(")") ? "; remove it, or add ( before" : "; a sign such as + or = is missing",
    );
  }
  if (tree.type === "other") refuse(tree.at, ONLY_MISSING);
  if (tree.type === "null") refuse(tree.at, "this is always null; name a column");
  return tree;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const { length } = text.trimEnd();
  for (let at = 0; at < length; at = TOKEN.lastIndex) {
    const start = at + text.slice(at).search(/\S/);
    TOKEN.lastIndex = start;
    const found = TOKEN.exec(text);
    const kind = KINDS.find((each) => found?.groups?.[each] !== undefined);
    if (kind === undefined) {
      const sign = String.fromCodePoint(text.codePointAt(start) ?? 0);
      refuse(
        start,
        sign === "'" || sign === '"'
          ? `this has no end; add ${sign} behind it`
          : `${JSON.stringify(sign)} means nothing here; columns with other names are in double quotes, strings in single ones`,
      );
    }
    const inner = found?.groups?.[kind] ?? "";
    const plain =
      kind === "string"
        ? inner.replaceAll("''", "'")
        : kind === "quoted"
          ? inner.replaceAll('""', '"')
          : inner;
    tokens.push({ kind, text: plain === "<>" ? "!=" : plain, at: start });
  }
  return tokens;
}

/** @param at where errors are @param from where it begins */
function call(name: string, at: number, from: number, given: readonly Tree[]): Tree {
  const of = OPERATIONS.get(name);
  const isOfTimes = name !== "&" && given.some(({ type }) => type === "time");
  const parts = isOfTimes ? given.map(asTime) : given;
  const types = parts.map((part) => part.type);
  const wrong = parts.find((part) => part.type === "other");
  if (wrong !== undefined && name !== "missing") refuse(wrong.at, ONLY_MISSING);
  const type = of?.type(types);
  if (of === undefined || type === undefined) {
    const remedy =
      isOfTimes && /^[-+*/]$/.test(name)
        ? "; write days(from, to) or hours(from, to)"
        : name === "+" && types.includes("string")
          ? "; write & to join strings"
          : "";
    const said = types.map((each) => NAMES[each]).join(" and ") || "nothing";
    refuse(at, `${name === "negative" ? "-" : name} takes ${of?.takes}, not ${said}${remedy}`);
  }
  if (name === "round" && parts[1] !== undefined) requireDigits(parts[1]);
  return callOf(of, parts, type, from);
}

/** An operation. @throws TercetError if it is too large, as with columns that are computed themselves */
export function callOf(of: Operation, parts: readonly Tree[], type: Type, at: number): Tree {
  let [size, depth] = [1, 1];
  for (const part of parts) {
    size += part.kind === "call" ? part.size : 1;
    if (part.kind === "call") depth = Math.max(depth, part.depth + 1);
  }
  if (size > MOST_OPERATIONS || depth > MOST_DEEP) tooLarge(at);
  return { kind: "call", type, of, parts, at, size, depth };
}

const tooLarge = (at: number): never =>
  refuse(at, "this makes too many operations for a record; shorten it");

function requireDigits(digits: Tree): void {
  const inner = digits.kind === "call" ? digits.parts[0] : digits;
  const value = inner?.kind === "constant" ? Number(inner.value) : NaN;
  if (Number.isInteger(value) && value <= 15) return;
  refuse(digits.at, "round takes a whole number of digits, from -15 to 15");
}

/** A string beside a time is one. */
function asTime(tree: Tree): Tree {
  if (tree.kind !== "constant" || typeof tree.value !== "string") return tree;
  const value = readTime(tree.value)?.value;
  if (value === undefined) {
    const said = JSON.stringify(tree.value);
    refuse(tree.at, `${said} is not a time; write '2024-12-31' or '2024-12-31T23:59'`);
  }
  return { ...tree, type: "time", value };
}

/** What was meant, if only the case differs, or one is the beginning of the other. */
function nearest(name: string, columns: ColumnTypes): string {
  const wanted = name.toLowerCase();
  const names = [...columns.keys()];
  const found =
    names.find((known) => known.toLowerCase() === wanted) ??
    names.find((known) => known.toLowerCase().startsWith(wanted) || wanted.startsWith(known));
  return found === undefined
    ? "; a string is in single quotes, such as 'paid'"
    : `; did you mean ${quotedName(found)}?`;
}

/** The columns that a tree names, each once. */
export function columnsIn(tree: Tree, found = new Set<string>()): ReadonlySet<string> {
  if (tree.kind === "column") found.add(tree.name);
  if (tree.kind === "call") for (const part of tree.parts) columnsIn(part, found);
  return found;
}

/** A tree as an expression in JavaScript. @param read the code of a column */
export function codeOf(tree: Tree, read: (name: string) => string): string {
  if (tree.kind === "constant") return JSON.stringify(tree.value);
  if (tree.kind === "column") return read(tree.name);
  const { of, parts } = tree;
  const values = parts.map((part) => codeOf(part, read)).join(", ");
  return of.takesNulls ? `(${of.code})(${values})` : `of(${of.code}, ${values})`;
}
