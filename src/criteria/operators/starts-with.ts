import { operator } from "../operator.ts";

export const startsWith = operator({
  name: "starts_with",
  words: "begins with the value",
  fields: "single",
  isOwn: false,
  takes: "text",
  selects: "prefix",
  example: ["size", "starts_with", 20],
});
