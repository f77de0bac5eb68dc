// Arrays of strings.

import {
  faultOfStrings,
  isShortArrayOfStrings,
  parseStrings,
  toStrings,
  toStringsText,
} from "../strings.ts";
import { COMPUTED, type Kind } from "./kind.ts";

export const strings: Kind<readonly string[]> = {
  holds: "arrays",
  storage: "string",
  accepts: "an array of strings of well-formed Unicode",
  options: ["nullable", "searchable", "stored", "default", ...COMPUTED],
  toTextForm: toStringsText,
  hasSpellings: false,
  fromTextForm: parseStrings,
  copy: toStrings,
  isStored: isShortArrayOfStrings,
  describe: faultOfStrings,
  remedy: () => "",
};
