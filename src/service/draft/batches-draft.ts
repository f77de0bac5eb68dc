// The Batches of a draft: those that are read or written are drafted, the others stay as they are.

import type { CollectionSettings } from "../../collection/settings.ts";
import { describe, InputError, member } from "../../schema/errors.ts";
import { changedBatches, type Batch } from "../batch.ts";
import { Lists } from "../lists.ts";
import { DraftedBatch, type BatchDraft } from "./batch-draft.ts";
import type { DraftChanges } from "../../database/draft-changes.ts";

/** The Batches of a draft by id: an object to the recipe, whose members are drafted when they are read. */
export class DraftedBatches implements ProxyHandler<Record<string, BatchDraft>> {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #options: CollectionSettings;
  readonly #changes: DraftChanges;
  /** What was read or written; `undefined` is removed. */
  readonly #drafts = new Map<string, DraftedBatch | undefined>();

  constructor(
    before: ReadonlyMap<string, Batch>,
    options: CollectionSettings,
    changes: DraftChanges,
  ) {
    this.#before = before;
    this.#options = options;
    this.#changes = changes;
  }

  /** The Batches that are not as they were. */
  finish(): Map<string, Batch | undefined> {
    const after = Array.from(this.#drafts, ([id, draft]) => [id, draft?.finish()] as const);
    return changedBatches(this.#before, after);
  }

  /** Puts others in the place of all, or none where one can't be put there. */
  assign(others: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(others);
    for (const [id, value] of given) this.#check(id, value);
    for (const [id, value] of given) this.set(undefined, id, value);
    const kept = new Set(given.map(([id]) => id));
    for (const id of this.ownKeys()) if (!kept.has(id)) this.deleteProperty(undefined, id);
  }

  get(_: unknown, id: string | symbol): DraftedBatch | undefined {
    if (typeof id === "symbol") return undefined;
    if (this.#drafts.has(id)) return this.#drafts.get(id);
    const batch = this.#before.get(id);
    return batch && this.#draft(id, batch);
  }

  has(_: unknown, id: string | symbol): boolean {
    return this.get(_, id) !== undefined;
  }

  ownKeys(): string[] {
    const ids = new Set(this.#before.keys());
    for (const [id, draft] of this.#drafts) {
      if (draft === undefined) ids.delete(id);
      else ids.add(id);
    }
    return [...ids];
  }

  getOwnPropertyDescriptor(_: unknown, id: string | symbol): PropertyDescriptor | undefined {
    const value = this.get(_, id);
    return value && { value, writable: true, enumerable: true, configurable: true };
  }

  set(_: unknown, id: string | symbol, value: unknown): true {
    const [place, given] = this.#check(id, value);
    if (!given.isNew) this.#drafts.set(place, given);
    else {
      // It gets the options of this service, and Lists that no other service shares.
      const batch = given.place(pathOf(place));
      this.#draft(place, batch.withLists(Lists.of(batch.declared.all), this.#options));
    }
    return true;
  }

  /** What is given for an id, where it can be put there. */
  #check(id: string | symbol, value: unknown): readonly [id: string, given: DraftedBatch] {
    const path = pathOf(String(id));
    if (typeof id === "symbol") throw new InputError(path, "is not the id of a Batch");
    const given = DraftedBatch.of(value, this.#changes);
    if (given === undefined) {
      throw new InputError(path, `must be made by createBatch(), not ${describe(value)}`);
    }
    if (given.id !== id) throw new InputError(path, `may not be Batch ${given.id}`);
    return [id, given];
  }

  defineProperty(_: unknown, id: string | symbol, { value }: PropertyDescriptor): true {
    return this.set(_, id, value);
  }

  deleteProperty(_: unknown, id: string | symbol): true {
    if (typeof id === "string") this.#drafts.set(id, undefined);
    return true;
  }

  preventExtensions(): false {
    return false;
  }

  #draft(id: string, batch: Batch): DraftedBatch {
    const draft = new DraftedBatch(batch, pathOf(id), this.#options, this.#changes);
    this.#drafts.set(id, draft);
    return draft;
  }
}

/** Where a Batch stands in a draft. */
const pathOf = (id: string) => member("draft.batches", id);
