// Collections with fields of other records (rule C20): the same segments, in which each row also has values of theirs.
// Nothing is copied: the columns read from the other collection, and their indexes are made of those of both.

import type { Field } from "../../schema/field.ts";
import { textFormColumn } from "../../schema/names.ts";
import { schemaOfEntries, type Schema } from "../../schema/schema.ts";
import { Cache } from "../cache/cache.ts";
import type { ColumnName, Rows } from "../columns/rows.ts";
import type { Segment } from "../versions/segment.ts";
import { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { JoinedField } from "./joined-field.ts";
import { JoinedIndexes } from "./joined-indexes.ts";
import { JoinedRows, type Reader } from "./joined-rows.ts";

interface JoinedSegment {
  readonly others: readonly Snapshot[];
  readonly rows: JoinedRows;
  readonly indexes: JoinedIndexes;
  readonly columns: readonly JoinedColumn[];
}

/** Joins the versions of a collection with those of others. Each version is joined once. */
export class Join {
  readonly schema: Schema;
  readonly #fields: readonly JoinedField[];
  readonly #cache = new Cache(undefined);
  readonly #segments = new WeakMap<Rows, JoinedSegment>();
  /** The versions joined last, from which the records of results take the values of others. */
  #last:
    | { readonly own: Snapshot; readonly others: readonly Snapshot[]; readonly joined: Snapshot }
    | undefined;

  /**
   * @param schema of the collection
   * @param fields those of others
   */
  constructor(schema: Schema, fields: readonly JoinedField[]) {
    const own = schema.places.map(({ name, field }) => [name, field] as const);
    const joined = fields.map((each, i) => [each.name, this.#fieldOf(schema, each, i)] as const);
    this.schema = schemaOfEntries([...own, ...joined], schema.form, { unique: schema.unique });
    this.#fields = fields;
  }

  /** The field is computed: records have it only where a query selects it. */
  #fieldOf(schema: Schema, field: JoinedField, i: number): Field {
    const read = field.reader(schema);
    const compute: Field["compute"] = (record) => {
      const other = this.#last?.others[i];
      return other === undefined ? null : read?.(record, other);
    };
    return Object.freeze({ ...field.described, compute: read && compute });
  }

  /** @param others the other collection of each field */
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
    const columns = this.#fields.map((field, i) =>
      field.column(segment, others[i]!, earlier?.columns[i]),
    );
    const readers = new Map<ColumnName, () => Reader>();
    this.#fields.forEach(({ name }, i) => {
      readers.set(name, () => columns[i]!.reader(false));
      readers.set(textFormColumn(schema, name), () => columns[i]!.reader(true));
    });
    const rows = new JoinedRows(segment.rows, readers);
    const byName = new Map(this.#fields.map(({ name }, i) => [name, columns[i]!]));
    const indexes = new JoinedIndexes(schema, rows, segment.options, segment.indexes, byName);
    return { others, rows, indexes, columns };
  }
}

const areSame = (some: readonly Snapshot[], others: readonly Snapshot[]): boolean =>
  some.every((each, i) => each === others[i]);
