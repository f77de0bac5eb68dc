// Collections with fields of other records (rule C20): the same segments, in which each row also has values of theirs.
// Nothing is copied: the columns read from the other collection, and their indexes are made of those of both.

import type { Field } from "../../schema/field.ts";
import { textFormColumn } from "../../schema/names.ts";
import { schemaOfEntries, type Schema } from "../../schema/schema.ts";
import { Cache } from "../cache/cache.ts";
import type { Version } from "../columns/record-change.ts";
import type { ColumnName, Rows } from "../columns/rows.ts";
import type { IndexBudget } from "../indexes/index-budget.ts";
import { costs } from "../operators/costs.ts";
import { mostFollowed } from "../maintenance/most-followed.ts";
import type { Segment } from "../versions/segment.ts";
import { Snapshot } from "../versions/snapshot.ts";
import type { JoinedColumn } from "./joined-column.ts";
import type { Affected, Followed, JoinedField } from "./joined-field.ts";
import { JoinedIndexes } from "./joined-indexes.ts";
import { JoinedRows, type Reader } from "./joined-rows.ts";

/** Versions of a collection and of others, joined. */
interface JoinedVersion {
  readonly own: Snapshot;
  readonly others: readonly Snapshot[];
  readonly joined: Snapshot;
}

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
  readonly #cache: Cache;
  readonly #segments = new WeakMap<Rows, JoinedSegment>();
  /** The versions joined last, from which the records of results take the values of others. */
  #last: JoinedVersion | undefined;
  /** Those before, from which several followers of a change come. */
  #previous: JoinedVersion | undefined;

  /**
   * @param schema of the collection
   * @param fields those of others
   * @param budget of the indexes of the collection
   */
  constructor(schema: Schema, fields: readonly JoinedField[], budget: IndexBudget | undefined) {
    const own = schema.places.map(({ name, field }) => [name, field] as const);
    const joined = fields.map((each, i) => [each.name, this.#fieldOf(schema, each, i)] as const);
    this.schema = schemaOfEntries([...own, ...joined], schema.form, { unique: schema.unique });
    this.#fields = fields;
    this.#cache = new Cache(budget);
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
    for (const known of [this.#last, this.#previous]) {
      if (known?.own === own && areSame(known.others, others)) return known.joined;
    }
    const [first, ...rest] = own.segments;
    const joined = new Snapshot(
      [this.#segmentOf(first, others), ...rest.map((each) => this.#segmentOf(each, others))],
      own.nextKey,
      own.lastIds,
    );
    this.#previous = this.#last;
    this.#last = { own, others, joined };
    return joined;
  }

  /**
   * What changed from one version to another, where the collection or others did. Cost: that of the changed records, and
   * of those that refer to them.
   *
   * @param others the changes of the other collection of each field
   * @returns `undefined` if more records may have changed than are worth following, or it is not known which
   */
  changes(own: Followed, others: readonly Followed[]): Followed | undefined {
    const before = this.of(
      own.before,
      others.map((each) => each.before),
    );
    const after = this.of(
      own.after,
      others.map((each) => each.after),
    );
    const keys = new Set(own.delta.map(({ key }) => key));
    for (const [i, other] of others.entries()) {
      if (other.delta.length === 0) continue;
      const affected = this.#fields[i]!.affected(other);
      if (affected === undefined) return undefined;
      for (const key of keysWith(own.after, affected)) {
        keys.add(key);
        if (keys.size > mostFollowed(after)) return undefined;
      }
    }
    const ascending = [...keys].sort((a, b) => a - b);
    const delta = ascending.map((key) => {
      return { key, before: versionIn(before, key), after: versionIn(after, key) };
    });
    return { before, after, delta };
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
    // The text forms of own fields have other names in this schema.
    for (const [name, column] of segment.schema.spellings) {
      readers.set(textFormColumn(schema, name), () => segment.rows.readerOf(column));
    }
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

function versionIn(snapshot: Snapshot, key: number): Version | undefined {
  const found = snapshot.find(key);
  return found && { rows: found.segment.rows, row: found.row };
}

/** The keys of the live rows with some values in a field. */
function* keysWith({ segments }: Snapshot, { field, values }: Affected): Generator<number, void> {
  for (const segment of segments) {
    const { dead } = segment;
    const index = segment.ordered(field);
    if (index === undefined) {
      const read = segment.readerOf(field);
      segment.charge(field, segment.size * costs.valueTest);
      for (let row = 0; row < segment.size; row++) {
        if (values.has(read(row)) && !dead.has(row)) yield segment.keyOf(row);
      }
      continue;
    }
    for (const value of values) {
      const code = value === null ? -1 : index.codeOf(value);
      if (code < 0) continue;
      const end = index.startOf(code + 1);
      for (let at = index.startOf(code); at < end; at++) {
        const row = index.rowAt(at);
        if (!dead.has(row)) yield segment.keyOf(row);
      }
    }
  }
}

const areSame = (some: readonly Snapshot[], others: readonly Snapshot[]): boolean =>
  some.every((each, i) => each === others[i]);
