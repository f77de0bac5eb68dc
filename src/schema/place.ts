// What a schema knows of its fields and their records, beside the fields themselves.

import type { Field } from "./field.ts";

/** A field's place in the order of a schema. */
export interface Place {
  readonly name: string;
  readonly position: number;
  readonly field: Field;
}

/** Puts all fields of a record as it is given beside each other; anything else it passes on. */
export type Complete = (input: unknown) => unknown;
