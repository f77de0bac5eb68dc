// Fields that refer to records of another collection, or of their own (rules C20, C21).

import { describe, InputError, SchemaError } from "./errors.ts";
import { oneOf, optional } from "./options.ts";

/** The collection and its unique field to which the values of a field refer, such as `["customers", "id"]`. */
export type Target = readonly [collection: string, field: string];

/**
 * What happens to the records that refer to a removed one, or to one whose referenced value changes: they forbid the
 * change (`"refuse"`), get `null` (`"null"`), or are removed (`"remove"`), in the same change.
 */
export type OnRemove = "refuse" | "null" | "remove";

/** What a field says of the records that its values name. */
export interface Referring {
  /** `undefined` if it refers to none. */
  readonly references: Target | undefined;
  /** `undefined` if it refers to none. */
  readonly onRemove: OnRemove | undefined;
}

/** A field whose values refer to records of the collection `To[0]`, by its field `To[1]`. */
export interface References<To extends Target> {
  readonly references: To;
}

/** The options of a field that may refer to records. */
export interface ReferenceOptions<To extends Target = Target> {
  /**
   * The collection of the database, and its unique field, to which each value refers: `["customers", "id"]`. A query
   * that is asked of the database may then name the fields of that record: `"customer.country"`.
   */
  readonly references?: To | undefined;
  /**
   * What happens to the records that refer to a removed one. Default `"refuse"`: it can't be removed. `"null"` needs a
   * `nullable` field.
   */
  readonly onRemove?: OnRemove | undefined;
}

const NONE: Referring = { references: undefined, onRemove: undefined };

/** @throws InputError with the name of the option; SchemaError */
export function readReference(given: {
  readonly references?: unknown;
  readonly onRemove?: unknown;
  readonly nullable?: unknown;
}): Referring {
  const { references, onRemove } = given;
  if (references === undefined) {
    if (onRemove === undefined) return NONE;
    throw new SchemaError("onRemove: needs references, the collection and field that are meant");
  }
  const effect = optional<OnRemove>(oneOf("refuse", "null", "remove"), "refuse")(
    onRemove,
    "onRemove",
  );
  if (effect === "null" && given.nullable !== true) {
    throw new SchemaError('onRemove: "null" needs a nullable field');
  }
  return { references: readTarget(references), onRemove: effect };
}

function readTarget(given: unknown): Target {
  if (Array.isArray(given) && given.length === 2) {
    const [collection, field] = given as readonly unknown[];
    if (typeof collection === "string" && typeof field === "string") {
      return Object.freeze([collection, field] as const);
    }
  }
  throw new InputError(
    "references",
    `must be [collection, field], such as ["customers", "id"], not ${describe(given)}`,
  );
}
