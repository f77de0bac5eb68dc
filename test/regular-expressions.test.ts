// Every regular expression of the library takes a number of steps that is linear in the text: text from outside is as
// long as its sender likes. A small matcher counts the steps of a backtracking engine, so that no clock is needed.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseRegExpLiteral, type AST } from "@eslint-community/regexpp";
import ts from "typescript";
import { expect, test } from "vitest";

/** What meets only the project's own text, while the package or the page is built. */
const OF_THE_BUILD = ["build.ts", "playground/build.ts", "playground/lean.ts"];

/** What the expressions become that are made from a text, by file. */
const MADE: Readonly<Record<string, RegExp>> = {
  "import/csv-block.ts": /\\(.)/gsu,
  "import/dates.ts":
    /^(?<d>3[01]|[12]\d|[ 0]?[1-9])\.(?<B>january|may)\.(?<Y>\d{4}) (?<f>\d{1,6})(?<z>Z|[+-]\d{2}(?::?\d{2})?)$/i,
  "import/write-text.ts": /["\n\r,;|\t]|,|^(?:\ufeff|sep=)/i,
  "playground/engine/pattern.ts": /^\p{Script=Greek}$/u,
};

interface Expression {
  readonly file: string;
  /** Undefined if it is made from a text. */
  readonly expression: RegExp | undefined;
}

function* expressionsIn(file: string): Generator<Expression> {
  const path = join("src", file);
  const tree = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const ahead: ts.Node[] = [tree];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    ahead.push(...node.getChildren(tree));
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      yield { file, expression: new RegExp(node.text.slice(1, end), node.text.slice(end + 1)) };
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText(tree) === "RegExp"
    ) {
      yield { file, expression: undefined };
    }
  }
}

const all = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file) && !OF_THE_BUILD.includes(file))
  .flatMap((file) => [...expressionsIn(file)]);

type Atom = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

const isAtom = (node: AST.Node): node is Atom =>
  node.type === "Character" ||
  node.type === "CharacterSet" ||
  node.type === "CharacterClass" ||
  node.type === "ExpressionCharacterClass";

/** Whether one character is what an atom matches. */
function acceptorOf(atom: Atom, flags: string): (character: string) => boolean {
  const expression = new RegExp(`^${atom.raw}$`, flags.replace(/[gmy]/g, ""));
  const known = new Map<string, boolean>();
  return (character) => {
    let isAccepted = known.get(character);
    if (isAccepted === undefined) {
      isAccepted = expression.test(character);
      known.set(character, isAccepted);
    }
    return isAccepted;
  };
}

type Next = (at: number) => boolean;
/** Whether an expression matches at a place, and what follows matches after it. */
type Matcher = (at: number, next: Next) => boolean;

/** More steps than any linear expression takes for the texts of this test. */
const MOST_STEPS = 200_000;

/** Matches like the engine, and counts how often it compares. */
class StepCounter {
  readonly #expression: RegExp;
  readonly #match: Matcher;
  #text: readonly string[] = [];
  steps = 0;

  constructor(expression: RegExp) {
    this.#expression = expression;
    this.#match = this.#anyOf(parseRegExpLiteral(expression).pattern.alternatives);
  }

  /** The matches in a text, one after the other; undefined if they take too many steps. */
  matchesIn(text: string): string[] | undefined {
    this.#text = this.#expression.unicode ? Array.from(text) : text.split("");
    this.steps = 0;
    const found: string[] = [];
    for (let at = 0; at <= this.#text.length;) {
      const start = at;
      const isMatch = this.#match(at, (end) => {
        at = end;
        return true;
      });
      if (this.steps > MOST_STEPS) return undefined;
      if (isMatch) found.push(this.#text.slice(start, at).join(""));
      if (at === start) at++;
    }
    return found;
  }

  #step(): boolean {
    return ++this.steps <= MOST_STEPS;
  }

  #anyOf(alternatives: readonly AST.Alternative[]): Matcher {
    const matchers = alternatives.map(({ elements }) => {
      const parts = elements.map((element) => this.#of(element));
      return parts.reduceRight<Matcher>(
        (rest, part) => (at, next) => part(at, (end) => rest(end, next)),
        (at, next) => next(at),
      );
    });
    return (at, next) => matchers.some((match) => match(at, next));
  }

  #of(node: AST.Element): Matcher {
    if (isAtom(node)) {
      const accepts = acceptorOf(node, this.#expression.flags);
      return (at, next) => {
        const character = this.#text[at];
        return this.#step() && character !== undefined && accepts(character) && next(at + 1);
      };
    }
    if (node.type === "Group" || node.type === "CapturingGroup") {
      return this.#anyOf(node.alternatives);
    }
    if (node.type === "Quantifier") return this.#repeated(node);
    if (node.type === "Assertion") {
      if (node.kind === "lookahead") {
        const match = this.#anyOf(node.alternatives);
        return (at, next) => match(at, () => true) !== node.negate && next(at);
      }
      if (node.kind !== "lookbehind") {
        const holds = this.#boundary(node);
        return (at, next) => this.#step() && holds(at) && next(at);
      }
    }
    throw new Error(`${node.raw}: the matcher of this test does not know these`);
  }

  #boundary({ kind, raw }: AST.BoundaryAssertion): (at: number) => boolean {
    const isBreak = (at: number) =>
      this.#expression.multiline && /[\n\r\u2028\u2029]/.test(this.#text[at] ?? "");
    const isWord = (at: number) => /\w/.test(this.#text[at] ?? "");
    if (kind === "start") return (at) => at === 0 || isBreak(at - 1);
    if (kind === "end") return (at) => at === this.#text.length || isBreak(at);
    return (at) => (isWord(at - 1) !== isWord(at)) === (raw === "\\b");
  }

  #repeated({ element, min, max, greedy }: AST.Quantifier): Matcher {
    const match = this.#of(element);
    const after = (times: number, at: number, next: Next): boolean => {
      if (!this.#step()) return false;
      const more = () =>
        times < max && match(at, (end) => (end > at || times < min) && after(times + 1, end, next));
      if (times < min) return more();
      return greedy ? more() || next(at) : next(at) || more();
    };
    return (at, next) => after(0, at, next);
  }
}

/** All nodes of an expression, with what precedes each in its own and in outer alternatives. */
function* nodesOf(
  alternatives: readonly AST.Alternative[],
  before: readonly AST.Element[] = [],
): Generator<{ node: AST.Element; before: readonly AST.Element[] }> {
  for (const { elements } of alternatives) {
    for (const [place, node] of elements.entries()) {
      const preceding = [...before, ...elements.slice(0, place)];
      yield { node, before: preceding };
      if (node.type === "Quantifier") {
        // Quantifiers may follow one another only in groups.
        yield { node: node.element, before: preceding };
      }
      const inner = node.type === "Quantifier" ? node.element : node;
      if ("alternatives" in inner) yield* nodesOf(inner.alternatives, preceding);
    }
  }
}

const CHARACTERS = Array.from(
  " \t\n\r\0!\"#$%&'()*+,-./019:;<=>?@AZ[\\]^_`az{|}~é\u3000\ufeff\u{10ffff}",
);

/** Texts made against an expression. */
class Adversary {
  readonly #flags: string;
  readonly #alternatives: readonly AST.Alternative[];
  /** A character for each set of atoms that accept it. */
  readonly #characters: readonly string[];

  constructor(expression: RegExp) {
    this.#flags = expression.flags;
    this.#alternatives = parseRegExpLiteral(expression).pattern.alternatives;
    const atoms = new Set<Atom>();
    for (const { node } of nodesOf(this.#alternatives)) if (isAtom(node)) atoms.add(node);
    const accepts = [...atoms].map((atom) => acceptorOf(atom, this.#flags));
    const own = [...atoms].flatMap((atom) => (atom.type === "Character" ? [atom.value] : []));
    const characters = new Map<string, string>();
    for (const each of [...CHARACTERS, ...own.map((point) => String.fromCodePoint(point))]) {
      characters.set(accepts.map((accept) => Number(accept(each))).join(""), each);
    }
    this.#characters = [...characters.values()];
  }

  /** Some words that elements match, one after the other. */
  #words(elements: readonly AST.Element[]): string[] {
    const each = elements.map((element) => this.#wordsOf(element));
    const usual = each.map(([word = ""]) => word);
    // One element after the other differs from its usual word.
    const words = each.flatMap((choices, place) =>
      choices.map((word) => usual.with(place, word).join("")),
    );
    return [...new Set([usual.join(""), ...words])].slice(0, 24);
  }

  #wordsOf(node: AST.Element): string[] {
    if (isAtom(node)) return this.#characters.filter(acceptorOf(node, this.#flags));
    if (node.type === "Quantifier") {
      const words = this.#wordsOf(node.element).map((word) => word.repeat(Math.max(1, node.min)));
      return node.min === 0 ? [...words, ""] : words;
    }
    if (node.type === "Group" || node.type === "CapturingGroup") {
      return node.alternatives.flatMap(({ elements }) => this.#words(elements)).slice(0, 24);
    }
    return [""];
  }

  /** Something that the expression begins with, a part again and again, and an end that it lacks. */
  *texts(): Generator<(length: number) => string> {
    const starts = new Set([""]);
    const parts = new Set(this.#characters);
    for (const { node, before } of nodesOf(this.#alternatives)) {
      if (node.type !== "Quantifier" || node.max !== Infinity) continue;
      for (const start of this.#words(before).slice(0, 3)) starts.add(start);
      for (let from = before.length; from >= 0; from--) {
        for (const word of this.#words([...before.slice(from), node]).slice(0, 8)) parts.add(word);
      }
      for (const first of this.#wordsOf(node.element)) {
        for (const second of this.#characters) parts.add(first + second).add(second + first);
      }
    }
    parts.delete("");
    for (const start of starts) {
      for (const part of parts) {
        for (const end of ["", "\0\n!"]) {
          yield (length) => start + part.repeat(Math.ceil(length / part.length)) + end;
        }
      }
    }
  }
}

const isUnbounded = (expression: RegExp) =>
  [...nodesOf(parseRegExpLiteral(expression).pattern.alternatives)].some(
    ({ node }) => node.type === "Quantifier" && node.max === Infinity,
  );

/** A text for which four times the length takes much more than four times the steps. */
function slowText(expression: RegExp): string | undefined {
  if (!isUnbounded(expression)) return undefined;
  const counter = new StepCounter(expression);
  const length = 40;
  for (const textOf of new Adversary(expression).texts()) {
    const stepsAt = (size: number) => {
      counter.matchesIn(textOf(size));
      return counter.steps;
    };
    const many = stepsAt(4 * length);
    if (many < 8 * 4 * length) continue;
    if (many > MOST_STEPS || many > 8 * stepsAt(length)) return textOf(20);
  }
  return undefined;
}

test("an expression that is made from a text is in the list", () => {
  const made = all.filter(({ expression }) => expression === undefined).map(({ file }) => file);
  expect(made.toSorted()).toEqual(Object.keys(MADE));
});

test("the matcher finds what the engine finds", () => {
  for (const expression of all.flatMap(({ expression: each }) => each ?? [])) {
    if (!isUnbounded(expression)) continue;
    const counter = new StepCounter(expression);
    const everywhere = new RegExp(expression, `${expression.flags.replace(/[gy]/g, "")}g`);
    let some = 0;
    for (const textOf of new Adversary(expression).texts()) {
      if (some++ > 40) break;
      const text = textOf(9);
      const found = Array.from(text.matchAll(everywhere), ([match]) => match);
      expect(counter.matchesIn(text), `${String(expression)} in ${text}`).toEqual(found);
    }
  }
});

test.each([
  / +$/,
  /"[^"\\]*(?:\\.[^"\\]*)*"|NaN/gs,
  /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g,
  /CAST\(((?:"[^"]*"|[^()"])*?) AS ([\w ]+)\)/gi,
  /'(?:[^']|'')*'|\[[^\]]*\]|[^]/g,
  /^(?:a|aa)+$/,
  /^(\w+\s?)*$/,
  /^\s*(.*?)\s*$/,
  /e.*$/,
])("finds a slow text for %s", (expression) => {
  expect(slowText(expression)).toBeDefined();
});

test("no text takes more steps than its length demands", () => {
  const given = all.map(({ file, expression = MADE[file] ?? /^$/ }) => ({ file, expression }));
  expect(given.length).toBeGreaterThan(150);
  const slow = given.flatMap(({ file, expression }) => {
    const text = slowText(expression);
    return text === undefined
      ? []
      : [`${file}: ${String(expression)} with ${JSON.stringify(text)}`];
  });
  expect(slow).toEqual([]);
});
