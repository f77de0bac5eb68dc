// Counts the work of a function instead of timing it: numbers read from bytes, bytes decoded or
// copied, and characters and array elements read.

type Method = (this: unknown, ...args: unknown[]) => unknown;

export interface Worked<Result> {
  readonly result: Result;
  readonly work: number;
}

/**
 * Runs something while the built-in functions that do its work count it.
 *
 * @param ofIteration whether the elements that arrays are iterated over are counted, too: V8 then spreads arrays
 *   forty times as slowly for the rest of the process
 */
export function counting<Result>(run: () => Result, ofIteration = false): Worked<Result> {
  let work = 0;
  const restore: (() => void)[] = [];
  const replace = (owner: object, name: string, by: (original: Method) => Method) => {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    const original = property?.value as Method | undefined;
    if (property === undefined || original === undefined) throw new Error(`no method ${name}`);
    Object.defineProperty(owner, name, { ...property, value: by(original) });
    restore.push(() => Object.defineProperty(owner, name, property));
  };
  const count = (owner: object, name: string, of: (result: unknown, first: unknown) => number) => {
    replace(owner, name, (original) => {
      return function (...args) {
        const result = original.apply(this, args);
        work += of(result, args[0]);
        return result;
      };
    });
  };
  const bytesOf = (value: unknown) => 1 + (ArrayBuffer.isView(value) ? value.byteLength : 0);
  for (const name of Object.getOwnPropertyNames(DataView.prototype)) {
    if (name.startsWith("get")) count(DataView.prototype, name, () => 1);
  }
  count(TextDecoder.prototype, "decode", (_, bytes) => bytesOf(bytes));
  count(String.prototype, "charCodeAt", () => 1);
  count(Object.getPrototypeOf(Uint8Array.prototype) as object, "slice", bytesOf);
  if (ofIteration) count(Object.getPrototypeOf([][Symbol.iterator]()) as object, "next", () => 1);
  for (const name of ["find", "findIndex", "filter", "some", "every"]) {
    replace(Array.prototype, name, (original) => {
      return function (look, ...others) {
        const counted: Method = function (...args) {
          work++;
          return (look as Method).apply(this, args);
        };
        return original.call(this, counted, ...others);
      };
    });
  }
  try {
    return { result: run(), work };
  } finally {
    for (const undo of restore) undo();
  }
}
