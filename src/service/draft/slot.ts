// The places of a draft where collections stand, and the collections that are made of those and have
// to be put there.

import { Collection } from "../../collection/collection.ts";
import { alternatives, InputError, quote } from "../../schema/errors.ts";
import type { Schema } from "../../schema/schema.ts";
import { Lineage } from "../lineage.ts";

/** A collection that was made of a draft's, by which of its functions, and where that one stands. */
interface Made {
  readonly from: object;
  readonly by: string;
  readonly path: string;
}

/** The collections that were made of a draft's and put nowhere yet. */
export class Loose {
  /** How all of them were made. */
  readonly lineage = new Lineage();
  readonly #made = new Map<object, Made>();
  #isOver = false;

  add(made: object, by: Made): void {
    this.#made.set(made, by);
  }

  /** From now on nothing that belongs to the draft can be changed. */
  end(): void {
    this.#isOver = true;
  }

  /** @throws InputError where the draft is of a recipe that has returned */
  refuseLate(path: string): void {
    if (this.#isOver) throw new InputError(path, "is of an update that is over");
  }

  /** Notes that a collection is put in a place: all that it was made of has then served. */
  keep(collection: object): void {
    for (let each: object | undefined = collection; each !== undefined;) {
      const from: object | undefined = this.#made.get(each)?.from;
      this.#made.delete(each);
      each = from;
    }
  }

  /** @throws InputError where there is one: whoever drops it expects the draft to be changed */
  refuse(): void {
    for (const { by, path } of this.#made.values()) {
      throw new InputError(
        path,
        `${by}() changes nothing in place, it makes a new collection; write ${path} = ${path}.${by}(…)`,
      );
    }
  }
}

/** A place of a draft where a collection stands, and others that are made from it can be put. */
export class Slot<S extends Schema, Input> {
  readonly #path: string;
  readonly #whose: string;
  readonly #loose: Loose;
  readonly #before: Collection<S, Input>;
  /** The collection before, as recipes are given it. */
  readonly #given: Collection<S, Input>;
  #current: Collection<S, Input>;

  /** @param whose names the collection in errors, such as `Files of this service` */
  constructor(before: Collection<S, Input>, path: string, whose: string, loose: Loose) {
    this.#path = path;
    this.#whose = whose;
    this.#loose = loose;
    this.#before = before;
    this.#given = Collection.of(before.state, (made, from, by, commit) => {
      loose.add(made, { from, by, path });
      loose.lineage.add(made, from, commit);
    });
    this.#current = this.#given;
  }

  get current(): Collection<S, Input> {
    return this.#current;
  }

  put(next: unknown): void {
    this.#loose.refuseLate(this.#path);
    if (!this.#before.isRelated(next)) {
      throw new InputError(this.#path, `must be made from the ${this.#whose}`);
    }
    this.#loose.keep(next);
    this.#current = next;
  }

  /** What stands there, for the state; the one before, where there is no other. */
  finish(): Collection<S, Input> {
    return this.#current === this.#given ? this.#before : Collection.of(this.#current.state);
  }
}

/** Refuses what was put beside the members that a draft has. */
export function refuseOthers(draft: object, path: string, members: readonly string[]): void {
  const other = Object.keys(draft).find((name) => !members.includes(name));
  if (other === undefined) return;
  throw new InputError(path, `has no member ${quote(other)}; use ${alternatives(members)}`);
}
