import { operator } from "../operator.ts";

export const endsWith = operator({
  name: "ends_with",
  words: "ends with the value",
  fields: "single",
  isOwn: false,
  takes: "text",
  selects: "suffix",
  example: ["name", "ends_with", ".png"],
});
