// Regular expressions whose cost is linear in the string, whatever the expression is: the states of an automaton, made
// as they are needed. What can't be had for that, such as back references and lookaround, is refused.

/** An instruction: read a character, go on so many instructions further, or hold between two characters. */
type Step =
  | { readonly reads: (character: number) => boolean }
  | { readonly to: readonly number[] }
  | { readonly holds: (before: Side, after: Side) => boolean };

/** What stands beside a place: the end of the string, a character of a word, or another one. */
type Side = "end" | "word" | "other";

/** An expression has at most so many instructions: those of `(a{100}){100}` are 10,000. */
const MOST_STEPS = 5000;

/** Groups are nested at most so deep. */
const DEEPEST = 100;

/** So many transitions are kept. */
const MOST_KEPT = 20_000;

interface State {
  /** The instructions that the next character may be read by, before those that read nothing are followed. */
  readonly steps: readonly number[];
  readonly before: Side;
  readonly next: Map<number, State | "found">;
}

/** The end of the string, as a character. */
const END = -1;

/**
 * Compiles an expression with the syntax of JavaScript's `u` flag: literals, classes, `. ^ $ \b \d \w \s \p{L}`, groups,
 * `|` and quantifiers; `(?i)` at its start ignores case.
 *
 * @returns tells whether the expression matches somewhere in a string; cost: linear in its length
 * @throws Error if it is not valid, too long, or has what takes more than linear time
 */
export function patternOf(expression: string): (text: string) => boolean {
  const { steps, end } = parse(expression);
  let states = new Map<string, State>();
  let kept = 0;
  const stateOf = (at: readonly number[], before: Side): State => {
    const key = `${before} ${at.join()}`;
    let state = states.get(key);
    if (state === undefined) {
      states.set(key, (state = { steps: at, before, next: new Map<number, State>() }));
    }
    return state;
  };
  const follow = ({ steps: at, before }: State, character: number): State | "found" => {
    const after = sideOf(character);
    const seen = new Set<number>();
    const open = [...at];
    const reached: number[] = [];
    for (let i = open.pop(); i !== undefined; i = open.pop()) {
      if (seen.has(i)) continue;
      seen.add(i);
      if (i === end) return "found";
      const step = steps[i];
      if (step === undefined) continue;
      if ("to" in step) for (const by of step.to) open.push(i + by);
      else if ("reads" in step) {
        if (character !== END && step.reads(character)) reached.push(i + 1);
      } else if (step.holds(before, after)) open.push(i + 1);
    }
    // It may begin anywhere.
    return stateOf(
      [...new Set([0, ...reached])].sort((a, b) => a - b),
      after,
    );
  };
  return (text) => {
    let state = stateOf([0], "end");
    for (let i = 0; i <= text.length; i++) {
      const character = text.codePointAt(i) ?? END;
      let next = state.next.get(character);
      if (next === undefined) {
        if (++kept > MOST_KEPT) {
          states = new Map();
          kept = 0;
          state = stateOf(state.steps, state.before);
        }
        state.next.set(character, (next = follow(state, character)));
      }
      if (next === "found") return true;
      if (character > 0xffff) i++;
      state = next;
    }
    return false;
  };
}

const inWords = (character: number): boolean => character < 128 && /\w/.test(textOf(character));
const sideOf = (character: number): Side =>
  character === END ? "end" : inWords(character) ? "word" : "other";
const textOf = (character: number): string => String.fromCodePoint(character);

type Reads = (character: number) => boolean;

const CLASSES: Readonly<Record<string, Reads>> = {
  d: (character) => character >= 48 && character <= 57,
  w: inWords,
  s: (character) => /\s/.test(textOf(character)),
};

const CONTROLS: Readonly<Record<string, string>> = {
  ...{ t: "\t", n: "\n", r: "\r", f: "\f", v: "\v", 0: "\0" },
};

const HOLDS = {
  "^": (before: Side) => before === "end",
  $: (_: Side, after: Side) => after === "end",
  b: (before: Side, after: Side) => (before === "word") !== (after === "word"),
  B: (before: Side, after: Side) => (before === "word") === (after === "word"),
};

function parse(expression: string): { readonly steps: readonly Step[]; readonly end: number } {
  const ignoresCase = expression.startsWith("(?i)");
  const source = Array.from(ignoresCase ? expression.slice(4) : expression);
  const steps: Step[] = [];
  let at = 0;
  let depth = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at character ${at + 1 + (ignoresCase ? 4 : 0)}`);
  };
  const takes = (wanted: string): boolean => source[at] === wanted && ++at > 0;
  const add = (step: Step): void => {
    if (steps.push(step) > MOST_STEPS) throw new Error("it is too long, or repeats too much");
  };
  const reads = (own: Reads): void =>
    add({
      reads: ignoresCase
        ? (character) => own(character) || casesOf(character).some((each) => own(each))
        : own,
    });
  const hex = (pattern: RegExp): number => {
    const [found, digits = ""] = pattern.exec(source.slice(at).join("")) ?? [];
    if (found === undefined) return fail("the code of a character is not complete");
    at += found.length;
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? code : fail("there is no such character");
  };
  /** What an escape stands for: a character, or a class of them. */
  const escaped = (): number | Reads => {
    const letter = source[at++] ?? fail("“\\” stands at the end");
    const lower = letter.toLowerCase();
    const known = Object.hasOwn(CLASSES, lower) ? CLASSES[lower] : undefined;
    if (known !== undefined) return letter === lower ? known : (each) => !known(each);
    if (lower === "p") return property(letter);
    if (Object.hasOwn(CONTROLS, letter)) return codeOf(CONTROLS[letter] ?? "");
    if (letter === "x") return hex(/^([\da-f]{2})/i);
    if (letter === "u") return hex(source[at] === "{" ? /^\{([\da-f]+)\}/i : /^([\da-f]{4})/i);
    if (/[\w\s]/.test(letter)) {
      at--;
      return fail(`“\\${letter}” can’t be used`);
    }
    return codeOf(letter);
  };
  const property = (letter: string): Reads => {
    const [found = "", name = ""] = /^\{([\w=]+)\}/.exec(source.slice(at).join("")) ?? [];
    at += found.length;
    try {
      // It is tested on single characters, whose cost is constant.
      const test = new RegExp(`^\\${letter}{${name}}$`, "u");
      return (character) => test.test(textOf(character));
    } catch {
      return fail(`there is no property of characters “${name}”`);
    }
  };
  const set = (): Reads => {
    const isOther = takes("^");
    const all: Reads[] = [];
    while (!takes("]")) {
      const member = memberOfSet();
      if (typeof member !== "number" || source[at] !== "-" || source[at + 1] === "]") {
        all.push(typeof member === "number" ? (each) => each === member : member);
        continue;
      }
      at++;
      const last = memberOfSet();
      if (typeof last !== "number" || last < member) return fail("a range has no order");
      all.push((each) => each >= member && each <= last);
    }
    return (character) => all.some((each) => each(character)) !== isOther;
  };
  const memberOfSet = (): number | Reads => {
    const next = source[at++] ?? fail("“]” is missing");
    if (next !== "\\") return codeOf(next);
    if (takes("b")) return 8;
    return takes("-") ? codeOf("-") : escaped();
  };
  const atom = (): void => {
    const next = source[at++] ?? "";
    if (next === "(") {
      if (takes("?") && !takes(":")) fail("lookaround and names of groups can’t be used");
      alternatives();
      if (!takes(")")) fail("“)” is missing");
    } else if (next === "[") reads(set());
    else if (next === ".") reads((character) => !/[\n\r\u2028\u2029]/.test(textOf(character)));
    else if (next === "\\") {
      const letter = source[at] ?? "";
      if (letter === "b" || letter === "B") {
        at++;
        add({ holds: HOLDS[letter] });
        return;
      }
      const what = escaped();
      reads(typeof what === "number" ? (character) => character === what : what);
    } else if (/[*+?{}\])]/.test(next)) {
      at--;
      fail(`“${next}” stands alone; for the character itself write \\${next}`);
    } else {
      const code = codeOf(next);
      reads((character) => character === code);
    }
  };
  /** How often, from and to. */
  const quantifier = (): readonly [least: number, most: number] | undefined => {
    if (takes("*")) return [0, Infinity];
    if (takes("+")) return [1, Infinity];
    if (takes("?")) return [0, 1];
    if (source[at] !== "{") return undefined;
    const [found = "", least = "", more, most = ""] =
      /^\{(\d+)(,(\d*))?\}/.exec(source.slice(at).join("")) ?? [];
    if (found === "") return fail("“{” needs a number; for the character itself write \\{");
    at += found.length;
    const low = Number(least);
    const high = more === undefined ? low : most === "" ? Infinity : Number(most);
    return high >= low ? [low, high] : fail("a quantifier has no order");
  };
  const term = (): void => {
    const next = source[at] ?? "";
    if (next === "^" || next === "$") {
      at++;
      add({ holds: HOLDS[next] });
      return;
    }
    const from = steps.length;
    atom();
    const times = quantifier();
    if (times === undefined) return;
    // What it takes first makes no difference to whether it matches.
    takes("?");
    const [least, most] = times;
    const once = steps.splice(from);
    const { length } = once;
    const again = () => {
      for (const step of once) add(step);
    };
    for (let i = 0; i < least; i++) again();
    if (most === Infinity) {
      add({ to: [1, length + 2] });
      again();
      add({ to: [-length - 1] });
    } else {
      for (let left = most - least; left > 0; left--) {
        add({ to: [1, left * (length + 1)] });
        again();
      }
    }
  };
  const alternatives = (): void => {
    if (++depth > DEEPEST) throw new Error("it has too many groups within groups");
    const ends: number[] = [];
    for (;;) {
      const fork = steps.length;
      add({ to: [1] });
      while (at < source.length && source[at] !== "|" && source[at] !== ")") term();
      if (!takes("|")) break;
      ends.push(steps.length);
      add({ to: [] });
      steps[fork] = { to: [1, steps.length - fork] };
    }
    for (const end of ends) steps[end] = { to: [steps.length - end] };
    depth--;
  };
  alternatives();
  if (at < source.length) fail("“)” has no “(”");
  return { steps, end: steps.length };
}

const codeOf = (text: string): number => text.codePointAt(0) ?? 0;

function casesOf(character: number): number[] {
  const text = textOf(character);
  return [text.toLowerCase(), text.toUpperCase()].map(codeOf);
}
