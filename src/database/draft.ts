// What a recipe of a database changes: a draft of its content. It accepts only valid content, so that it
// can become the next state. Only what the recipe touches is drafted.

import { refusePromise, unmakable } from "../collection/change/recipe.ts";
import type { Changes } from "../collection/change/version.ts";
import { readMembers } from "../schema/input.ts";
import { DraftChanges } from "./draft-changes.ts";
import type { DraftedGroup, Group, GroupChange } from "./group.ts";
import { refuseOthers } from "./refuse-others.ts";

/** The changes of a database: those of its groups, and those of collections that led to them. */
export interface NextState {
  readonly groups: readonly GroupChange[];
  readonly changes: Changes;
}

/**
 * What a recipe makes of groups.
 *
 * @throws whatever the recipe throws; InputError if it leaves an invalid value, drops a collection
 *   that it made, returns a promise, or both changes its draft and returns something else
 */
export function runRecipe(
  groups: ReadonlyMap<string, Group>,
  recipe: (draft: unknown) => unknown,
): NextState {
  const names = [...groups.keys()];
  const changes = new DraftChanges();
  const drafts = new Map<Group, DraftedGroup>();
  const draftOf = (group: Group): DraftedGroup => {
    let draft = drafts.get(group);
    if (draft === undefined) drafts.set(group, (draft = group.draft(changes)));
    return draft;
  };
  const draft: Record<string, unknown> = {};
  for (const group of groups.values()) {
    Object.defineProperty(draft, group.name, {
      get: () => draftOf(group).current,
      set(next: unknown) {
        draftOf(group).put(next);
      },
      enumerable: true,
    });
  }
  const finish = () => {
    refuseOthers(draft, "draft", names);
    return [...groups.values()].flatMap((group) => drafts.get(group)?.finish() ?? []);
  };
  try {
    const returned = refusePromise(recipe(draft), "draft");
    let next = finish();
    if (returned !== undefined && returned !== draft) {
      if (next.some(({ replaced }) => replaced.length > 0)) throw unmakable("draft");
      const given = readMembers(returned, "draft", names);
      for (const group of groups.values()) draftOf(group).put(given[group.name]);
      next = finish();
    }
    return { groups: next, changes: changes.finish() };
  } finally {
    changes.end();
    for (const each of drafts.values()) each.end?.();
  }
}
