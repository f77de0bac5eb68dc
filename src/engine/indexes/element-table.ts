// The elements of a field of arrays: for each element, the arrays that contain it. An array is represented by its code
// in the index of the field, so a search for elements gives a set of codes.

import { parseStrings } from "../../schema/strings.ts";
import { bisect } from "../algorithms/bisect.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { CodeSetBuilder, setOfCodes, type CodeSet } from "./code-set.ts";
import type { Values } from "./values.ts";

/** The approximate size of a map entry of an element in bytes, besides its characters. */
const BYTES_OF_ELEMENT = 64;

export class ElementTable {
  /** The number of each element, in order of first occurrence. */
  readonly #numbers: ReadonlyMap<string, number>;
  /** How many codes there are. */
  readonly #end: number;
  /** The codes of the arrays that contain each element, ascending. */
  readonly #ofElements: Lists;

  /** @param ofCodes the elements of each array, without repetitions */
  private constructor(numbers: ReadonlyMap<string, number>, ofCodes: Lists) {
    this.#numbers = numbers;
    this.#end = ofCodes.starts.length - 1;
    this.#ofElements = inverted(ofCodes, numbers.size);
  }

  /** The approximate size in bytes of a table of this many arrays with a few elements each. */
  static bytesFor(values: number): number {
    return values * 24;
  }

  /** Builds the table of arrays, step by step. Linear in their elements, and in the characters of their text forms. */
  static *building(values: Values): Steps<ElementTable> {
    const { numbers, lists } = yield* listing(values, (elements) => new Set(elements));
    return new ElementTable(numbers, lists);
  }

  get bytes(): number {
    const { starts, members } = this.#ofElements;
    return starts.byteLength + members.byteLength + this.#numbers.size * BYTES_OF_ELEMENT;
  }

  /** Visits each element with the codes of the arrays that contain it, ascending. */
  forEach(visit: (element: string, codes: Uint32Array) => void): void {
    for (const [element, number] of this.#numbers) visit(element, listAt(this.#ofElements, number));
  }

  /** The codes of the arrays that contain any of the given elements. */
  codesWith(elements: readonly string[]): CodeSet {
    const end = this.#end;
    const lists = elements
      .map((element) => this.#codesOf(element))
      .filter(({ length }) => length > 0);
    const [only] = lists;
    if (only === undefined || lists.length > 1) {
      return setOfCodes(
        lists.flatMap((list) => [...list]),
        end,
      );
    }
    const set = new CodeSetBuilder(end);
    for (const code of only) set.add(code);
    return set.finish();
  }

  /** The codes of the arrays that contain all of the given elements; without elements, those of all arrays. */
  codesWithAll(elements: readonly string[]): CodeSet {
    const lists = elements.map((element) => this.#codesOf(element));
    const [fewest, ...others] = lists.sort((a, b) => a.length - b.length);
    if (fewest === undefined) return [1, this.#end];
    const codes = [...fewest].filter((code) =>
      others.every((list) => list[bisect(list, code)] === code),
    );
    return setOfCodes(codes, this.#end);
  }

  /** The codes of the arrays that contain an element, ascending. */
  #codesOf(element: string): Uint32Array {
    const number = this.#numbers.get(element);
    return number === undefined ? new Uint32Array() : listAt(this.#ofElements, number);
  }
}

/** Consecutive lists of numbers. */
export interface Lists {
  /** The start of each list in `members`; one more element ends the last one. */
  readonly starts: Uint32Array;
  readonly members: Uint32Array;
}

const listAt = ({ starts, members }: Lists, list: number): Uint32Array =>
  members.subarray(starts[list], starts[list + 1]);

/**
 * Numbers the elements of arrays in order of first occurrence, step by step, and lists the elements of each array.
 *
 * @param choose which elements of an array are listed. Default: all
 */
export function* listing(
  values: Values,
  choose: (elements: readonly string[]) => Iterable<string> = (all) => all,
): Steps<{ readonly numbers: ReadonlyMap<string, number>; readonly lists: Lists }> {
  const numbers = new Map<string, number>();
  const starts = new Uint32Array(values.length + 1);
  const members: number[] = [];
  for (let code = 0; code < values.length; code++) {
    for (const element of choose(elementsAt(values, code))) {
      let number = numbers.get(element);
      if (number === undefined) numbers.set(element, (number = numbers.size));
      members.push(number);
    }
    starts[code + 1] = members.length;
    if ((code + 1) % STEP_ROWS === 0) yield;
  }
  return { numbers, lists: { starts, members: Uint32Array.from(members) } };
}

/** None for code 0, which is null. */
function elementsAt(values: Values, code: number): readonly string[] {
  return code === 0 ? [] : (values.elementsAt?.(code) ?? parseStrings(values.at(code) ?? "[]"));
}

/** For each element the lists that contain it, ascending. */
function inverted({ starts, members }: Lists, size: number): Lists {
  const ends = new Uint32Array(size + 1);
  for (const member of members) ends[member + 1]!++;
  for (let i = 1; i <= size; i++) ends[i]! += ends[i - 1]!;
  const next = ends.slice();
  const lists = new Uint32Array(members.length);
  for (let list = 0; list < starts.length - 1; list++) {
    for (let i = starts[list]!; i < starts[list + 1]!; i++) lists[next[members[i]!]!++] = list;
  }
  return { starts: ends, members: lists };
}
