import { operator } from "../operator.ts";

export const atLeast = operator({
  name: "at_least",
  words: "is the value or greater",
  fields: "ordered",
  isOwn: true,
  takes: "bound",
  selects: ">=",
  example: ["size", "at_least", 2048],
});
