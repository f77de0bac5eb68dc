import { operator } from "../operator.ts";

export const isIn = operator({
  name: "in",
  words: "equals one of the values",
  fields: "single",
  isOwn: false,
  takes: "values",
  selects: "equal",
  example: ["size", "in", "2048,4096"],
});
