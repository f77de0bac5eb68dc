// The draft of a database's content, which a recipe changes. It accepts only valid content, so that it can become the
// next state. Only the members that the recipe reads are drafted.

import { refusePromise, unmakable } from "../engine/changes/recipe-result.ts";
import { checkMembers, readMembers } from "../schema/input.ts";
import { DraftChanges } from "./draft-changes.ts";
import type { DraftedMember, Member, MemberChange } from "./member.ts";
import { patchMembers } from "./patch-members.ts";

/**
 * Runs a recipe on members.
 *
 * @param expire changes the draft after the recipe
 * @throws whatever the recipe throws; InputError if it leaves an invalid value, makes a collection without assigning
 *   it, returns a promise, or both changes its draft and returns something else
 */
export function runRecipe(
  members: ReadonlyMap<string, Member>,
  recipe: (draft: unknown) => unknown,
  expire?: (draftOf: (name: string) => DraftedMember | undefined) => void,
): readonly MemberChange[] {
  const names = [...members.keys()];
  const changes = new DraftChanges();
  const drafts = new Map<Member, DraftedMember>();
  const draftOf = (member: Member): DraftedMember => {
    let draft = drafts.get(member);
    if (draft === undefined) drafts.set(member, (draft = member.draft(changes)));
    return draft;
  };
  const draft: Record<string, unknown> = {};
  for (const member of members.values()) {
    Object.defineProperty(draft, member.name, {
      get: () => draftOf(member).current,
      set(next: unknown) {
        draftOf(member).put(next);
      },
      enumerable: true,
    });
  }
  const applyPatches = (patches: unknown) => {
    changes.refuseLate("draft");
    const put = patchMembers(members, patches, "identity", (each) => draftOf(each).patching());
    for (const each of put) each();
  };
  // Not enumerable: it is no member of the content.
  Object.defineProperty(draft, "applyPatches", { value: applyPatches });
  const finish = () => {
    checkMembers(draft, "draft", names);
    return [...members.values()].flatMap((member) => drafts.get(member)?.finish() ?? []);
  };
  try {
    const returned = refusePromise(recipe(draft), "draft");
    let next = finish();
    if (returned !== undefined && returned !== draft) {
      if (next.some(({ replaced }) => replaced.length > 0)) throw unmakable("draft");
      const given = readMembers(returned, "draft", names);
      for (const member of members.values()) draftOf(member).put(given[member.name]);
      next = finish();
    }
    changes.requirePlaced();
    if (expire === undefined) return next;
    expire((name) => {
      const member = members.get(name);
      return member && draftOf(member);
    });
    return finish();
  } finally {
    changes.end();
    for (const each of drafts.values()) each.end?.();
  }
}
