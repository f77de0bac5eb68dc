// Converts the records of a snapshot to another codec, with other hidden columns. Each record keeps its key, and stays
// the same object if it loses nothing. Rows that are columns stay columns.

import type { Codec } from "../columns/codec.ts";
import type { Recoding } from "../columns/rows.ts";
import type { SegmentOptions } from "../versions/segment.ts";
import { Segment } from "../versions/segment.ts";
import { Snapshot } from "../versions/snapshot.ts";
import type { Versioned } from "./delta.ts";

/**
 * Indexes are built again when queries need them. Cost: linear in the records; for rows that are columns, only in the
 * columns.
 *
 * @param deciding which values of each row are kept
 */
export function recode(
  { snapshot, codec: from }: Versioned,
  to: Codec,
  options: SegmentOptions,
  deciding: Pick<Recoding, "by" | "keeps">,
): Snapshot {
  const { by, keeps } = deciding;
  const { schema } = to;
  const lost = from.columns.filter(({ name }) => to.columns.every((other) => other.name !== name));
  const recoding: Recoding = {
    schema,
    columns: to.columns.map(({ name }) => ({ name, type: typeOf(name, to) })),
    lost: lost.map(({ name }) => name),
    by,
    keeps,
  };
  const { indexNames: names } = snapshot.segments[0];
  const recoded = (segment: Segment, first?: Segment): Segment => {
    const decides = segment.rows.readerOf(by);
    const removed: number[] = [];
    for (let row = 0; row < segment.size; row++) {
      if (segment.dead.has(row) || keeps(decides(row)) === undefined) removed.push(row);
    }
    const rows = segment.rows.recoded(recoding);
    const { keys } = segment;
    const made =
      first === undefined
        ? Segment.of(schema, rows, keys, options, names)
        : Segment.ofChanges(schema, rows, keys, options, names, first.cache);
    return made.without(removed);
  };
  const [base, ...others] = snapshot.segments;
  const first = recoded(base);
  const living = others.map((each) => recoded(each, first)).filter(({ live }) => live > 0);
  const made = new Snapshot([first, ...living], snapshot.nextKey, snapshot.lastIds);
  // Recoding objects is linear work anyway, so dead rows are dropped too.
  return base.rows.isIndexed ? made : made.compact();
}

function typeOf(name: Recoding["by"], { schema }: Codec) {
  return schema.places.find((place) => place.name === name)?.field.type ?? "string";
}
