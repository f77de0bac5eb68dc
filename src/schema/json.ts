// JSON values: checked, copied and frozen.

import { describe, member, quote, TercetError, isDate } from "./errors.ts";
import { LongNumber } from "./exact-json.ts";
import { rowMaker, type RowMaker } from "./row-maker.ts";

/** A JSON value, frozen throughout. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** The maximum nesting: far below what exhausts the stack. */
export const DEEPEST = 500;

/**
 * The maximum size of a value: its JSON is then shorter than V8's longest string. A few arrays that contain each other
 * several times may stand for more values than fit in memory, and so may an array with a large length.
 */
const LARGEST = 2 ** 26;
/** The size of a value, in addition to a character for each of a string or a name; arrays and objects count more. */
const COST_OF_VALUE = 8;
const COST_OF_CONTAINER = 32;

/** The remaining size for a value. */
class Room {
  #left = LARGEST;

  /** Whether there is room for a value without its members. */
  takes(value: unknown): boolean {
    const isContainer = typeof value === "object" && value !== null;
    this.#left -= isContainer ? COST_OF_CONTAINER : COST_OF_VALUE;
    return typeof value === "string" ? this.takesText(value) : this.#left >= 0;
  }

  takesText({ length }: string): boolean {
    this.#left -= length;
    return this.#left >= 0;
  }
}

/**
 * The JSON text of a value; `undefined` if it is not a JSON value, is nested more than 500 deep, or has more than
 * 8,388,608 values, 2,097,152 arrays and objects, or 67,108,864 characters. Members that are `undefined` are left out. Reads each member once.
 */
export function toJson(value: unknown): string | undefined {
  const copy = toJsonValue(value);
  return copy === undefined ? undefined : JSON.stringify(copy);
}

/** A frozen copy of the value; `undefined` in the same cases. */
export function toJsonValue(value: unknown): JsonValue | undefined {
  return copyOf(value, 0, new Room());
}

/**
 * Parses JSON; the result is deeply frozen.
 *
 * @throws TercetError if it is not JSON, for example in a file that was modified
 */
export function parseJson(text: string): JsonValue {
  try {
    return frozen(JSON.parse(text) as JsonValue, 0);
  } catch (error) {
    if (error instanceof TercetError) throw error;
    throw new TercetError("a json field has a string that is not JSON", { cause: error });
  }
}

/** Whether two values are equal as JSON, whatever the order of members. Cost: linear in the smaller one. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!isEqualJson(a[i], b[i])) return false;
    return true;
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) => Object.hasOwn(b, name) && isEqualJson(Reflect.get(a, name), Reflect.get(b, name)),
  );
}

function frozen(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw new TercetError("a json field has a value that is nested too deeply");
  const members: readonly JsonValue[] = Object.values(value);
  for (const each of members) frozen(each, depth + 1);
  return Object.freeze(value);
}

/** A frozen copy of plain data without accessors; `undefined` for anything else. */
function copyOf(value: unknown, depth: number, room: Room): JsonValue | undefined {
  if (!room.takes(value)) return undefined;
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? value : undefined;
    case "number":
      // 0 for −0, which JSON can't express.
      return Number.isFinite(value) ? value + 0 : undefined;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth === DEEPEST) return undefined;
      return Array.isArray(value)
        ? copyOfArray(value, depth, room)
        : copyOfObject(value, depth, room);
    default:
      return undefined;
  }
}

function copyOfArray(array: readonly unknown[], depth: number, room: Room): JsonValue | undefined {
  const { length } = array;
  if (length > LONG_ARRAY) {
    const copy: JsonValue[] = [];
    for (let i = 0; i < length; i++) {
      const value = copyOf(array[i], depth + 1, room);
      if (value === undefined) return undefined;
      copy.push(value);
    }
    return Object.freeze(copy);
  }
  // A growing array reserves extra memory, which doubles that of short ones.
  const copy = Array.from<JsonValue>({ length });
  for (let i = 0; i < length; i++) {
    const value = copyOf(array[i], depth + 1, room);
    if (value === undefined) return undefined;
    copy[i] = value;
  }
  return Object.freeze(copy);
}

/** Beyond this length, memory is not allocated up front: a large length alone costs the input nothing. */
const LONG_ARRAY = 1024;

function copyOfObject(object: object, depth: number, room: Room): JsonValue | undefined {
  if (!isPlain(object)) return undefined;
  const names: string[] = [];
  const values: JsonValue[] = [];
  for (const [name, each] of Object.entries(object)) {
    if (each === undefined) continue;
    const value = copyOf(each, depth + 1, room);
    if (value === undefined || !name.isWellFormed()) return undefined;
    if (!room.takesText(name)) return undefined;
    names.push(name);
    values.push(value);
  }
  const make = makerFor(names);
  if (make !== undefined) return Object.freeze(make(values));
  return Object.freeze(Object.fromEntries(names.map((name, i) => [name, values[i] ?? null])));
}

/** The objects whose names begin with some names: those without further names, and others by their next name. */
interface Shape {
  uses: number;
  make: RowMaker<JsonValue> | undefined;
  readonly longer: Map<string, Shape>;
}

const shapeOf = (): Shape => ({ uses: 0, make: undefined, longer: new Map() });
const shapes = shapeOf();
let known = 0;

/** With more shapes than this, names are probably data. */
const MOST_KNOWN = 4096;
/** A maker is worthwhile once it is used more often than this. */
const FEW_USES = 16;

/** Makes frequent objects with these names, using less memory than adding the members one by one. */
function makerFor(names: readonly string[]): RowMaker<JsonValue> | undefined {
  let shape = shapes;
  for (const name of names) {
    let next = shape.longer.get(name);
    if (next === undefined) {
      if (known === MOST_KNOWN) return undefined;
      known++;
      shape.longer.set(name, (next = shapeOf()));
    }
    shape = next;
  }
  if (shape.make === undefined && ++shape.uses > FEW_USES) shape.make = rowMaker(names);
  return shape.make;
}

/** Why {@link toJson} does not accept a value, as the end of a sentence: `NaN`, or its place. */
export function describeFault(value: unknown): string {
  const { path, what } = faultIn(value, [], new Room()) ?? {
    path: "",
    what: "a value that changes",
  };
  const place = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path;
  return path === "" ? what : `${describe(value)} in which ${place.replace(/^\./, "")} is ${what}`;
}

const LONGEST_PATH = 60;

/** The first part of a value that is not JSON. */
interface Fault {
  readonly path: string;
  readonly what: string;
}

/** @param above the arrays and objects that hold the value */
function faultIn(value: unknown, above: object[], room: Room): Fault | undefined {
  const found = (what: string): Fault => ({ path: "", what });
  if (!room.takes(value)) return found("beyond the largest size of a JSON value");
  if (typeof value !== "object" || value === null) {
    return toJsonValue(value) === undefined ? found(describe(value)) : undefined;
  }
  if (LongNumber.textIn(value) !== undefined) return found(`${describe(value)}; put it in quotes`);
  if (above.includes(value)) return found(`${describe(value)} that holds itself`);
  if (above.length === DEEPEST) return found("nested too deeply");
  if (!Array.isArray(value) && !isPlain(value)) {
    return found(isDate(value) ? describe(value) : "an object of a class");
  }
  const parts: Iterable<[part: string | number, each: unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  above.push(value);
  for (const [part, each] of parts) {
    if (typeof part === "string") {
      if (each === undefined) continue;
      if (!room.takesText(part)) return found("beyond the largest size of a JSON value");
      if (!part.isWellFormed()) return found(`an object with the name ${quote(part)}`);
    }
    const fault = faultIn(each, above, room);
    if (fault === undefined) continue;
    const place = typeof part === "string" ? member("", part) : `[${part}]`;
    return { ...fault, path: place + fault.path };
  }
  above.pop();
  return undefined;
}

/** Whether an object is plain: dates and maps are not, though `JSON.stringify` accepts them. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
