import { operator } from "../operator.ts";

export const hasAny = operator({
  name: "has_any",
  words: "contains one of the values as an element",
  fields: "strings",
  isOwn: true,
  takes: "elements",
  selects: "containing",
  example: ["tags", "has_any", ["work", "x"]],
});
