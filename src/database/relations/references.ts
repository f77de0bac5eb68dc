// The references between the collections of a database.

import { InputError, member, quote } from "../../schema/errors.ts";
import { isFolded } from "../../schema/folding.ts";
import { suggestion } from "../../schema/nearest.ts";
import type { Schema } from "../../schema/schema.ts";
import type { OnRemove } from "../../schema/references.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";

/** A field that refers to records of a collection. */
export interface Reference {
  /** The collection of the field. */
  readonly from: string;
  readonly field: string;
  /** The collection to which it refers, and the unique field there. */
  readonly to: string;
  readonly key: UniqueConstraint;
  readonly onRemove: OnRemove;
}

/**
 * All references between collections.
 *
 * @param schemas by the names of the collections
 * @param where the path of the collections
 * @throws InputError with the path of a collection, if one of its fields refers to no unique field of its kind
 */
export function referencesBetween(
  schemas: ReadonlyMap<string, Schema>,
  where = "collections",
): readonly Reference[] {
  return [...schemas].flatMap(([from, { places }]) =>
    places.flatMap(({ name, field }) => {
      const { references, onRemove } = field;
      if (references === undefined) return [];
      const [to, keyName] = references;
      const refuse = (what: string) =>
        new InputError(
          member(where, from),
          `the field ${quote(name)} refers to ${quote(keyName)} of ${quote(to)}, ${what}`,
        );
      const schema = schemas.get(to);
      if (schema === undefined) {
        const near = suggestion(to, schemas.keys());
        throw refuse(`but the database has no such collection${near}`);
      }
      const key = schema.constraints.find(
        (each) => each.places.length === 1 && each.name === keyName,
      );
      if (key === undefined) {
        throw refuse("which is not a unique field; declare it with unique: true");
      }
      const other = key.places[0].field;
      const isSame =
        other.type === field.type &&
        isFolded(other) === isFolded(field) &&
        other.ignoreCase === field.ignoreCase;
      if (!isSame) throw refuse("which compares other values; give both the same type and options");
      return { from, field: name, to, key, onRemove: onRemove ?? "refuse" };
    }),
  );
}
