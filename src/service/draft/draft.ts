// What a recipe of a service changes: a draft of the Files and the Batches. It takes nothing that is
// not valid, so that what it holds at the end can be the next state. Only what the recipe touches is
// drafted: a draft of many Batches costs no more than one of a few.

import { refusePromise, unmakable } from "../../collection/change/recipe.ts";
import type { CollectionSettings } from "../../collection/settings.ts";
import { membersOf, reading, readMembers } from "../../schema/input.ts";
import type { Files } from "../load.ts";
import type { NextState, ServiceState } from "../state.ts";
import { INSPECT, type BatchDraft } from "./batch-draft.ts";
import { DraftedBatches } from "./batches-draft.ts";
import { DraftChanges } from "./draft-changes.ts";
import { DraftedCollection } from "./drafted-collection.ts";
import { refuseOthers } from "./refuse-others.ts";

/** What a recipe of a service changes: it puts changed collections in the place of the old ones. */
export interface ServiceDraft {
  files: Files;
  /** By id. One is added by {@link createBatch}, and removed by `delete`. */
  readonly batches: Record<string, BatchDraft>;
}

const MEMBERS = ["files", "batches"] as const;

/**
 * What a recipe makes of a state.
 *
 * @throws whatever the recipe throws; InputError where it leaves what can't be, drops a collection
 *   that it made, returns a promise, or both changes its draft and returns something else
 */
export function runServiceRecipe(
  state: ServiceState,
  recipe: (draft: unknown) => unknown,
  options: CollectionSettings,
): NextState {
  const changes = new DraftChanges();
  const { files: before } = state;
  const files = new DraftedCollection(before, "draft.files", "Files of this service", changes);
  const batches = new DraftedBatches(state.batches, options, changes);
  const target = Object.create(null) as Record<string, BatchDraft>;
  // `console.log` asks the target. It may be left out of the proxy's keys, being configurable.
  Object.defineProperty(target, INSPECT, { value: () => ({ ...proxy }), configurable: true });
  const { proxy, revoke } = Proxy.revocable(target, batches);
  const draft = Object.defineProperties({} as ServiceDraft, {
    files: {
      get: () => files.current,
      set: (next: unknown) => files.put(next),
      enumerable: true,
    },
    batches: {
      get: () => proxy,
      set: (next: unknown) => {
        if (next !== proxy)
          reading("draft.batches", () => batches.assign(membersOf(next, "draft.batches")));
      },
      enumerable: true,
    },
  });
  const finish = () => {
    refuseOthers(draft, "draft", MEMBERS);
    return { files: files.finish(), batches: batches.finish() };
  };
  try {
    const returned = refusePromise(recipe(draft), "draft");
    let next = finish();
    if (returned !== undefined && returned !== draft) {
      if (next.files !== before || next.batches.size > 0) throw unmakable("draft");
      const given = readMembers(returned, "draft", MEMBERS);
      Object.assign(draft, { files: undefined, batches: undefined, ...given });
      next = finish();
    }
    return { ...next, changes: changes.finish() };
  } finally {
    changes.end();
    revoke();
  }
}
