// Which keys the values of a field name: the codes of an index of references, and those of an index of keys, with the
// same values. Neither index ever changes, so the result is kept as long as both.

import { isNumeric } from "../../schema/field.ts";
import { compareCodePoints } from "../../schema/order.ts";
import type { Derivation } from "../indexes/derived.ts";
import type { FieldIndex } from "../indexes/field-index.ts";

/** Walking both lists of values costs less than searching unless one is so many times as long as the other. */
const MUCH_LONGER = 8;

/** Those of an index of references and some others. */
class LinkedCodes implements Derivation {
  #known: readonly { readonly keys: WeakRef<FieldIndex>; readonly linked: Int32Array }[] = [];

  of(references: FieldIndex, keys: FieldIndex): Int32Array {
    const known = this.#known.find((each) => each.keys.deref() === keys);
    if (known !== undefined) return known.linked;
    const linked = link(references, keys);
    const living = this.#known.filter((each) => each.keys.deref() !== undefined);
    this.#known = [{ keys: new WeakRef(keys), linked }, ...living].slice(0, MOST_LINKED);
    return linked;
  }

  get bytes(): number {
    return this.#known.reduce((sum, { linked }) => sum + linked.byteLength, 0);
  }

  clear(): void {
    this.#known = [];
  }
}

/** With how many indexes of keys an index of references is linked at the same time. */
const MOST_LINKED = 4;

/**
 * For each code of the references, the code of the same value among the keys, or −1. That of null is −1 (rule V13).
 * Linear in the values of both, or a search among the more for each of the fewer, whichever is less; then constant.
 */
export function linkedCodes(references: FieldIndex, keys: FieldIndex): Int32Array {
  return references.derived.of(LinkedCodes).of(references, keys);
}

function link(references: FieldIndex, keys: FieldIndex): Int32Array {
  const { length } = references.values;
  const linked = new Int32Array(length).fill(-1);
  if (keys.values.length > MUCH_LONGER * length) {
    for (let code = 1; code < length; code++) {
      linked[code] = keys.codeOf(references.values.at(code) ?? null);
    }
    return linked;
  }
  if (length > MUCH_LONGER * keys.values.length) {
    for (let key = 1; key < keys.values.length; key++) {
      const code = references.codeOf(keys.values.at(key) ?? null);
      if (code > 0) linked[code] = key;
    }
    return linked;
  }
  const compare = comparing(references, keys);
  let key = 1;
  for (let code = 1; code < length; code++) {
    let order = -1;
    while (key < keys.values.length && (order = compare(key, code)) < 0) key++;
    if (key < keys.values.length && order === 0) linked[code] = key;
  }
  return linked;
}

/** Compares a key with a reference, by their codes. */
function comparing(
  references: FieldIndex,
  keys: FieldIndex,
): (key: number, reference: number) => number {
  if (isNumeric(keys.type)) {
    return (key, reference) => keys.numberAt(key) - references.numberAt(reference);
  }
  return (key, reference) =>
    compareCodePoints(keys.values.at(key) ?? "", references.values.at(reference) ?? "");
}
