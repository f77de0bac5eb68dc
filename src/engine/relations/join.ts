// Collections with fields of the records to which theirs refer (rule C20): the same segments, in which each row also has
// the values of other records. Nothing is copied: the columns read from the other collection, and their indexes are made
// of those of both.

import {
  comparisonText,
  storedValue,
  textFormOfStored,
  type Field,
  type FieldValue,
} from "../../schema/field.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import { fieldOf, textFormColumn } from "../../schema/names.ts";
import { schemaOfEntries, type Schema } from "../../schema/schema.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import { locationOf } from "../changes/unique.ts";
import { Cache } from "../cache/cache.ts";
import type { ColumnName, Rows } from "../columns/rows.ts";
import type { Segment } from "../versions/segment.ts";
import { Snapshot, type Location } from "../versions/snapshot.ts";
import { ReferencedColumn } from "./joined-column.ts";
import { JoinedIndexes } from "./joined-indexes.ts";
import { JoinedRows, type Reader } from "./joined-rows.ts";
import { ReferencedField } from "./referenced-field.ts";

/** A field of other records, in joined ones. */
export interface JoinedField {
  readonly name: string;
  /** The field of the record itself that refers to another one. */
  readonly by: string;
  /** The unique field of the other collection to which it refers. */
  readonly key: UniqueConstraint;
  /** The field of the other record. */
  readonly field: string;
  /** That field, as its schema has it. */
  readonly described: Field;
}

interface JoinedSegment {
  readonly others: readonly Snapshot[];
  readonly rows: JoinedRows;
  readonly indexes: JoinedIndexes;
  readonly columns: readonly ReferencedColumn[];
}

/** Joins the versions of a collection with those of others. Each version is joined once. */
export class Join {
  readonly schema: Schema;
  readonly #fields: readonly JoinedField[];
  readonly #cache = new Cache(undefined);
  readonly #segments = new WeakMap<Rows, JoinedSegment>();
  #last:
    | { readonly own: Snapshot; readonly others: readonly Snapshot[]; readonly joined: Snapshot }
    | undefined;

  /**
   * @param schema of the collection
   * @param fields the joined fields
   */
  constructor(schema: Schema, fields: readonly JoinedField[]) {
    const own = schema.places.map(({ name, field }) => [name, field] as const);
    const joined = fields.map((each, i) => [each.name, this.#fieldOf(schema, each, i)] as const);
    this.schema = schemaOfEntries([...own, ...joined], schema.form, { unique: schema.unique });
    this.#fields = fields;
  }

  /** The field is computed: null without a reference. */
  #fieldOf(schema: Schema, { by, key, field, described }: JoinedField, i: number): Field {
    const reference = fieldOf(schema, by);
    const computed = schema.computed.get(by);
    const valueOf = (record: AnyRecord): FieldValue => {
      const other = this.#last?.others[i];
      const value = (computed === undefined ? record[by] : computed.read(record)) ?? null;
      if (other === undefined || reference === undefined || value === null) return null;
      const text = comparisonText(reference, textFormOfStored(reference, value));
      const found = locationOf(other, key, text);
      return found === undefined ? null : valueAt(found, field);
    };
    // Records do not tell to which others they refer if they lack the reference.
    const isSelected = reference?.stored === true || computed !== undefined;
    return Object.freeze({
      ...described,
      nullable: true,
      unique: false,
      stored: false,
      path: undefined,
      compute: isSelected ? valueOf : undefined,
    });
  }

  /** @param others the other collection of each joined field */
  of(own: Snapshot, others: readonly Snapshot[]): Snapshot {
    const last = this.#last;
    if (last?.own === own && areSame(last.others, others)) return last.joined;
    const [first, ...rest] = own.segments;
    const joined = new Snapshot(
      [this.#segmentOf(first, others), ...rest.map((each) => this.#segmentOf(each, others))],
      own.nextKey,
      own.lastIds,
    );
    this.#last = { own, others, joined };
    return joined;
  }

  #segmentOf(segment: Segment, others: readonly Snapshot[]): Segment {
    const earlier = this.#segments.get(segment.rows);
    const isCurrent = earlier !== undefined && areSame(earlier.others, others);
    const joined = isCurrent ? earlier : this.#join(segment, others, earlier);
    if (!isCurrent) this.#segments.set(segment.rows, joined);
    return segment.joined(this.schema, joined.rows, joined.indexes, this.#cache);
  }

  #join(
    segment: Segment,
    others: readonly Snapshot[],
    earlier: JoinedSegment | undefined,
  ): JoinedSegment {
    const { schema } = this;
    const columns = this.#fields.map(({ by, key, field }, i) => {
      const of = new ReferencedField(others[i]!, key, field);
      return new ReferencedColumn(segment.rows, segment.indexes, by, of, earlier?.columns[i]);
    });
    const readers = new Map<ColumnName, Reader>();
    this.#fields.forEach(({ name }, i) => {
      readers.set(name, columns[i]!.reader(false));
      readers.set(textFormColumn(schema, name), columns[i]!.reader(true));
    });
    const rows = new JoinedRows(segment.rows, readers);
    const byName = new Map(this.#fields.map(({ name }, i) => [name, columns[i]!]));
    const indexes = new JoinedIndexes(schema, rows, segment.options, segment.indexes, byName);
    return { others, rows, indexes, columns };
  }
}

const areSame = (some: readonly Snapshot[], others: readonly Snapshot[]): boolean =>
  some.every((each, i) => each === others[i]);

/** The value of a field of a row, as records hold it. */
function valueAt({ segment: { schema, rows }, row }: Location, name: string): FieldValue {
  const computed = schema.computed.get(name);
  if (computed !== undefined) return computed.read(rows.record(row));
  const field = fieldOf(schema, name);
  if (field === undefined || field.stored) return rows.record(row)[name] ?? null;
  return storedValue(schema.form, field, rows.readerOf(textFormColumn(schema, name))(row));
}
