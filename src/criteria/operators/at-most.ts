import { operator } from "../operator.ts";

export const atMost = operator({
  name: "at_most",
  words: "is the value or less",
  fields: "ordered",
  isOwn: true,
  takes: "bound",
  selects: "<=",
  example: ["size", "at_most", "2048"],
});
