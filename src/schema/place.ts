// What a schema records about its fields and records, besides the fields themselves.

import type { Field } from "./field.ts";

/** A field's place in the order of a schema. */
export interface Place {
  readonly name: string;
  readonly position: number;
  readonly field: Field;
}

/**
 * Flattens an input record, so that all fields are direct members; returns anything else unchanged.
 */
export type DeriveFields = (input: unknown) => unknown;
