import { operator } from "../operator.ts";

export const exactly = operator({
  name: "exactly",
  words: "equals the value",
  fields: "any",
  isOwn: false,
  takes: "value",
  selects: "equal",
  example: ["size", "exactly", 2048],
});
