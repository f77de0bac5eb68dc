// Shrinks the data of a failing case. The questions stay the same, which fast-check can't promise: it draws
// them again for data that it has shrunk.

import {
  boolean,
  defineSchema,
  float,
  int,
  json,
  string,
  type Field,
  type FieldType,
} from "../../index.ts";
import type { Asking } from "./asking.ts";
import { asText } from "./report.ts";
import { apart, modelOf, type Setting } from "./setting.ts";

/**
 * Removes records, and then members of records, as long as the case still fails. A member that must stay
 * gets the plainest value with which the case fails. Fields of a drawn schema that nothing names are removed
 * too, and options of the others.
 */
export function* makeSmaller(
  setting: Setting,
  drawn: unknown,
  fails: (setting: Setting) => Asking<boolean>,
): Asking<Setting> {
  let smallest = setting;
  function* attempt(next: Setting): Asking<boolean> {
    if (!isValid(next) || !(yield* fails(next))) return false;
    smallest = next;
    return true;
  }

  function* reduce<Item extends object>(
    items: readonly Item[],
    placed: (items: Item[]) => Setting,
  ): Asking<Item[]> {
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
    return left;
  }

  if (setting.operation === "query") {
    let { schema, data } = setting;
    const asked = asText(drawn);
    for (const [name, { type, unique }] of Object.entries(schema.fields)) {
      if (setting.isGiven || unique) continue; // unique values distinguish records
      const fields = Object.entries(schema.fields);
      const without = fields.filter(([other]) => other !== name);
      const plain = fields.map(([other, field]) => [other, other === name ? FIELDS[type] : field]);
      const isNamed = asked.includes(JSON.stringify(name));
      for (const left of isNamed || without.length === 0 ? [plain] : [without, plain]) {
        const next = {
          ...setting,
          schema: defineSchema(Object.fromEntries(left), { form: schema.form }),
          data: left === plain ? data : data.map((record) => withMember(record, name, undefined)),
        };
        if (!(yield* attempt(next))) continue;
        ({ schema, data } = next);
        break;
      }
    }
    yield* reduce(data, (records) => ({ ...setting, schema, data: records }));
    return smallest;
  }
  let { data } = setting;
  data = {
    ...data,
    files: yield* reduce(data.files, (files) => ({ ...setting, data: { ...data, files } })),
  };
  for (const [b, { lists }] of data.batches.entries()) {
    for (const [l, { contacts }] of lists.entries()) {
      const withContacts = (fewer: typeof contacts) => ({
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
      });
      data = withContacts(
        yield* reduce(contacts, (fewer) => ({ ...setting, data: withContacts(fewer) })),
      );
    }
  }
  return smallest;
}

/** Simpler fields, to replace others. */
const FIELDS: Readonly<Record<FieldType, Field>> = {
  int: int(),
  float: float(),
  boolean: boolean(),
  string: string(),
  json: json(),
};

/** Values to replace members, the plainest first; a field itself decides which it takes. */
const PLAIN: readonly unknown[] = [0, 1, 2, "", "a", "b", false];

/** The item with that member, or without it if the value is undefined. */
function withMember<Item extends object>(item: Item, name: string, value: unknown): Item {
  const copy = { ...item, [name]: value };
  if (value === undefined) Reflect.deleteProperty(copy, name);
  return copy;
}

function isValid(setting: Setting): boolean {
  try {
    modelOf(setting);
    if (setting.operation !== "query") return true;
    return apart(setting.schema, setting.data).length === setting.data.length;
  } catch {
    return false;
  }
}
