// Which keys the values of a field name: the codes of an index of references, and those of an index of keys, with the
// same values. Neither index ever changes, so the answer is kept as long as both.

import { isNumeric } from "../../schema/field.ts";
import { compareCodePoints } from "../../schema/order.ts";
import type { FieldIndex } from "../indexes/field-index.ts";

/** Walking both lists of values costs less than searching unless one is so many times as long as the other. */
const MUCH_LONGER = 8;

const known = new WeakMap<FieldIndex, WeakMap<FieldIndex, Int32Array>>();

/**
 * For each code of the references, the code of the same value among the keys, or −1. That of null is −1 (rule V13).
 * Linear in the values of both, or a search among the more for each of the fewer, whichever is less; then constant.
 */
export function linkedCodes(references: FieldIndex, keys: FieldIndex): Int32Array {
  let ofReferences = known.get(references);
  if (ofReferences === undefined) known.set(references, (ofReferences = new WeakMap()));
  let linked = ofReferences.get(keys);
  if (linked === undefined) ofReferences.set(keys, (linked = link(references, keys)));
  return linked;
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
