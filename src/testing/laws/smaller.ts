// Makes the data of a failing case smaller. What was asked stays as it is, which fast-check can't
// promise: it draws that anew for data that it has shrunk.

import { referenceService } from "../reference.ts";
import type { Asking } from "./asking.ts";
import type { CheckedData } from "./subject.ts";
import type { Setting } from "./table.ts";

/** Takes out records, and then members of records, as long as the case still fails. */
export function* makeSmaller(
  setting: Setting,
  fails: (setting: Setting) => Asking<boolean>,
): Asking<Setting> {
  let { data } = setting;
  function* attempt(next: CheckedData): Asking<boolean> {
    if (!isValid(next) || !(yield* fails({ ...setting, data: next }))) return false;
    data = next;
    return true;
  }

  function* reduce<Item extends object>(
    items: readonly Item[],
    placed: (items: Item[]) => CheckedData,
  ): Asking<void> {
    let left = [...items];
    for (let i = left.length - 1; i >= 0; i--) {
      const next = left.toSpliced(i, 1);
      if (yield* attempt(placed(next))) left = next;
    }
    for (let i = 0; i < left.length; i++) {
      for (const name of Object.keys(left[i] ?? {})) {
        const next = left.map((item, position) => (position === i ? without(item, name) : item));
        if (yield* attempt(placed(next))) left = next;
      }
    }
  }

  yield* reduce(data.files, (files) => ({ ...data, files }));
  for (const [b, { lists }] of data.batches.entries()) {
    for (const [l, { contacts }] of lists.entries()) {
      yield* reduce(contacts, (fewer) => ({
        ...data,
        batches: data.batches.map((batch, i) =>
          i !== b
            ? batch
            : {
                ...batch,
                lists: batch.lists.map((list, j) =>
                  j === l ? { ...list, contacts: fewer } : list,
                ),
              },
        ),
      }));
    }
  }
  return { ...setting, data };
}

function without<Item extends object>(item: Item, name: string): Item {
  const copy = { ...item };
  Reflect.deleteProperty(copy, name);
  return copy;
}

function isValid(data: CheckedData): boolean {
  try {
    referenceService(data);
    return true;
  } catch {
    return false;
  }
}
