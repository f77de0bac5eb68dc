import { operator } from "../operator.ts";

export const greaterThan = operator({
  name: "greater_than",
  words: "is greater than the value",
  fields: "ordered",
  isOwn: false,
  takes: "bound",
  selects: ">",
  example: ["size", "greater_than", 1000],
});
