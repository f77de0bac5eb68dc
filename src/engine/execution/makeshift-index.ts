// The ordered index of a field for queries that are late without it although nothing builds it: because the user builds
// indexes, or because it has no room. It serves until such a query is in time.

import { fieldOf } from "../../schema/names.ts";
import type { Deadline } from "../algorithms/deadline.ts";
import { Resumable } from "../algorithms/resumable.ts";
import { Unfinished } from "../algorithms/unfinished.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import { buildingIndex } from "../indexes/memory-index.ts";
import type { Segment } from "../versions/segment.ts";

class MakeshiftIndex {
  readonly #building = new Resumable<FieldIndex>();
  #index: FieldIndex | undefined;

  /** @throws DeadlineError; the next query continues */
  of({ schema, rows, size, readerOf }: Segment, field: string, deadline: Deadline): FieldIndex {
    const begin = () =>
      buildingIndex(
        fieldOf(schema, field)!.type,
        size,
        readerOf(field),
        rows.numberReaderOf(field),
      );
    return (this.#index ??= this.#building.finish(begin, deadline));
  }
}

const makeshifts = new Unfinished<MakeshiftIndex>();

/**
 * The index of a field that has none, if queries were late without it. Otherwise, if this one is late, the next will have
 * one.
 *
 * @throws DeadlineError; the next query continues to build it
 */
export function makeshiftIndex(
  segment: Segment,
  field: string,
  deadline: Deadline | undefined,
): FieldIndex | undefined {
  if (deadline === undefined || segment.isSmall) return undefined;
  if (!segment.indexes.isWithheld(field)) {
    const hurry = () => segment.charge(field, Infinity);
    deadline.postpone({ isUrgent: false, build: () => undefined, hurry });
    return undefined;
  }
  const begun = makeshifts.get(segment.rows, field);
  makeshifts.keepIfLate(segment.rows, field, begun ?? new MakeshiftIndex(), deadline);
  return begun?.of(segment, field, deadline);
}
