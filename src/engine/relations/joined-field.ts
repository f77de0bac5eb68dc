// A field that the records of a collection have by others (rule C20).

import type { Field, FieldValue } from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";

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
   * Reads the value for a record of the collection; `undefined` if records do not tell it.
   *
   * @param schema of the collection
   */
  reader(schema: Schema): ((record: AnyRecord, other: Snapshot) => FieldValue) | undefined;
}
