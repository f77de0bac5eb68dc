// What a schema records about its fields and records, besides the fields themselves.

import type { Field } from "./field.ts";

/** A field's place in the order of a schema. */
export interface Place {
  readonly name: string;
  readonly position: number;
  readonly field: Field;
}

/** Flattens an input record to all its fields side by side; returns anything else as it is. */
export type DeriveFields = (input: unknown) => unknown;
