// Applies patches to the members of a database that their paths begin with.

import { readPatches } from "../engine/changes/read-patches.ts";
import type { NamedBy } from "../engine/changes/patch.ts";
import { alternatives, InputError } from "../schema/errors.ts";
import type { Member, PatchedMember } from "./member.ts";

/**
 * @param by how the patches identify records
 * @param patching starts to apply patches to a member
 * @returns what each patched member makes of its patches, in the order of members
 * @throws InputError with the number of the first patch that does not apply
 */
export function patchMembers<Made>(
  members: ReadonlyMap<string, Member>,
  input: unknown,
  by: NamedBy,
  patching: (member: Member) => PatchedMember<Made>,
): readonly Made[] {
  const patched = new Map<Member, PatchedMember<Made>>();
  for (const patch of readPatches(input, by)) {
    const [name] = patch.path;
    const member = typeof name === "string" ? members.get(name) : undefined;
    if (member === undefined) {
      const names = alternatives([...members.keys()]);
      throw new InputError(`${patch.place}.path`, `must start with ${names}`);
    }
    let target = patched.get(member);
    if (target === undefined) patched.set(member, (target = patching(member)));
    target.add(patch);
  }
  return [...members.values()].flatMap((member) => patched.get(member)?.finish() ?? []);
}
