// Patches as lines of a log. A Batch that was added as a whole becomes one without Contacts, and each
// of them with its key: no line is longer than a record, however large the Batch.

import type { Patch } from "../index.ts";
import { isMembers } from "../schema/input.ts";
import { declarationOf, documentsOf } from "../service/changes.ts";
import type { ServiceState } from "../service/state.ts";

/** Each patch, in one or more lines. */
export function* linesOf(patches: Iterable<Patch>): Generator<string, void> {
  for (const patch of patches) for (const each of split(patch)) yield JSON.stringify(each);
}

/**
 * The patches that make a state of nothing. A Batch that stands elsewhere is an empty one here: that
 * keeps the Batches in their order.
 *
 * @param isElsewhere whether the Files, or the Batch with an id, are not to be here
 */
export function* patchesOf(
  { files, batches }: ServiceState,
  isElsewhere: (batch: string | undefined) => boolean,
): Generator<Patch, void> {
  for (const [key, value] of isElsewhere(undefined) ? [] : documentsOf(files.state)) {
    yield { op: "add", path: ["files", key], value };
  }
  for (const [id, { declared, contacts }] of batches) {
    const [all, documents] = isElsewhere(id)
      ? [[], []]
      : [declared.all, documentsOf(contacts.state)];
    const lists = all.map((list) => ({ ...declarationOf(list), contacts: [] }));
    yield { op: "add", path: ["batches", id], value: { id, lists } };
    for (const [key, value] of documents) {
      yield { op: "add", path: ["batches", id, "contacts", key], value };
    }
  }
}

function* split(patch: Patch): Generator<Patch, void> {
  const { op, path, value } = patch;
  const [part, , within] = path;
  if (op !== "add" || part !== "batches" || within !== undefined || !isMembers(value)) {
    yield patch;
    return;
  }
  const lists = membersOf(value.lists);
  yield { op, path, value: { ...value, lists: lists.map((list) => ({ ...list, contacts: [] })) } };
  // Loading gives the Contacts of the Lists, one List after the other, the keys from 0 on.
  let key = 0;
  for (const { id: list, contacts } of lists) {
    for (const contact of membersOf(contacts)) {
      yield { op, path: [...path, "contacts", key++], value: { list, ...contact } };
    }
  }
}

function membersOf(list: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isMembers) : [];
}
