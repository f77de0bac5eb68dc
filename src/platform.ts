// Globals that Node.js and browsers have and Jest's jsdom lacks (jsdom/jsdom#2524). `build.ts` replaces these names in
// the library and its bundled packages with the exports of this file: the platform's own, or else a slower
// implementation of what the library needs.

const REPLACEMENT = 0xfffd;

/** Like the platform's, but only for UTF-8. */
export class Utf8Encoder {
  readonly encoding = "utf-8";

  encode(text = ""): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(3 * text.length);
    return bytes.slice(0, this.encodeInto(text, bytes).written);
  }

  /** Writes as many complete characters as there is room for. */
  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    let [read, written] = [0, 0];
    while (read < text.length) {
      const given = text.codePointAt(read) ?? 0;
      const point = given >= 0xd800 && given <= 0xdfff ? REPLACEMENT : given;
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > bytes.length) break;
      const first = size === 1 ? 0 : (0xf00 >> size) & 0xff;
      for (let i = size - 1; i > 0; i--) {
        bytes[written + i] = 0x80 | ((point >> (6 * (size - 1 - i))) & 0x3f);
      }
      bytes[written] = first | (point >> (6 * (size - 1)));
      written += size;
      read += given >= 0x10000 ? 2 : 1;
    }
    return { read, written };
  }
}

/** How many UTF-16 units to pass to `String.fromCharCode` at once: with too many arguments, engines throw. */
const PIECE = 4096;

/** Like the platform's, but only for complete UTF-8 strings. Other encodings throw a RangeError. */
export class Utf8Decoder {
  readonly encoding = "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    if (!/^\s*utf-?8\s*$/i.test(label)) {
      throw new RangeError(`"${label}" can't be decoded: this platform has no TextDecoder`);
    }
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  /** @throws TypeError if it is fatal, and the bytes are not UTF-8 */
  decode(bytes = new Uint8Array(0)): string {
    const pieces: string[] = [];
    let units: number[] = [];
    const flush = () => {
      pieces.push(String.fromCharCode(...units));
      units = [];
    };
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    let at = hasMark && !this.ignoreBOM ? 3 : 0;
    while (at < bytes.length) {
      const first = bytes[at++]!;
      let point = first;
      if (first >= 0x80) {
        // How many bytes follow, and the bounds of the second byte: no overlong forms, no surrogates, nothing beyond
        // U+10FFFF. https://encoding.spec.whatwg.org/#utf-8-decoder
        const more = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        let low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
        let high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
        let read = 0;
        point = first & (0x3f >> more);
        while (read < more && at < bytes.length && bytes[at]! >= low && bytes[at]! <= high) {
          point = (point << 6) | (bytes[at++]! & 0x3f);
          [low, high] = [0x80, 0xbf];
          read++;
        }
        if (more === 0 || read < more) {
          if (this.fatal) throw new TypeError("the bytes are not UTF-8");
          point = REPLACEMENT;
        }
      }
      if (point < 0x10000) units.push(point);
      else units.push(0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
      if (units.length >= PIECE) flush();
    }
    flush();
    return pieces.join("");
  }
}

/** A deep copy of data: arrays, plain objects, Maps, Sets and Dates, including shared and circular references. */
export function clone<Value>(value: Value): Value {
  // Each copy has the same shape as its original.
  return copyOf(value, new Map()) as Value;
}

function copyOf(value: unknown, copies: Map<object, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`a ${typeof value} can't be cloned`);
  }
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  const keep = <Copy>(copy: Copy): Copy => {
    copies.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(value));
  if (ArrayBuffer.isView(value)) return keep(sliceOf(value));
  if (value instanceof Map) {
    const copy = keep(new Map<unknown, unknown>());
    for (const [key, each] of value) copy.set(copyOf(key, copies), copyOf(each, copies));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set<unknown>());
    for (const each of value) copy.add(copyOf(each, copies));
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array<unknown>(value.length) : {});
  for (const [key, each] of Object.entries(value)) {
    // Not an assignment: `__proto__` is a member like any other.
    Object.defineProperty(copy, key, {
      value: copyOf(each, copies),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy;
}

/** The same view of a copy of the bytes. */
function sliceOf(view: ArrayBufferView): unknown {
  // Every typed array has the method, and a DataView does without.
  const slice: unknown = Reflect.get(view, "slice");
  return typeof slice === "function" ? Reflect.apply(slice, view, []) : view;
}

const given: Partial<Pick<typeof globalThis, "TextEncoder" | "TextDecoder" | "structuredClone">> =
  globalThis;

// A bundler may drop calls marked as pure if their results are unused.
export const TextEncoder = /* @__PURE__ */ (() => given.TextEncoder ?? Utf8Encoder)();
export const TextDecoder = /* @__PURE__ */ (() => given.TextDecoder ?? Utf8Decoder)();
export const structuredClone = /* @__PURE__ */ (() => given.structuredClone ?? clone)();
