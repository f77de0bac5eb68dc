// Finite numbers.

import { parseNumber, toFloatText } from "../numbers.ts";
import { remedyOfNumber } from "./int.ts";
import { SEARCHED, type Kind } from "./kind.ts";

export const float: Kind<number> = {
  holds: "numbers",
  storage: "float",
  accepts: "a finite number, or its text as JavaScript writes it",
  options: SEARCHED,
  toTextForm: toFloatText,
  hasSpellings: true,
  fromTextForm: parseNumber,
  isStored: Number.isFinite,
  remedy: (value) => remedyOfNumber(value, toFloatText),
};
