import { operator } from "../operator.ts";

export const contains = operator({
  name: "contains",
  words: "contains the value in its text form",
  fields: "single",
  isOwn: false,
  takes: "text",
  selects: "substring",
  example: ["name", "contains", "go.p"],
});
