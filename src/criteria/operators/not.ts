import { operator } from "../operator.ts";

export const not = operator({
  name: "not",
  words: "does not equal the value",
  fields: "any",
  isOwn: false,
  takes: "value",
  selects: "other",
  example: ["name", "not", "a.txt"],
});
