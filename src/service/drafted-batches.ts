// The Batches in a draft of a service. The recipe sees an object whose members become drafts when they are read.

import { dictionary } from "../schema/dictionary.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import type { DraftChanges } from "../database/draft-changes.ts";
import type { DraftedMember, MemberChange, PatchedMember } from "../database/member.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { membersOf, reading } from "../schema/input.ts";
import type { Batch } from "./batch.ts";
import { DraftedBatch, INSPECT } from "./draft.ts";
import { patchBatches } from "./patch-batches.ts";

const PATH = "draft.batches";

class DraftedBatches implements ProxyHandler<Record<string, DraftedBatch>> {
  readonly #before: ReadonlyMap<string, Batch>;
  readonly #settings: CollectionSettings;
  readonly #changes: DraftChanges;
  /** The Batches read or written; `undefined` if removed. */
  readonly #drafts = new Map<string, DraftedBatch | undefined>();

  constructor(
    before: ReadonlyMap<string, Batch>,
    settings: CollectionSettings,
    changes: DraftChanges,
  ) {
    this.#before = before;
    this.#settings = settings;
    this.#changes = changes;
  }

  /** The Batches that may have changed. */
  finish(): Map<string, Batch | undefined> {
    return new Map(Array.from(this.#drafts, ([id, draft]) => [id, draft?.finish()]));
  }

  /** Replaces all Batches, or none if one is not valid. */
  assign(others: Readonly<Record<string, unknown>>): void {
    const given = Object.entries(others);
    for (const [id, value] of given) this.#check(id, value);
    for (const [id, value] of given) this.set(undefined, id, value);
    const kept = new Set(given.map(([id]) => id));
    for (const id of this.ownKeys()) if (!kept.has(id)) this.deleteProperty(undefined, id);
  }

  /** Applies patches. */
  patching(): PatchedMember<() => void> {
    const current = (id: string) =>
      this.#drafts.has(id) ? this.#drafts.get(id)?.finish() : this.#before.get(id);
    const patched = patchBatches(current, this.#settings, this.#changes.log);
    return {
      ...patched,
      finish: () => {
        const changed = patched.finish();
        return () => {
          for (const [id, batch] of changed) {
            if (batch === undefined) this.#drafts.set(id, undefined);
            else this.#draft(id, batch);
          }
        };
      },
    };
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
    else this.#draft(place, given.place(member(PATH, place)).adopted(this.#settings));
    return true;
  }

  /** The value assigned to an id, if it is valid there. */
  #check(id: string | symbol, value: unknown): readonly [id: string, given: DraftedBatch] {
    const path = member(PATH, String(id));
    if (typeof id === "symbol") throw new InputError(path, "is not the id of a Batch");
    const given = DraftedBatch.of(value, this.#changes);
    if (given === undefined) {
      throw new InputError(path, `must be made by createBatch(), not ${describe(value)}`);
    }
    if (given.id !== id)
      throw new InputError(
        path,
        `has the id ${given.id}; assign it to draft.batches["${given.id}"]`,
      );
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
    const draft = new DraftedBatch(batch, member(PATH, id), this.#changes);
    this.#drafts.set(id, draft);
    return draft;
  }
}

/**
 * The Batches of a draft.
 *
 * @param to makes the change from the Batches that may have changed; `undefined` stands for a removed one
 */
export function draftBatches(
  before: ReadonlyMap<string, Batch>,
  settings: CollectionSettings,
  changes: DraftChanges,
  to: (after: ReadonlyMap<string, Batch | undefined>) => MemberChange,
): DraftedMember {
  const drafted = new DraftedBatches(before, settings, changes);
  const target = dictionary<never>();
  const { proxy, revoke } = Proxy.revocable(target, drafted);
  // `console.log` reads the target. Since the member is configurable, the proxy's keys may omit it.
  Object.defineProperty(target, INSPECT, { value: () => ({ ...proxy }), configurable: true });
  return {
    current: proxy,
    put: (next) => {
      if (next !== proxy) reading(PATH, () => drafted.assign(membersOf(next, PATH)));
    },
    patching: () => drafted.patching(),
    finish: () => to(drafted.finish()),
    end: revoke,
  };
}
