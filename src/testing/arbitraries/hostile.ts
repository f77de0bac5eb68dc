// Hostile values, as passed by untyped or malicious callers.

import * as fc from "fast-check";
import { compound, jsonValue } from "./values.ts";

/**
 * A hostile value, wrapped because fast-check reads the values that it generates, and reading some of these throws.
 * fast-check prints only the name.
 */
export interface Hostile {
  readonly name: string;
  /** Makes a new copy of the value. Reading all of it, comparing or printing it may throw or never end. */
  readonly make: () => unknown;
}

/**
 * JavaScript values of every kind, alone or inside a valid request or criteria. Most are hostile: getters that throw,
 * revoked proxies, cycles, sparse arrays of four billion elements, lone surrogates, `__proto__` members.
 *
 * In a property: `fc.property(hostileValue(), ({ make }) => service.dispatch(make()))`.
 *
 * @param options `json`: only values that JSON can represent; default `false`
 */
export function hostileValue(options: { readonly json?: boolean } = {}): fc.Arbitrary<Hostile> {
  const { json = false } = options;
  const makers = json ? CARRIED : HOSTILE;
  const alone = fc.constantFrom(...Object.entries(makers));
  const around = fc.constantFrom(...Object.entries(WRAPPERS));
  return fc.oneof(
    { weight: 3, arbitrary: alone.map(([name, make]) => hostile(name, make)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(around, alone)
        .map(([[place, wrap], [name, make]]) => hostile(`${place} ${name}`, () => wrap(make()))),
    },
    {
      weight: 1,
      arbitrary: (json ? jsonValue() : anything()).map((value) =>
        hostile(fc.stringify(value), () => value),
      ),
    },
  );
}

/** Values of all kinds, alone, and in arrays and objects. */
const anything = (): fc.Arbitrary<unknown> =>
  compound<unknown>(
    fc.oneof(
      jsonValue(),
      fc.constantFrom(...Object.values(LACKING)).map((make) => make()),
    ),
  );

function hostile(name: string, make: () => unknown): Hostile & fc.WithToStringMethod {
  return { name, make, [fc.toStringMethod]: () => name };
}

/** An array whose elements throw when read. fast-check prints it without reading them. */
export function unreadable(): unknown {
  const array = throwingElements(["id", "exactly", 1]);
  return Object.defineProperty(array, fc.toStringMethod, { value: () => "[elements that throw]" });
}

const MEMBERS = [
  ...["id", "method", "params", "criteria", "limit", "offset", "sortBy", "sortOrder"],
  ...["files", "batches", "lists", "contacts", "fields", "name"],
];

const ELEMENTS = ["0", "1", "2"];

/** The traps of a proxy: each has a function in Reflect. */
const TRAPS = Object.getOwnPropertyNames(Reflect);

function fail(): never {
  throw new Error("hostile");
}

function failWithNothing(): never {
  // oxlint-disable-next-line typescript/only-throw-error -- code that catches must not rely on an Error
  throw undefined;
}

function withGetters(target: object, names: readonly string[], get: () => unknown): object {
  for (const name of names) {
    Object.defineProperty(target, name, { get, enumerable: true, configurable: true });
  }
  return target;
}

const throwingElements = (target: object): object => withGetters(target, ELEMENTS, fail);

const throwingProxy = (target: object): object =>
  new Proxy(target, Object.fromEntries(TRAPS.map((trap) => [trap, fail])));

function revokedProxy(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A different result at each call. */
function changing(target: object, names: readonly string[]): object {
  const answers = ["id", 1, "searchFiles", ["key"], null, "exactly", [], undefined];
  let turn = 0;
  return withGetters(target, names, () => answers[turn++ % answers.length]);
}

const ofLength = (length: unknown): unknown =>
  new Proxy(["id", "exactly", 1], {
    get: (target, key): unknown => (key === "length" ? length : Reflect.get(target, key)),
  });

function cyclicArray(): unknown {
  const cycle: unknown[] = ["id", "exactly"];
  cycle.push(cycle);
  return cycle;
}

function cyclicObject(): unknown {
  const cycle: Record<string, unknown> = {};
  for (const name of MEMBERS) cycle[name] = cycle;
  return cycle;
}

function nested(depth: number): unknown {
  let inner: unknown[] = [];
  for (let i = 0; i < depth; i++) inner = [inner];
  return inner;
}

function selfAnsweringProxy(): unknown {
  const endless: unknown = new Proxy([], { get: () => endless, has: () => true });
  return endless;
}

/** Values that JSON can represent. */
const CARRIED: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  true: () => true,
  "1.5": () => 1.5,
  "2^53": () => 2 ** 53,
  "the empty string": () => "",
  "a lone surrogate": () => "\ud83d",
  "a text with NUL": () => "a\u0000",
  "a text of 400,000 characters": () => "a,".repeat(200_000),
  "the name __proto__": () => "__proto__",
  "the name constructor": () => "constructor",
  "the name toString": () => "toString",
  "an object with a __proto__ member": () =>
    JSON.parse('{"__proto__":{"id":1,"method":"searchFiles","params":["key"]}}') as unknown,
};

/** Harmless values that JSON can't represent. */
const LACKING: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  "minus zero": () => -0,
  NaN: () => NaN,
  Infinity: () => Infinity,
  "a bigint": () => 10n,
  "a symbol": () => Symbol("hostile"),
  "a well-known symbol": () => Symbol.iterator,
  "a function": () => () => 1,
  "a class": () => Map,
  "an invalid date": () => new Date(NaN),
  "a map": () => new Map([["id", 1]]),
  "a set": () => new Set(["id", "exactly", 1]),
  "a typed array": () => new Float64Array(3),
  "a regular expression": () => /id/g,
  "a promise": () => Promise.resolve(1),
  "a boxed string": () => new String("id"),
  "a boxed number": () => new Number(1),
  "an object without prototype": () => Object.create(null) as unknown,
  "an array of holes": () => new Array<unknown>(3),
};

const NOT_CARRIED: Readonly<Record<string, () => unknown>> = {
  ...LACKING,
  "an array of four billion holes": () => new Array<unknown>(2 ** 32 - 1),
  "arrays nested 20,000 deep": () => nested(20_000),
  "an array that holds itself": cyclicArray,
  "an object that holds itself": cyclicObject,
  "getters that throw": () => withGetters({}, MEMBERS, fail),
  "getters that throw undefined": () => withGetters({}, MEMBERS, failWithNothing),
  "getters that change their answer": () => changing({}, MEMBERS),
  "elements that throw": () => throwingElements([0, 1, 2]),
  "elements that change their answer": () => changing([0, 1, 2], ELEMENTS),
  "a proxy of an object that throws": () => throwingProxy({}),
  "a proxy of an array that throws": () => throwingProxy([]),
  "a proxy of a function that throws": () => throwingProxy(fail),
  "a revoked proxy of an object": () => revokedProxy({}),
  "a revoked proxy of an array": () => revokedProxy([]),
  "a revoked proxy of a function": () => revokedProxy(fail),
  "a proxy that answers with itself": selfAnsweringProxy,
  "an array of length NaN": () => ofLength(NaN),
  "an array of length -1": () => ofLength(-1),
  "an array of infinite length": () => ofLength(Infinity),
  "an array of length 2^40": () => ofLength(2 ** 40),
  'an array of length "3"': () => ofLength("3"),
  "an array of length null": () => ofLength(null),
  "conversions that throw": () => ({
    toString: fail,
    valueOf: fail,
    toJSON: fail,
    [Symbol.toPrimitive]: fail,
  }),
  "an object that converts to an id": () => ({ valueOf: () => 1, toString: () => "1" }),
  "an array whose iterator throws": () =>
    Object.defineProperty(["id", "exactly", 1], Symbol.iterator, { value: fail }),
  "an iterable whose next throws": () => ({ [Symbol.iterator]: () => ({ next: fail }) }),
};

/** All hostile values by name. */
export const HOSTILE = { ...CARRIED, ...NOT_CARRIED };

const WRAPPERS: Readonly<Record<string, (inner: unknown) => unknown>> = {
  "an array of": (inner) => [inner],
  "a criterion on": (inner) => [[inner, "exactly", 1]],
  "a criterion with the operator": (inner) => [["id", inner, 1]],
  "a criterion with the value": (inner) => [["id", "exactly", inner]],
  "a criterion with, among others, the value": (inner) => [["id", "in", [1, inner]]],
  "a request with the criteria": (inner) => ({
    id: 1,
    method: "searchFiles",
    params: ["key", inner],
  }),
  "a request with the limit": (inner) => ({
    id: 1,
    method: "searchFiles",
    params: ["key", null, inner],
  }),
  "a request made of": (inner) => ({ id: inner, method: inner, params: inner }),
};
