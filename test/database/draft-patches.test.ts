// Patches of a database in the draft of an update: one commit, one report (U4).

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createBatch,
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  InputError,
  int,
  string,
  type DatabaseChange,
  type DatabaseDraft,
  type Patch,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { contact, makeService } from "../updates/fixtures.ts";

const Note = defineSchema({ id: int({ unique: true }), text: string(), likes: int() });
const make = (count: number) => {
  const records = (from: number) =>
    Array.from({ length: count }, (_, i) => ({ id: from + i, text: "", likes: 0 }));
  return createDatabase({
    notes: createCollection(Note, records(0)),
    drafts: createCollection(Note, records(100)),
  });
};
type Db = ReturnType<typeof make>;
type Draft = DatabaseDraft<{ notes: Db["notes"]; drafts: Db["drafts"] }>;
type Change = (draft: Draft) => void;
const contentOf = ({ notes, drafts }: Pick<Db, "notes" | "drafts">) => [[...notes], [...drafts]];

const id = fc.nat({ max: 5 });
const name = fc.constantFrom("notes" as const, "drafts" as const);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(name, id).map(
    ([name, id]): Change =>
      (draft) =>
        void (draft[name] = draft[name].update([["id", "in", [id, 100 + id]]], (note) => {
          note.likes++;
        })),
  ),
  fc.tuple(name, id).map(
    ([name, id]): Change =>
      (draft) =>
        void (draft[name] = draft[name].remove([["id", "in", [id, 100 + id]]])),
  ),
  fc.tuple(name, id, fc.string()).map(
    ([name, id, text]): Change =>
      (draft) =>
        void (draft[name] = draft[name].upsert({ id, text, likes: 0 }, "id")),
  ),
);

test("undo, the server's changes and redo are one change, and equal to each of them in sequence", () => {
  const steps = fc.array(fc.record({ isOwn: fc.boolean(), change, done: fc.nat({ max: 2 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(fc.nat({ max: 6 }), steps, (count, steps) => {
      const [server, page] = [make(count), make(count)];
      const reports: DatabaseChange[] = [];
      page.subscribe((change) => reports.push(change));
      let counts = 0;
      page.watch("notes", {}, () => counts++);
      let confirmed: Pick<Db, "notes" | "drafts">;
      confirmed = { notes: page.notes, drafts: page.drafts };
      let pending: readonly Change[] = [];
      for (const { isOwn, change, done } of steps) {
        const before = [reports.length, counts, contentOf(page)] as const;
        if (isOwn) {
          page.update(change);
          pending = [...pending, change];
        } else {
          // The server makes some of the pending changes, and one of its own.
          const made = pending.slice(0, done);
          const theirs = [...made, change].flatMap((each) => server.update(each).patches);
          const received = { ...confirmed };
          const rebased = page.update((draft) => {
            Object.assign(draft, confirmed);
            draft.applyPatches(theirs);
            Object.assign(received, { notes: draft.notes, drafts: draft.drafts });
            for (const each of pending.slice(done)) each(draft);
          });
          confirmed = received;
          pending = pending.slice(done);
          expect(contentOf(confirmed)).toEqual(contentOf(server));
          const expected = createDatabase({ notes: server.notes, drafts: server.drafts });
          for (const each of pending) expected.update(each);
          expect(contentOf(page)).toEqual(contentOf(expected));
          const undone = createDatabase({ notes: page.notes, drafts: page.drafts });
          undone.applyPatches(rebased.inversePatches);
          expect(contentOf(undone).map(byId)).toEqual(before[2].map(byId));
        }
        expect(reports.length - before[0]).toBeLessThanOrEqual(1);
        expect(counts - before[1]).toBeLessThanOrEqual(1);
      }
    }),
    settings(150),
  );
});

/** Records that come back have another place, unless it is free. */
const byId = (records: readonly { readonly id: number }[]) =>
  records.toSorted((a, b) => a.id - b.id);

test("patches in a draft are all applied or none, with those of the other collections", () => {
  const db = make(2);
  const patches: readonly Patch[] = [
    { op: "replace", path: ["notes", 0, "text"], value: "a" },
    { op: "replace", path: ["drafts", 100, "text"], value: "b", before: "other" },
  ];
  const before = contentOf(db);
  const error = thrownBy(InputError, () => db.update((draft) => draft.applyPatches(patches)));
  expect(error.message).toContain("patches[1].before: is ");
  // Caught in the recipe, it leaves the draft as it was.
  const { patches: made } = db.update((draft) => {
    expect(() => draft.applyPatches(patches)).toThrow(InputError);
    expect(() => draft.applyPatches([{ op: "remove", path: ["others", 1] }])).toThrow(
      'patches[0].path: must start with "notes" or "drafts"',
    );
  });
  expect([made, contentOf(db)]).toEqual([[], before]);
  let kept: Draft | undefined;
  db.update((draft) => void (kept = draft));
  expect(() => kept?.applyPatches([])).toThrow("draft: belongs to an update that has ended");
});

test("patches of Batches see what the recipe has changed, and are seen by it", () => {
  const service = makeService();
  const copy = makeService();
  const { patches } = copy.update(({ batches }) => {
    batches["9"] = createBatch({ id: 9, lists: [{ id: 1, contacts: [] }] });
    const five = batches["5"];
    if (five !== undefined) five.contacts = five.contacts.insert(contact(77));
    delete batches["1234"];
  });
  const change = service.update((draft) => {
    const five = draft.batches["5"];
    five?.addList({ id: 40, contacts: [] });
    draft.applyPatches(patches);
    expect(Object.keys(draft.batches).toSorted()).toEqual(["5", "9"]);
    expect(draft.batches["5"]?.lists).toContain("40");
  });
  expect(service.batches["5"]?.contacts.size).toBe(copy.batches["5"]?.contacts.size);
  expect(Object.keys(service.batches)).toEqual(["5", "9"]);
  service.applyPatches(change.inversePatches);
  expect(JSON.stringify(service.batches)).toBe(JSON.stringify(makeService().batches));
  expect(createService({}).update((draft) => draft.applyPatches([])).patches).toEqual([]);
});
