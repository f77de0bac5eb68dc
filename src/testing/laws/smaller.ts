// Makes the data of a failing case smaller. What was asked stays as it is, which fast-check can't
// promise: it draws that anew for data that it has shrunk.

import { referenceService } from "../reference.ts";
import type { Asking } from "./asking.ts";
import type { CheckedData } from "./checked.ts";
import type { Setting } from "./table.ts";

/**
 * Takes out records, and then members of records, as long as the case still fails. A member that must
 * stay gets the plainest value with which it fails.
 */
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
      for (const [name, value] of Object.entries(left[i] ?? {})) {
        const plain = PLAIN.indexOf(value);
        for (const plainer of [undefined, ...PLAIN.slice(0, plain < 0 ? undefined : plain)]) {
          const next = left.map((item, at) => (at === i ? withMember(item, name, plainer) : item));
          if (!(yield* attempt(placed(next)))) continue;
          left = next;
          break;
        }
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

/** What members may be instead, the plainest first; which of these a field takes, it says itself. */
const PLAIN: readonly unknown[] = [0, 1, 2, "", "a", "b"];

/** The item with that member; without it, where the value is undefined. */
function withMember<Item extends object>(item: Item, name: string, value: unknown): Item {
  const copy = { ...item, [name]: value };
  if (value === undefined) Reflect.deleteProperty(copy, name);
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
