// The JSON of a Batch, in the form that all commands read.

import { writeJson } from "../import/index.ts";
import type { BatchInput } from "../index.ts";

export function* batchText({ id, lists }: BatchInput): Generator<string, void> {
  yield `{"id":${JSON.stringify(String(id))},"lists":[`;
  let before = "";
  for (const { id: list, fields = [], contacts } of lists) {
    yield `${before}{"id":${JSON.stringify(String(list))},"fields":${JSON.stringify(fields)},"contacts":`;
    yield* writeJson(contacts);
    yield "}";
    before = ",\n";
  }
  yield "]}\n";
}
