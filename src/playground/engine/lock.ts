// Makes a worker safe for unknown code: the code finds the language and nothing else, and can't change
// it for the code that is loaded already.

/** The global names that remain: those of ECMAScript, and a few harmless ones. */
const KEPT: ReadonlySet<PropertyKey> = new Set([
  ...["AggregateError", "Array", "ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array"],
  ...["Boolean", "DataView", "Date", "Error", "EvalError", "FinalizationRegistry", "Float32Array"],
  ...["Float64Array", "Function", "Infinity", "Int16Array", "Int32Array", "Int8Array", "Intl"],
  ...[
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
  ],
  ...["ReferenceError", "Reflect", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError"],
  ...["URIError", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap"],
  ...["WeakRef", "WeakSet", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent"],
  ...["escape", "eval", "globalThis", "isFinite", "isNaN", "parseFloat", "parseInt", "undefined"],
  ...["unescape", "console", "structuredClone", "TextDecoder", "TextEncoder", "atob", "btoa"],
]);

/**
 * Deletes every other global name, and freezes what can be reached from the rest.
 *
 * @throws Error if the browser keeps a name; then nothing unknown may run
 */
export function lockGlobals(): void {
  let holder: object | null = globalThis;
  while (holder !== null && holder !== Object.prototype) {
    for (const key of Reflect.ownKeys(holder)) {
      if (KEPT.has(key) || Reflect.deleteProperty(holder, key)) continue;
      // Some constants can't be deleted.
      const { value } = descriptorOf(holder, key);
      if (typeof value !== "number") throw new Error(`the browser keeps ${String(key)}`);
    }
    holder = Reflect.getPrototypeOf(holder);
  }
  // With registered symbols, an error could pretend to be one of fast-check's, which passes over a case.
  Reflect.deleteProperty(Symbol, "for");
  letShadow(Object.prototype);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const global: unknown = Reflect.get(globalThis, name);
    if (typeof global !== "function") continue;
    const prototype: unknown = global.prototype;
    if (prototype === Error.prototype || prototype instanceof Error) letShadow(prototype);
  }
  freezeAll();
}

interface Descriptor {
  readonly value?: unknown;
  readonly get?: unknown;
  readonly set?: unknown;
  readonly writable?: boolean;
}

const descriptorOf = (holder: object, key: PropertyKey): Descriptor =>
  Reflect.getOwnPropertyDescriptor(holder, key) ?? {};

/** Lets objects have members of their own that are named as those of a frozen prototype. */
function letShadow(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const { value, writable } = descriptorOf(prototype, key);
    if (writable !== true) continue;
    Object.defineProperty(prototype, key, {
      get: (): unknown => value,
      set(own: unknown) {
        if (this === prototype) throw new TypeError(`${String(key)} can't be changed`);
        const descriptor = { value: own, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, key, descriptor);
      },
    });
  }
}

function freezeAll(): void {
  const left: unknown[] = [
    globalThis,
    // Prototypes that no global name leads to.
    ...[
      [].values(),
      new Map().values(),
      new Set().values(),
      "".matchAll(/./g),
      ""[Symbol.iterator](),
    ],
    function* () {
      yield 0;
    },
    async () => await Promise.resolve(),
    async function* () {
      await Promise.resolve();
      yield 0;
    },
  ];
  const seen = new Set<object>();
  for (let each = left.pop(); left.length > 0 || each !== undefined; each = left.pop()) {
    if ((typeof each !== "object" && typeof each !== "function") || each === null) continue;
    if (seen.has(each)) continue;
    seen.add(each);
    Object.freeze(each);
    left.push(Reflect.getPrototypeOf(each));
    for (const key of Reflect.ownKeys(each)) {
      const { value, get, set } = descriptorOf(each, key);
      left.push(value, get, set);
    }
  }
}
