// What late queries have begun, for the next one that needs the same. It is dropped once such a query is in time.

import type { Deadline } from "./deadline.ts";

/** How many are kept of one owner, the latest ones. */
const MOST = 4;

export class Unfinished<Begun> {
  readonly #ofOwners = new WeakMap<object, Map<string, Begun>>();

  /** @param name of what was begun, among those of its owner, such as some rows */
  get(owner: object, name: string): Begun | undefined {
    return this.#ofOwners.get(owner)?.get(name);
  }

  /** Like {@link get}; it is no longer kept. */
  take(owner: object, name: string): Begun | undefined {
    const begun = this.get(owner, name);
    this.#ofOwners.get(owner)?.delete(name);
    return begun;
  }

  /** Keeps what was begun if the query is late, and drops it otherwise. */
  keepIfLate(owner: object, name: string, begun: Begun, deadline: Deadline): void {
    deadline.postpone({
      isUrgent: false,
      build: () => void this.#ofOwners.get(owner)?.delete(name),
      hurry: () => {
        const all = this.#ofOwners.get(owner) ?? new Map<string, Begun>();
        this.#ofOwners.set(owner, all);
        all.delete(name);
        all.set(name, begun);
        for (const oldest of [...all.keys()].slice(0, -MOST)) all.delete(oldest);
      },
    });
  }
}
