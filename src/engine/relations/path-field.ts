// A field of the records to which those of a collection refer.

import {
  comparisonText,
  storedValue,
  textFormOfStored,
  type Field,
  type FieldValue,
  type TextValue,
} from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import { fieldOf, textFormColumn } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { locationOf } from "../changes/unique.ts";
import type { ColumnName } from "../columns/rows.ts";
import type { Version } from "../columns/record-change.ts";
import type { Segment } from "../versions/segment.ts";
import type { Location, Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Affected, Followed, JoinedField } from "./joined-field.ts";
import { ReferencedColumn } from "./referenced-column.ts";
import { ReferencedField } from "./referenced-field.ts";

/** The way to a field of another record. */
export interface Way {
  /** The field that refers to the other record. */
  readonly by: string;
  /** The unique field of the other collection to which it refers. */
  readonly key: UniqueConstraint;
  /** The field of the other record. */
  readonly field: string;
}

export class PathField implements JoinedField {
  readonly name: string;
  readonly described: Field;
  readonly #way: Way;

  /** @param described null without a reference */
  constructor(name: string, way: Way, described: Field) {
    this.name = name;
    this.#way = way;
    this.described = described;
  }

  column(segment: Segment, other: Snapshot, earlier: JoinedColumn | undefined): JoinedColumn {
    const { by, key, field } = this.#way;
    const { rows, indexes, options } = segment;
    const of = new ReferencedField(other, key, field);
    const last = earlier instanceof ReferencedColumn ? earlier : undefined;
    return new ReferencedColumn(rows, indexes, by, of, last, options.budget);
  }

  affected({ after: { segments }, delta }: Followed): Affected {
    const { by, key, field } = this.#way;
    const read = [key.name, field, textFormColumn(segments[0].schema, field)];
    const values = new Set<TextValue>();
    for (const { before, after } of delta) {
      const isSame =
        before && after && read.every((name) => valueIn(before, name) === valueIn(after, name));
      if (isSame === true) continue;
      for (const version of [before, after]) {
        if (version !== undefined) values.add(valueIn(version, key.name));
      }
    }
    return { field: by, values };
  }

  reader(schema: Schema): ((record: AnyRecord, other: Snapshot) => FieldValue) | undefined {
    const { by, key, field } = this.#way;
    const reference = fieldOf(schema, by);
    if (reference?.stored !== true) return undefined;
    return (record, other) => {
      const value = record[by] ?? null;
      if (value === null) return null;
      const text = comparisonText(reference, textFormOfStored(reference, value));
      const found = locationOf(other, key, text);
      return found === undefined ? null : valueAt(found, field);
    };
  }
}

const valueIn = ({ rows, row }: Version, name: ColumnName): TextValue => rows.readerOf(name)(row);

/** The value of a field of a row, as records hold it. */
function valueAt({ segment: { schema, rows }, row }: Location, name: string): FieldValue {
  const computed = schema.computed.get(name);
  if (computed !== undefined) return computed.read(rows.record(row));
  const field = fieldOf(schema, name);
  if (field === undefined || field.stored) return rows.record(row)[name] ?? null;
  return storedValue(schema.form, field, rows.readerOf(textFormColumn(schema, name))(row));
}
