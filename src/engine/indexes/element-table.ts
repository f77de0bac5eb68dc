// The elements of a field of arrays: for each element the arrays that have it. An array is the code of its text in the
// index of the field, so that a search for elements is a set of codes.

import { parseStrings } from "../../schema/strings.ts";
import { STEP_ROWS, type Steps } from "../algorithms/steps.ts";
import { CodeSetBuilder, setOfCodes, type CodeSet } from "./code-set.ts";
import type { Values } from "./values.ts";

/** About how many bytes an element takes in the map of all of them, besides its characters. */
const BYTES_OF_ELEMENT = 64;

export class ElementTable {
  /** The number of each element, in the order in which arrays have them. */
  readonly #numbers: ReadonlyMap<string, number>;
  /** How many codes there are. */
  readonly #end: number;
  /** The codes of the arrays that have each element, ascending. */
  readonly #ofElements: Lists;

  /** @param ofCodes the elements of each array, each once */
  private constructor(numbers: ReadonlyMap<string, number>, ofCodes: Lists) {
    this.#numbers = numbers;
    this.#end = ofCodes.starts.length - 1;
    this.#ofElements = inverted(ofCodes, numbers.size);
  }

  /** About how many bytes the table of so many arrays takes, of a few elements each. */
  static bytesFor(values: number): number {
    return values * 24;
  }

  /** Builds the table of arrays, step by step. Linear in their elements, and in the characters of their texts. */
  static *building(values: Values): Steps<ElementTable> {
    const { numbers, lists } = yield* listing(values, (elements) => new Set(elements));
    return new ElementTable(numbers, lists);
  }

  get bytes(): number {
    const { starts, members } = this.#ofElements;
    return starts.byteLength + members.byteLength + this.#numbers.size * BYTES_OF_ELEMENT;
  }

  /** The codes of the arrays that have one of some elements. */
  codesWith(elements: readonly string[]): CodeSet {
    const end = this.#end;
    const lists = elements.flatMap((element) => {
      const number = this.#numbers.get(element);
      return number === undefined ? [] : [listAt(this.#ofElements, number)];
    });
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
}

/** Lists of numbers, one after the other. */
export interface Lists {
  /** The start of each list in `members`; one more element ends the last one. */
  readonly starts: Uint32Array;
  readonly members: Uint32Array;
}

const listAt = ({ starts, members }: Lists, list: number): Uint32Array =>
  members.subarray(starts[list], starts[list + 1]);

/**
 * Numbers the elements of arrays in the order in which the arrays have them, step by step, and lists those of each.
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

/** None of code 0, which is null. */
function elementsAt(values: Values, code: number): readonly string[] {
  return code === 0 ? [] : (values.elementsAt?.(code) ?? parseStrings(values.at(code) ?? "[]"));
}

/** For each member the lists that have it, ascending. */
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
