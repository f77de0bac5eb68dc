// The changes that a recipe makes to the collections of its draft. Each makes a new collection, which the
// recipe must put into the draft: one that drops it expected the draft itself to change.

import type { Change, Changes } from "../collection/change/version.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { InputError } from "../schema/errors.ts";

export class DraftChanges {
  /** The changes of each collection of the draft, by the path at which it stands. */
  readonly #logs: { readonly path: string; readonly log: Change[] }[] = [];
  /** The collections put into the draft. */
  readonly #placed = new Set<Snapshot>();
  #isOver = false;

  /** The log of changes to the collection at a path. */
  logOf(path: string): Change[] {
    const log: Change[] = [];
    this.#logs.push({ path, log });
    return log;
  }

  /** Notes that a collection was put into the draft. */
  place(snapshot: Snapshot): void {
    this.#placed.add(snapshot);
  }

  /**
   * All changes, each of which led to a collection that was put into the draft.
   *
   * @throws InputError if one did not
   */
  finish(): Changes {
    for (const { path, log } of this.#logs) {
      // The collections that another was made from are no longer needed.
      for (const { before, after } of log.toReversed()) {
        if (this.#placed.has(after)) this.#placed.add(before);
      }
      const dropped = log.find(({ after }) => !this.#placed.has(after));
      if (dropped !== undefined) throw changesNothing(path, dropped);
    }
    return new Map(this.#logs.flatMap(({ log }) => log.map((change) => [change.after, change])));
  }

  /** From now on nothing that belongs to the draft can be changed. */
  end(): void {
    this.#isOver = true;
  }

  /** @throws InputError if the recipe of the draft has returned */
  refuseLate(path: string): void {
    if (this.#isOver)
      throw new InputError(path, "is of an update that is over", { code: "closed" });
  }
}

function changesNothing(path: string, { by }: Change): InputError {
  return new InputError(
    path,
    `${by}() changes nothing in place, it makes a new collection; write ${path} = ${path}.${by}(…)`,
  );
}
