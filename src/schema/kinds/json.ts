// JSON values.

import { describeFault, parseJson, toJson, toJsonValue, type JsonValue } from "../json.ts";
import type { Kind } from "./kind.ts";
import { remedyOfText } from "./string.ts";

export const json: Kind<JsonValue> = {
  holds: "json",
  storage: "string",
  accepts: "a JSON value nested at most 500 deep, its strings of well-formed Unicode",
  options: ["nullable", "default"],
  toTextForm: toJson,
  hasSpellings: false,
  fromTextForm: parseJson,
  copy: toJsonValue,
  // Only a copy is, which nobody can change.
  isStored: () => false,
  describe: describeFault,
  remedy: remedyOfText,
};
