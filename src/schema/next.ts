// The default of fields that number the records of a collection.

/** The type of {@link next}. */
export interface Next {
  /** How JSON shows it, and how `readSchema` reads it: `"next"`. */
  readonly toJSON: () => "next";
}

/**
 * A default for `int` fields, `int({ unique: true, default: next })`: a record that omits the field gets the number after
 * the greatest that the collection has ever given, even if the record with that number was removed. The first is 1. A
 * number that an input record gives counts, too.
 */
export const next: Next = Object.freeze({ toJSON: () => "next" as const });
