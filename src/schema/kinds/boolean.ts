// True and false.

import { booleanOf } from "../boolean-words.ts";
import { SEARCHED, type Kind } from "./kind.ts";

export const boolean: Kind<boolean> = {
  holds: "booleans",
  storage: "string",
  accepts: "true or false",
  options: SEARCHED,
  toTextForm: (value) =>
    value === true || value === "true"
      ? "true"
      : value === false || value === "false"
        ? "false"
        : undefined,
  hasSpellings: true,
  isTextForm: (text) => text === "true" || text === "false",
  fromTextForm: (text) => text === "true",
  isStored: (value) => typeof value === "boolean",
  remedy: (value) => {
    const meant = typeof value === "string" ? booleanOf(value.trim().toLowerCase()) : undefined;
    return meant === undefined ? "" : `; write ${meant}`;
  },
};
