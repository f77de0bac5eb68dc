// JSON text in which no number is rounded silently. JSON.parse turns 9007199254740993 into 9007199254740992, and Node
// 20 has no way to get the original text.

const NUMBER = /^(-?)(\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const INTEGER = /^-?\d+$/;

/** No integer that a double holds has more digits. */
const MOST_DIGITS = 310;

/** A number in JSON that a double can't represent exactly. Criteria and parameters do not accept it. */
export class LongNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The digits of a LongNumber; `undefined` for any other value. Reads no property of any other value. */
  static textIn(value: unknown): string | undefined {
    return typeof value === "object" && value !== null && #text in value ? value.#text : undefined;
  }

  /** Whether it is written as an integer: without a fraction and without an exponent. */
  get isInteger(): boolean {
    return INTEGER.test(this.#text);
  }

  toString(): string {
    return this.#text;
  }

  /** As a string, which keeps the digits. */
  toJSON(): string {
    return this.#text;
  }
}

/** Whether a double can represent a number, given as written in JSON. */
export type IsHeld = (written: string) => boolean;

/** Any decimal number of 15 digits differs from others as a double, too; an exponent may be too small for that. */
const IS_SHORT = /^-?[.\d]{1,15}$/;
const MOST_PRINTED_DIGITS = 100;

/**
 * Whether a double can stand for a number in a request: an integer that JavaScript writes with the same digits, or a
 * number with a fraction or an exponent as programs write a double.
 */
export const comesBack: IsHeld = (written) =>
  INTEGER.test(written)
    ? String(Number(written)) === written || written === "-0"
    : isPrinted(written);

/**
 * Whether a double can stand for a number in data, which stays text otherwise: as in requests, and for any integer that
 * it equals.
 */
export const isExact: IsHeld = (written) => {
  if (IS_SHORT.test(written)) return true;
  if (!INTEGER.test(written)) return isPrinted(written);
  // Some languages print all digits of a double: 12345678901234567168, not 12345678901234567000.
  const isEqual = () =>
    written.length <= MOST_DIGITS && BigInt(Number(written)) === BigInt(written);
  return hasSameValue(written) || isEqual();
};

/** Whether it is a double with the fewest digits that tell it from others, or rounded to more: 0.10000000000000001. */
function isPrinted(written: string): boolean {
  if (hasSameValue(written)) return true;
  const exact = normalized(written);
  const [{ length } = ""] = exact.replace("-", "").split("e", 1);
  return length <= MOST_PRINTED_DIGITS && normalized(Number(written).toPrecision(length)) === exact;
}

function hasSameValue(written: string): boolean {
  const shortest = String(Number(written));
  return shortest === written || normalized(shortest) === normalized(written);
}

/** One canonical string for all spellings of a decimal number. */
function normalized(written: string): string {
  const [, sign = "", whole, fraction = "", exponent = "0"] = NUMBER.exec(written) ?? [];
  if (whole === undefined) return written;
  const digits = whole + fraction;
  let [start, end] = [0, digits.length];
  while (start < end && digits[start] === "0") start++;
  while (start < end && digits[end - 1] === "0") end--;
  if (start === end) return "0";
  const shift = Number(exponent) - fraction.length + digits.length - end;
  return `${sign}${digits.slice(start, end)}e${shift}`;
}

/** Matches numbers that may not fit a double: 16 digits, or an exponent of three. */
const MAY_BE_LONG = /(?:^|[[,:\s])-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/;

/** Matches names that objects list before others, in the order of their numbers. */
const MAY_BE_INDEX = /"(?:\d|\\u003\d)+"\s*:/;
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** The names of parsed objects in the order of the text, if it may be another than that of their keys. */
const orders = new WeakMap<object, Set<string>>();

/** The names of an object's members, in the order of its text if it was parsed by {@link parseExactly}. */
export const namesIn = (object: object): readonly string[] => {
  const order = orders.get(object);
  return order === undefined ? Object.keys(object) : [...order];
};

/** Notes the order of an object's members, for {@link namesIn}. */
export function noteOrder(object: object, names: readonly string[]): void {
  if (names.some(isIndex)) orders.set(object, new Set(names));
}

/** Whether an object lists a name before others, whenever it was added. */
export const isIndex = (name: string): boolean => INDEX.test(name);

/**
 * The value of a JSON text, like that of JSON.parse, except that numbers that a double cannot represent are {@link
 * LongNumber}s, which `withTexts` replaces. Cost: that of JSON.parse, or about five times as much if the text may
 * contain such a number, or names that objects list before others.
 *
 * @throws SyntaxError if it is not JSON
 */
export function parseExactly(text: string, isHeld: IsHeld): unknown {
  const value: unknown = JSON.parse(text);
  return MAY_BE_LONG.test(text) || MAY_BE_INDEX.test(text) ? valueOf(text, isHeld) : value;
}

/**
 * A parsed value in which strings of their digits replace {@link LongNumber}s, at any depth. Arrays and objects are
 * changed in place.
 */
export function withTexts(value: unknown): unknown {
  // Not recursive, since nesting may exhaust the stack.
  const root = { value };
  const ahead: object[] = [root];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    for (const [name, each] of Object.entries(next) as [string, unknown][]) {
      if (typeof each !== "object" || each === null) continue;
      const digits = LongNumber.textIn(each);
      if (digits === undefined) ahead.push(each);
      else define(next, name, digits);
    }
  }
  return root.value;
}

const TOKEN = /[^\s,\]}]+/y;
const WORDS = new Map<string, unknown>([
  ["null", null],
  ["true", true],
  ["false", false],
]);

/** Parses text known to be JSON. Not recursive, since nesting may exhaust the stack. */
function valueOf(text: string, isHeld: IsHeld): unknown {
  const root: unknown[] = [];
  const above: (unknown[] | object)[] = [];
  let into: unknown[] | object = root;
  let name: string | undefined;
  let isName = false;

  const put = (value: unknown) => {
    if (Array.isArray(into)) into.push(value);
    else {
      const key = name ?? "";
      const order = orders.get(into);
      if (order !== undefined) order.add(key);
      else if (isIndex(key)) noteOrder(into, [...Object.keys(into), key]);
      // An own property, even if its name is `__proto__`.
      define(into, key, value);
    }
  };
  const open = (container: unknown[] | object) => {
    put(container);
    above.push(into);
    into = container;
    isName = !Array.isArray(container);
  };

  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "{":
        open({});
        break;
      case "[":
        open([]);
        break;
      case "}":
      case "]":
        into = above.pop() ?? root;
        break;
      case ",":
        isName = !Array.isArray(into);
        break;
      case ":":
        isName = false;
        break;
      case '"': {
        const end = endOfString(text, at);
        const value = JSON.parse(text.slice(at, end)) as string;
        if (isName) name = value;
        else put(value);
        at = end - 1;
        break;
      }
      case " ":
      case "\t":
      case "\n":
      case "\r":
        break;
      default: {
        TOKEN.lastIndex = at;
        const [token = ""] = TOKEN.exec(text) ?? [];
        at += token.length - 1;
        if (WORDS.has(token)) put(WORDS.get(token));
        else put(isHeld(token) ? Number(token) : new LongNumber(token));
      }
    }
  }
  return root[0];
}

function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** The position after the string that begins at a position. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}
