// Changes given as an object: new values for fields of each selected record. They are read and checked once, not per
// record.

import { dictionary } from "../../schema/dictionary.ts";
import { describe, InputError, member } from "../../schema/errors.ts";
import { explainRefusal, storedOf } from "../../schema/field.ts";
import { isMembers, reading } from "../../schema/input.ts";
import type { FieldChange } from "../../schema/schema.ts";
import type { Codec } from "../columns/codec.ts";
import type { Document, Layout } from "../columns/layout.ts";

const PLACE = "changes";
const PATH = { text: () => PLACE };

/** Changes that were read and checked. */
export interface FieldChanges {
  /** Changes of fields that are direct members of documents. */
  readonly fields: readonly FieldChange[];
  /** The other members: parts of documents, and other data of the layout. */
  readonly others: Document;
  /** Whether only these fields can change, and no other field is derived from them. */
  readonly isIndependent: boolean;
}

/**
 * Reads changes, each member once. A member that is `undefined` is left out.
 *
 * @throws InputError with the path of the first offending member, such as `changes.size`
 */
export function readFieldChanges(input: unknown, codec: Codec): FieldChanges {
  return reading(PLACE, () => changesIn(input, codec));
}

function changesIn(input: unknown, { schema, layout }: Codec): FieldChanges {
  if (!isMembers(input)) {
    throw new InputError(PLACE, `must be an object or a recipe, not ${describe(input)}`);
  }
  const fields: FieldChange[] = [];
  // No prototype, so that `__proto__` is a member like any other.
  const others = dictionary<unknown>();
  let isIndependent = true;
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (value === undefined) continue;
    const place = schema.places[layout.whole.positionOf(name, PATH)];
    if (place === undefined) {
      const isPart = layout.parts.has(name) && isMembers(value);
      others[name] = isPart ? givenIn(value) : value;
      isIndependent = false;
      continue;
    }
    const { field, position } = place;
    const stored = storedOf(schema.form, field, value);
    if (stored === undefined) {
      throw new InputError(member(PLACE, name), explainRefusal(field, value));
    }
    fields.push({ name, field, position, stored });
    if (schema.derivedFields.includes(name)) isIndependent = false;
  }
  return { fields, others, isIndependent };
}

const givenIn = (part: Document) =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));

/** A document with changes applied. Unchanged members of a part are kept. */
export function changedDocument(
  document: Document,
  { fields, others }: FieldChanges,
  layout: Layout,
): Document {
  const given = dictionary<unknown>(others);
  for (const { name, stored } of fields) given[name] = stored;
  return mergedDocument(document, given, layout);
}

/** A document with the members of another one, of whose parts each member counts; `undefined` changes nothing. */
export function mergedDocument(document: Document, given: Document, { parts }: Layout): Document {
  const merged = dictionary<unknown>(document);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const before = merged[name];
    const isPart = parts.has(name) && isMembers(before) && isMembers(value);
    merged[name] = isPart ? { ...before, ...givenIn(value) } : value;
  }
  return merged;
}
