// The Batches of a service, as a group of its database: by id, each a collection of Contacts and its Lists.

import type { CollectionSettings } from "../collection/settings.ts";
import { sourceOf } from "../database/group.ts";
import { KeyedGroup, type Kind } from "../database/keyed-group.ts";
import { Batch, loadBatch } from "./batch.ts";
import { DraftedBatch } from "./draft.ts";
import { readLists, type Lists } from "./lists.ts";
import { BATCHES, batchTarget } from "./patch-path.ts";

const kind: Kind<Batch, Lists> = {
  ...BATCHES,
  one: "Batch",
  maker: "createBatch()",
  targetOf: batchTarget,
  load: loadBatch,
  declare: readLists,
  of: (...made) => Batch.of(...made),
  inputOf: (id, lists) => ({
    id,
    lists: lists?.toJSON().map((list) => ({ ...list, contacts: [] })) ?? [],
  }),
  draft: (batch, path, changes) => new DraftedBatch(batch, path, changes),
  draftIn: (value, changes) => DraftedBatch.of(value, changes),
};

/** What live queries call the Contacts of a Batch. */
export const batchSource = (id: string) => sourceOf(BATCHES.name, id);

export class BatchesGroup extends KeyedGroup<Batch, Lists> {
  constructor(batches: Map<string, Batch>, settings: CollectionSettings) {
    super(kind, batches, settings);
  }
}
