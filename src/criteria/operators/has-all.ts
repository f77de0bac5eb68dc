import { operator } from "../operator.ts";

export const hasAll = operator({
  name: "has_all",
  words: "contains all of the values as elements",
  fields: "strings",
  isOwn: true,
  takes: "elements",
  selects: "containing all",
  example: ["tags", "has_all", ["work", "home"]],
});
