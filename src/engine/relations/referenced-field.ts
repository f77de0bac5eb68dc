// A field of the records to which another field refers.

import type { ParsedCriterion } from "../../criteria/tree.ts";
import { isNumeric, type TextValue } from "../../schema/field.ts";
import { textFormColumn } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { UniqueConstraint } from "../../schema/unique.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { finish } from "../algorithms/steps.ts";
import { compare } from "../changes/compare.ts";
import { locationOf } from "../changes/unique.ts";
import { selectedBySegment } from "../execution/selected-rows.ts";
import { numberOf, type FieldIndex } from "../indexes/field-index.ts";
import { buildingIndex } from "../indexes/memory-index.ts";
import { mergingIndexes } from "../indexes/merge.ts";
import { EVERY_ROW } from "../query.ts";
import { tuning } from "../tuning.ts";
import type { Segment } from "../versions/segment.ts";
import type { Snapshot } from "../versions/snapshot.ts";
import { JoinedRows } from "./joined-rows.ts";
import { linkedCodes } from "./linked-codes.ts";

/** Stands for null among the values that {@link ReferencedField.index} adds. */
const NULL = ~0;

export class ReferencedField {
  readonly #snapshot: Snapshot;
  readonly #key: UniqueConstraint;
  readonly #field: string;

  /**
   * @param snapshot of the referenced collection
   * @param key its unique field to which values refer
   * @param field the field whose values are meant
   */
  constructor(snapshot: Snapshot, key: UniqueConstraint, field: string) {
    this.#snapshot = snapshot;
    this.#key = key;
    this.#field = field;
  }

  get #schema(): Schema {
    return this.#snapshot.segments[0].schema;
  }

  /**
   * Reads the value for a reference, by which it is compared, or its text form; null for null. Builds the index of the
   * key; then expected constant time.
   */
  reader(isTextForm: boolean): (reference: TextValue) => TextValue {
    const snapshot = this.#snapshot;
    const column = isTextForm ? textFormColumn(this.#schema, this.#field) : this.#field;
    const readers = new Map<Segment, (row: number) => TextValue>();
    return (reference) => {
      const found = locationOf(snapshot, this.#key, reference);
      if (found === undefined) return null;
      const { segment, row } = found;
      let read = readers.get(segment);
      if (read === undefined) readers.set(segment, (read = segment.rows.readerOf(column)));
      return read(row);
    };
  }

  /** Charges what reading values one by one cost. */
  charge(nanoseconds: number): void {
    for (const segment of this.#snapshot.segments) {
      segment.charge(this.#field, nanoseconds);
    }
  }

  /**
   * The value of each code of an index of references, as an index in which codes are the rows. Linear in the codes and
   * the values; `undefined` if the field has no index.
   *
   * @throws DeadlineError
   */
  index(references: FieldIndex, deadline: Deadline | undefined): FieldIndex | undefined {
    const [base, ...others] = this.#snapshot.segments;
    const values = base.ordered(this.#field, deadline);
    if (values === undefined) return undefined;
    const keys = base.indexes.requireOrdered(this.#key.name);
    const linked = linkedCodes(references, keys);
    const origins = linked.map((code) => (code < 0 ? NULL : liveRow(base, keys, code)));
    const added: TextValue[] = [null];
    for (const segment of others) {
      const [keyOf, valueOf] = [this.#key.name, this.#field].map((name) =>
        segment.rows.readerOf(name),
      );
      for (const { row } of segment.locations()) {
        const code = references.codeOf(keyOf?.(row) ?? null);
        if (code > 0) origins[code] = ~(added.push(valueOf?.(row) ?? null) - 1);
      }
    }
    const { type } = values;
    const isFolded = this.#schema.spellings.has(this.#field);
    const read = (i: number) => added[i] ?? null;
    const readNumber = isNumeric(type) ? (i: number) => numberOf(read(i)) : undefined;
    const ofAdded = finish(buildingIndex(type, added.length, read, readNumber, isFolded));
    return finish(mergingIndexes(values, ofAdded, origins));
  }

  /**
   * What a change of few records that brings no new value and takes none away changes in the index. Cost: that of the
   * records.
   *
   * @param before the field before the change
   * @param values its values by the codes of the references
   * @returns the new code of each reference that has another value; `undefined` if the index has to be made anew
   */
  follow(
    before: ReferencedField,
    references: FieldIndex,
    values: FieldIndex,
  ): ReadonlyMap<number, number> | undefined {
    const snapshot = this.#snapshot;
    // The records of joined ones do not show what changed.
    const isJoined = snapshot.segments[0].rows instanceof JoinedRows;
    if (isJoined || before.#snapshot.cache !== snapshot.cache) return undefined;
    const changed = new Set<number>();
    for (const change of compare(before.#snapshot, snapshot)) {
      if (changed.size > tuning.mostFollowedReferences) return undefined;
      for (const version of [change.before, change.after]) {
        const code =
          version && references.codeOf(version.rows.readerOf(this.#key.name)(version.row));
        if (code !== undefined && code > 0) changed.add(code);
      }
    }
    const read = this.reader(false);
    const lost = new Map<number, number>();
    const moved = new Map<number, number>();
    for (const reference of changed) {
      const value = read(references.values.at(reference) ?? null);
      const code = value === null ? 0 : values.firstCodeOf(value);
      const old = values.codeAt(reference);
      if (values.values.at(code) !== value) return undefined;
      if (code === old) continue;
      lost.set(old, (lost.get(old) ?? 0) + 1);
      moved.set(reference, code);
    }
    for (const [code, count] of lost) {
      if (code > 0 && values.startOf(code + 1) - values.startOf(code) <= count) return undefined;
    }
    return moved;
  }

  /** The values of records that satisfy a criterion of one's own field, found by the indexes of the collection. */
  valuesWith(criterion: ParsedCriterion, deadline: Deadline | undefined): ReadonlySet<string> {
    const criteria = { groups: [[{ ...criterion, field: this.#field }]] };
    const found = selectedBySegment(this.#snapshot, { ...EVERY_ROW, criteria, deadline });
    const values = new Set<string>();
    for (const [segment, rows] of found) {
      const read = segment.rows.readerOf(this.#field);
      for (let i = 0; i < rows.length; i++) {
        const value = read(rows[i]!);
        if (value !== null) values.add(value);
      }
    }
    return values;
  }
}

/** The live row with a key, or {@link NULL}. */
function liveRow({ dead }: Segment, keys: FieldIndex, code: number): number {
  const end = keys.startOf(code + 1);
  for (let at = keys.startOf(code); at < end; at++) {
    const row = keys.rowAt(at);
    if (!dead.has(row)) return row;
  }
  return NULL;
}
