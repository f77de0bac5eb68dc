// A field that the records of a collection have by others (rule C20).

import type { Field, FieldValue, TextValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Delta } from "../columns/record-change.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";

/** Two versions of a collection, and the difference between them. */
export interface Followed {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly delta: Delta;
}

/** Records with some values in a field. */
export interface Affected {
  readonly field: string;
  readonly values: ReadonlySet<TextValue>;
}

export interface JoinedField {
  readonly name: string;
  /** The type and the options of its values. */
  readonly described: Field;
  /**
   * The column of the rows of a segment.
   *
   * @param other the other collection
   * @param earlier the column of the same rows before the other collection changed
   */
  column(segment: Segment, other: Snapshot, earlier: JoinedColumn | undefined): JoinedColumn;
  /**
   * Which records of the collection may have another value after a change of the other one: those with one of these
   * values in a field.
   *
   * @param other the other collection before and after the change
   * @returns `undefined` if it is not known
   */
  affected(other: Followed): Affected | undefined;
  /**
   * Reads the value for a record of the collection; `undefined` if records do not tell it.
   *
   * @param schema of the collection
   */
  reader(schema: Schema): ((record: AnyRecord, other: Snapshot) => FieldValue) | undefined;
}
