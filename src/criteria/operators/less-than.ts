import { operator } from "../operator.ts";

export const lessThan = operator({
  name: "less_than",
  words: "is less than the value",
  fields: "ordered",
  isOwn: false,
  takes: "bound",
  selects: "<",
  example: ["name", "less_than", "m"],
});
