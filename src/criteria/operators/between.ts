import { operator } from "../operator.ts";

export const between = operator({
  name: "between",
  words: "is one of the two values, or between them",
  fields: "ordered",
  isOwn: true,
  takes: "range",
  selects: [">=", "<="],
  example: ["size", "between", [2000, 2048]],
});
