// A page of a query that follows changes. It keeps the rows of the page, and some on either side of it, in the order of
// the query. Changes before or beyond these rows move them or do nothing; the query is asked again only if the page
// runs short of rows.

import { bisectBy } from "../algorithms/bisect.ts";
import type { RecordChange, Version } from "../columns/record-change.ts";
import { pageWith, type PageAt, type Position } from "../cursor.ts";
import { forEachFrom } from "../execution/page-after.ts";
import { sortValueOf } from "../execution/value-groups.ts";
import { projected } from "../projection.ts";
import { sortsOf, UNLIMITED, type Page, type ParsedQuery } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { Order, type SortValue } from "../versions/sort-order.ts";
import type { AnyRecord } from "../../schema/field-types.ts";
import type { TextValue } from "../../schema/field.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Maintained } from "./maintained.ts";
import { RowReaders } from "./row-readers.ts";

/** The place of a row in the order of a query. */
interface Place {
  readonly values: readonly SortValue[];
  readonly key: number;
}

interface KeptRow extends Place {
  readonly record: AnyRecord;
  /** The values of the sort fields as cursors have them. The record has only those that are stored. */
  readonly texts: readonly TextValue[];
}

/** The rows around a page. */
class KeptRows {
  readonly #query: ParsedQuery;
  readonly #fields: readonly string[];
  readonly #orders: readonly Order[];
  readonly #readers: RowReaders;
  /** The rows start after this place. */
  readonly #after: Place | undefined;
  readonly #rows: KeptRow[] = [];
  /** How many rows come before those that are kept. */
  #start: number;
  /** Whether no row comes after those that are kept. */
  #isEnd: boolean;

  /** @throws DeadlineError */
  constructor(snapshot: Snapshot, query: ParsedQuery, position: Position | undefined) {
    const { schema } = snapshot.segments[0];
    const { offset, limit } = query;
    const sorts = sortsOf(query.sort);
    this.#query = query;
    this.#fields = sorts.map(({ field }) => field);
    this.#readers = new RowReaders(schema, this.#fields);
    this.#orders = sorts.map((sort) => new Order({ sort }));
    this.#after = position && placeOf(schema, query, position);
    this.#start = Math.max(0, offset - tuning.spareRows);
    // One more row tells whether another page follows.
    const end = Math.min(UNLIMITED, offset + limit + 1 + tuning.spareRows);
    const asked = { ...query, offset: this.#start, limit: end - this.#start };
    forEachFrom(snapshot, asked, position, (segment, rows, from, to) => {
      for (let i = from; i < to; i++) {
        const version = { rows: segment.rows, row: rows[i]! };
        const place = { values: this.#readers.read(version), key: segment.keyOf(version.row) };
        this.#rows.push(this.#kept(version, place));
      }
    });
    this.#isEnd = this.#rows.length < asked.limit;
  }

  /** Whether these are all rows that the page needs to know, and where a changed row would belong among them. */
  isEnough(): boolean {
    const { offset, limit } = this.#query;
    const end = this.#start + this.#rows.length;
    if (this.#rows.length === 0) return this.#isEnd && this.#start === 0;
    return this.#start <= offset && (this.#isEnd || end > offset + limit);
  }

  /** The rows of the page. */
  get page(): readonly KeptRow[] {
    const { offset, limit } = this.#query;
    const from = offset - this.#start;
    return this.#rows.slice(from, from + limit);
  }

  /** Whether a row comes after the page. */
  get hasMore(): boolean {
    const { offset, limit } = this.#query;
    return this.#start + this.#rows.length > offset + limit;
  }

  /** @returns whether the page may differ */
  remove(version: Version, key: number): boolean {
    const place = { values: this.#readers.read(version), key };
    if (!this.#isAfterStart(place)) return false;
    const at = this.#find(place);
    if (this.#rows[at]?.key === key) this.#rows.splice(at, 1);
    else if (at === 0 && this.#start > 0) this.#start--;
    else return false;
    return this.#reaches(at);
  }

  /** @returns whether the page may differ */
  add(version: Version, key: number): boolean {
    const place = { values: this.#readers.read(version), key };
    if (!this.#isAfterStart(place)) return false;
    const at = this.#find(place);
    if (at === 0 && this.#start > 0) this.#start++;
    else if (at === this.#rows.length && !this.#isEnd) return false;
    else {
      this.#rows.splice(at, 0, this.#kept(version, place));
      this.#trim();
    }
    return this.#reaches(at);
  }

  #kept({ rows, row }: Version, place: Place): KeptRow {
    const texts = this.#fields.map((field) => rows.readerOf(field)(row));
    return { ...place, record: rows.record(row), texts };
  }

  /** Whether a change at a position among the kept rows may be seen in the page, or after it. */
  #reaches(at: number): boolean {
    const { offset, limit } = this.#query;
    return this.#start + at <= offset + limit;
  }

  /** Many added rows are dropped beyond the spare ones. */
  #trim(): void {
    const { offset, limit } = this.#query;
    const enough = offset + limit + 1 + tuning.spareRows - this.#start;
    if (this.#rows.length <= enough + tuning.spareRows) return;
    this.#rows.length = enough;
    this.#isEnd = false;
  }

  /** The position of the first kept row that does not come before a place. */
  #find(place: Place): number {
    return bisectBy(this.#rows.length, (at) => this.#compare(this.#rows[at]!, place) < 0);
  }

  #isAfterStart(place: Place): boolean {
    return this.#after === undefined || this.#compare(this.#after, place) < 0;
  }

  #compare(a: Place, b: Place): number {
    for (let i = 0; i < this.#orders.length; i++) {
      const order = this.#orders[i]!.compareValues(a.values[i]!, b.values[i]!);
      if (order !== 0) return order;
    }
    return a.key - b.key;
  }
}

/** The place of a cursor. */
function placeOf(schema: Schema, { sort }: ParsedQuery, { values, key }: Position): Place {
  const sorted = sortsOf(sort).map(({ field }, i) =>
    sortValueOf(fieldOf(schema, field)!.type, values[i] ?? null),
  );
  return { values: sorted, key };
}

/** The records of a query, as `query` returns them. */
export class MaintainedRecords implements Maintained {
  readonly #query: ParsedQuery;
  readonly #kept: KeptRows;

  /** @throws DeadlineError */
  constructor(snapshot: Snapshot, query: ParsedQuery) {
    this.#query = query;
    this.#kept = new KeptRows(snapshot, query, undefined);
  }

  /** Unless no record is near the offset. */
  get follows(): boolean {
    return this.#kept.isEnough();
  }

  change(change: RecordChange): boolean | undefined {
    return changed(this.#kept, change);
  }

  answer(): AnyRecord[] {
    return projected(
      this.#query,
      this.#kept.page.map(({ record }) => record),
    );
  }
}

/** A page of a query, as `page` returns it. */
export class MaintainedPage implements Maintained {
  readonly follows = true;
  readonly #schema: Schema;
  readonly #query: ParsedQuery;
  readonly #at: PageAt;
  readonly #kept: KeptRows;

  /** @param at not backwards @throws DeadlineError */
  constructor(snapshot: Snapshot, query: ParsedQuery, at: PageAt) {
    this.#schema = snapshot.segments[0].schema;
    this.#query = query;
    this.#at = at;
    this.#kept = new KeptRows(snapshot, query, at.position);
  }

  change(change: RecordChange): boolean | undefined {
    return changed(this.#kept, change);
  }

  answer(): Page<AnyRecord> {
    const { page: rows, hasMore } = this.#kept;
    const records = projected(
      this.#query,
      rows.map(({ record }) => record),
    );
    return pageWith(this.#schema, this.#query, this.#at, records, hasMore, (index) => {
      const { texts, key } = rows[index]!;
      return { values: texts, key };
    });
  }
}

function changed(kept: KeptRows, { key, before, after }: RecordChange): boolean | undefined {
  const isLess = before !== undefined && kept.remove(before, key);
  // Whatever is added now may belong where rows are missing.
  if (!kept.isEnough()) return undefined;
  const isMore = after !== undefined && kept.add(after, key);
  return kept.isEnough() ? isLess || isMore : undefined;
}
