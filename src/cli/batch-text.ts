// The JSON of a Batch, which all commands read.

import { writeJson } from "../import/index.ts";
import type { BatchInput, ContactInput } from "../index.ts";

/** @param counted passes the Contacts on, and may count them */
export function* batchText(
  { id, lists }: BatchInput,
  counted: (contacts: Iterable<ContactInput>) => Iterable<ContactInput> = (contacts) => contacts,
): Generator<string, void> {
  yield `{"id":${JSON.stringify(String(id))},"lists":[`;
  let before = "";
  for (const { id: list, fields = [], contacts } of lists) {
    yield `${before}{"id":${JSON.stringify(String(list))},"fields":${JSON.stringify(fields)},"contacts":`;
    yield* writeJson(counted(contacts));
    yield "}";
    before = ",\n";
  }
  yield "]}\n";
}
