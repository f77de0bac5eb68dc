// A collection of a draft, which a recipe can replace by one that changes have made from it.

import { Collection } from "../collection/collection.ts";
import { InputError } from "../schema/errors.ts";
import type { Schema } from "../schema/schema.ts";
import type { DraftChanges } from "./draft-changes.ts";

export class DraftedCollection<S extends Schema, Input> {
  readonly #path: string;
  readonly #whose: string;
  readonly #changes: DraftChanges;
  readonly #before: Collection<S, Input>;
  /** The collection before, as recipes get it. */
  readonly #given: Collection<S, Input>;
  #current: Collection<S, Input>;

  /** @param whose names the collection in errors, such as `Files of this service` */
  constructor(before: Collection<S, Input>, path: string, whose: string, changes: DraftChanges) {
    this.#path = path;
    this.#whose = whose;
    this.#changes = changes;
    this.#before = before;
    this.#given = Collection.of(before.state, changes.logOf(path));
    this.#current = this.#given;
  }

  get current(): Collection<S, Input> {
    return this.#current;
  }

  put(next: unknown): void {
    this.#changes.refuseLate(this.#path);
    if (!this.#before.isRelated(next)) {
      throw new InputError(this.#path, `must be made from the ${this.#whose}`);
    }
    this.#changes.place(next.state.snapshot);
    this.#current = next;
  }

  /** The collection of the next state: the one before, unless the recipe replaced it. */
  finish(): Collection<S, Input> {
    return this.#current === this.#given ? this.#before : Collection.of(this.#current.state);
  }
}
