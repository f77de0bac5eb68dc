import { createCollection, createDatabase, defineSchema, int, string } from "../../../src/index.ts";

const Note = defineSchema({ id: int({ unique: true }), text: string() });

export const makeNotes = () =>
  createDatabase({ notes: createCollection(Note, [{ id: 1, text: "first" }]) });
export type NotesDb = ReturnType<typeof makeNotes>;
