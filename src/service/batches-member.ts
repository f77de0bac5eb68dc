// The Batches of a service, as a member of its database, by id. Each has Lists, which change together with its
// Contacts.

import { dictionary } from "../schema/dictionary.ts";
import type { NamedBy, Patch } from "../engine/changes/patch.ts";
import { Transition, type ChangeLog } from "../engine/changes/transition.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { inversePatches, transitionPatches } from "../database/collection-member.ts";
import type { DraftChanges } from "../database/draft-changes.ts";
import { readSource, sourceOf } from "../database/member.ts";
import type {
  Destination,
  DraftedMember,
  Member,
  MemberChange,
  MemberCollection,
  PatchedMember,
  Replaced,
} from "../database/member.ts";
import { Batch } from "./batch.ts";
import { batchAdded, batchPatches, batchRemoved, inverseBatchPatches } from "./batch-patches.ts";
import { draftBatches } from "./drafted-batches.ts";
import { patchBatches } from "./patch-batches.ts";
import { readLists } from "./lists.ts";
import { pathToContacts } from "./patch-path.ts";

/** The name of a Batch's Contacts in live queries. */
export const batchSource = (id: string) => sourceOf("batches", id);

/** The changed Batches by id; `undefined` stands for a removed one. */
type Changed = ReadonlyMap<string, Batch | undefined>;

export class BatchesMember implements Member {
  readonly name = "batches";
  readonly #batches: Map<string, Batch>;
  readonly #settings: CollectionSettings;
  /** The Batches in public form. Made on first use, because it covers all of them. */
  #shown: Readonly<Record<string, Batch>> | undefined;

  /** @param settings for the collections of added Batches */
  constructor(batches: Map<string, Batch>, settings: CollectionSettings) {
    this.#batches = batches;
    this.#settings = settings;
  }

  get batches(): ReadonlyMap<string, Batch> {
    return this.#batches;
  }

  /** The Batches by id, frozen. Without a prototype, so that `constructor` is not an id. */
  get byId(): Readonly<Record<string, Batch>> {
    if (this.#shown === undefined) {
      const shown = dictionary<Batch>();
      for (const [id, batch] of this.#batches) shown[id] = batch;
      this.#shown = Object.freeze(shown);
    }
    return this.#shown;
  }

  *collections(): Generator<MemberCollection, void> {
    for (const [id, batch] of this.#batches) {
      const { declared, contacts } = batch;
      const { options, snapshot: own } = contacts.state;
      yield {
        source: batchSource(id),
        collection: contacts,
        path: pathToContacts(id),
        note: declared.toJSON(),
        declaration: (isComplete) => batchAdded(id, isComplete ? declared : undefined),
        to: ({ snapshot }, log) => {
          const other = () => Batch.of(id, declared, options, snapshot);
          return this.to(new Map([[id, snapshot === own ? batch : other()]]), log);
        },
      };
    }
  }

  destinationFor(source: string, note: unknown): Destination {
    const id = idIn(source);
    const declared = readLists(note ?? [], "note");
    const settings = this.#settings;
    return {
      codec: declared.codec,
      settings,
      hidden: declared.ids,
      path: pathToContacts(id),
      declarations: [
        ...(this.#batches.has(id) ? [batchRemoved(id)] : []),
        batchAdded(id, declared),
      ],
      to: ({ snapshot }) => this.to(new Map([[id, Batch.of(id, declared, settings, snapshot)]])),
    };
  }

  replaceWith({ batches }: BatchesMember, source?: string): MemberChange {
    const ids =
      source === undefined ? [...this.#batches.keys(), ...batches.keys()] : [idIn(source)];
    return this.to(new Map(ids.map((id) => [id, batches.get(id)])));
  }

  draft(changes: DraftChanges): DraftedMember {
    return draftBatches(this.#batches, this.#settings, changes, (after) =>
      this.#toChanged(after, changes.log),
    );
  }

  isOfRecord([, , member]: readonly unknown[]): boolean {
    return member === "contacts";
  }

  patching(log: ChangeLog): PatchedMember<MemberChange> {
    const patched = patchBatches((id) => this.#batches.get(id), this.#settings, log);
    return { ...patched, finish: () => this.#toChanged(patched.finish(), log) };
  }

  /**
   * The change to other Batches, ignoring those with the same content as before. Replacing such a Batch would leave no
   * trace in the journal, and after reopening the store its next Contacts could get other keys.
   */
  #toChanged(after: Changed, log: ChangeLog): MemberChange {
    const isSame = (batch: Batch | undefined, old: Batch | undefined) =>
      old && batch ? old.isSame(batch) : old === batch;
    const changed = [...after].filter(([id, batch]) => !isSame(batch, this.#batches.get(id)));
    return this.to(new Map(changed), log);
  }

  /** The change to other Batches. @param log of the changes that led to their Contacts */
  to(after: Changed, log?: ChangeLog): MemberChange {
    const changes = Array.from(after, ([id, batch]) =>
      changeOf(id, this.#batches.get(id), batch, log),
    );
    const made = changes.filter(({ isVoid }) => !isVoid);
    return {
      replaced: made.map(({ replaced }) => replaced),
      patches: (by) => inOrderOfIds(made).flatMap((each) => each.patches(by)),
      inversePatches: () => inOrderOfIds(made).flatMap((each) => each.inversePatches()),
      undo: () => this.to(new Map(made.map(({ id, before }) => [id, before]))),
      commit: () => {
        if (made.length > 0) this.#shown = undefined;
        for (const { id, after: batch } of made) {
          if (batch === undefined) this.#batches.delete(id);
          else this.#batches.set(id, batch);
        }
      },
    };
  }
}

/** The id of a Batch, from the source of its Contacts. */
function idIn(source: string): string {
  const { key } = readSource(source);
  if (key === undefined) throw new RangeError(`${source} is not the source of a Batch`);
  return key;
}

/** The change of one Batch; `undefined` stands for no Batch. */
interface BatchChange {
  readonly id: string;
  readonly before: Batch | undefined;
  readonly after: Batch | undefined;
  /** Whether it restores the earlier content. */
  readonly isVoid: boolean;
  readonly replaced: Replaced;
  patches(by: NamedBy): readonly Patch[];
  inversePatches(): readonly Patch[];
}

const inOrderOfIds = (changes: readonly BatchChange[]) =>
  changes.toSorted((a, b) => Number(a.id) - Number(b.id));

function changeOf(
  id: string,
  before: Batch | undefined,
  after: Batch | undefined,
  log: ChangeLog | undefined,
): BatchChange {
  const source = batchSource(id);
  const contacts =
    before !== undefined && after !== undefined && before.declared.isSame(after.declared)
      ? new Transition(before.contacts.state, after.contacts.state, log)
      : undefined;
  return {
    id,
    before,
    after,
    isVoid: before === after || contacts?.isVoid === true,
    replaced: { source, transition: contacts },
    patches: (by) =>
      contacts === undefined
        ? batchPatches(id, before, after, by)
        : transitionPatches(pathToContacts(id), contacts, by),
    inversePatches: () =>
      contacts === undefined
        ? inverseBatchPatches(id, before, after)
        : inversePatches(pathToContacts(id), contacts),
  };
}
