// The eleven queries over a collection that was opened from a file, beside the same one of objects; and
// what it holds once everything was touched. Both are in one process, so that they can take turns.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Collection } from "../../src/index.ts";
import { openFile, saveFile } from "../../src/store/index.ts";
import { flatContacts } from "../load.ts";
import { heapInUse, timeInTurns, turns, type Rounds } from "../measure.ts";
import { prepareAll, tercetRun } from "../peers/tercet-run.ts";
import { collectionOfFlat } from "../peers/tercet-flat.ts";
import { fitOffset, queriesFor, type BenchQuery } from "../queries.ts";
import { matchesOf } from "../reference.ts";
import type { OpenedQueries } from "../results.ts";

export async function opened(
  size: number,
  ids: readonly number[],
  rounds: Rounds,
): Promise<OpenedQueries> {
  const queries = queriesOf(size, ids);
  const objects = objectsOf(size);
  const place = mkdtempSync(join(tmpdir(), "tercet-bench-"));
  try {
    const file = join(place, "contacts");
    saveFile(file, objects);
    const before = heapInUse();
    const collection = openFile(file);
    prepareAll(collection);
    const timings: OpenedQueries["queries"][number][] = [];
    for (const query of queries) {
      const runs = { objects: tercetRun(objects, query), opened: tercetRun(collection, query) };
      const [first = []] = query.values;
      const [expected, found] = [await runs.objects(first), await runs.opened(first)];
      if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`query ${query.id} is answered wrongly from the file`);
      }
      const [own, others] = [turns(query.values), turns(query.values)];
      const timing = await timeInTurns(
        { objects: () => runs.objects(own()), opened: () => runs.opened(others()) },
        rounds,
      );
      timings.push({ label: `${query.id} ${query.label}`, ...timing });
    }
    let touched = 0;
    for (const record of collection) touched += Object.keys(record).length > 0 ? 1 : 0;
    if (touched !== size) throw new Error(`${touched} contacts are in the file`);
    // What weak references lead to is held until the turn of the event loop has ended.
    await setImmediate();
    const bytes = heapInUse() - before;
    // Both must still be there when the heap is looked at.
    if (objects.size !== collection.size) throw new Error("the collections differ in size");
    return { queries: timings, bytes };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

// Functions of their own, so that the contacts are garbage when they return.

function objectsOf(size: number): Collection {
  const objects = collectionOfFlat(flatContacts(size));
  prepareAll(objects);
  return objects;
}

function queriesOf(size: number, ids: readonly number[]): BenchQuery[] {
  const contacts = flatContacts(size);
  return queriesFor(contacts)
    .filter(({ id }) => ids.includes(id))
    .map((query) => fitOffset(query, matchesOf(contacts, query, query.values[0] ?? []).length));
}
