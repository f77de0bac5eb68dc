import { operator } from "../operator.ts";

export const has = operator({
  name: "has",
  words: "contains the value as an element",
  fields: "strings",
  isOwn: true,
  takes: "element",
  selects: "containing",
  example: ["tags", "has", "work"],
});
