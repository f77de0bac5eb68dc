// Each kind of option: what it accepts, and where an error says what else it refuses.

import { describe, expect, test } from "vitest";
import { InputError } from "../../src/index.ts";
import {
  amount,
  callable,
  callables,
  count,
  finite,
  flag,
  integer,
  integerFrom,
  oneOf,
  optional,
  positiveCount,
  readOptions,
  type ReadOption,
} from "../../src/schema/options.ts";
import { thrownBy } from "../rules/fixtures.ts";

const run = () => 1;
const SAFE = Number.MAX_SAFE_INTEGER;

/** Everything that a reader could be given, but words of its own. */
const VALUES: readonly unknown[] = [
  ...[0, 1, 2, 3, 5, 6, SAFE, SAFE + 1, 0.5, -0.5, -1, -SAFE - 1, Infinity, -Infinity, NaN],
  ...["", "1", "a", true, false, null, undefined, 1n, {}, [], [1], run, Symbol("a")],
];

const KINDS: Readonly<Record<string, [read: ReadOption<unknown>, accepts: readonly unknown[]]>> = {
  "true or false": [flag, [true, false]],
  "a safe integer": [integer, [0, 1, 2, 3, 5, 6, SAFE, -1]],
  "a finite number": [finite, [0, 1, 2, 3, 5, 6, SAFE, SAFE + 1, 0.5, -0.5, -1, -SAFE - 1]],
  "a non-negative integer": [count, [0, 1, 2, 3, 5, 6, SAFE]],
  "a positive integer": [positiveCount, [1, 2, 3, 5, 6, SAFE]],
  "a non-negative number": [amount, [0, 1, 2, 3, 5, 6, SAFE, SAFE + 1, 0.5, Infinity]],
  "an integer from 2 to 5": [integerFrom(2, 5), [2, 3, 5]],
  '"a" or "b"': [oneOf("a", "b"), ["a"]],
  "a function": [callable, [run]],
};

test.each(Object.entries(KINDS))("%s", (what, [read, accepts]) => {
  for (const value of VALUES) {
    if (accepts.includes(value)) {
      expect(read(value, "options.x")).toBe(value);
      continue;
    }
    const error = thrownBy(InputError, () => read(value, "options.x"));
    expect(error.path).toBe("options.x");
    expect(error.reason.startsWith(`must be ${what}, not `)).toBe(true);
  }
});

test("an option may be left out, and has then the value that is said for that", () => {
  expect(optional(count)(undefined, "x")).toBeUndefined();
  expect(optional(count, 7)(undefined, "x")).toBe(7);
  expect(optional(count, 7)(0, "x")).toBe(0);
  expect(thrownBy(InputError, () => optional(count, 7)(null, "x")).path).toBe("x");
});

describe("functions by name", () => {
  test("are read as a map, and each is checked under its name", () => {
    expect([...callables({ a: run, "b c": run }, "options.of")]).toEqual([
      ["a", run],
      ["b c", run],
    ]);
    const wrong = (given: unknown) => thrownBy(InputError, () => callables(given, "options.of"));
    expect(wrong({ a: run, "b c": 5 }).path).toBe('options.of["b c"]');
    expect(wrong({ a: null }).path).toBe("options.of.a");
    expect(wrong(run).path).toBe("options.of");
    expect(wrong([run]).path).toBe("options.of");
  });

  test("that cannot be read are at fault themselves", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const error = thrownBy(InputError, () => callables(proxy, "options.of"));
    expect(error).toMatchObject({ path: "options.of", cause: expect.any(TypeError) as unknown });
  });
});

test("a table reads its own options, in its order, and refuses others by their names", () => {
  const order: string[] = [];
  const noting: ReadOption<unknown> = (given, path) => {
    order.push(path);
    return given;
  };
  const table = { b: noting, a: noting };
  expect(readOptions({ a: 1 }, "options", table)).toEqual({ a: 1, b: undefined });
  expect(order).toEqual(["options.b", "options.a"]);
  const error = thrownBy(InputError, () => readOptions({ a: 1, c: 2 }, "options", table));
  expect([error.path, error.reason]).toEqual(["options", 'has no member "c"; use "b" or "a"']);
});
