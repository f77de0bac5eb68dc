// Words that the help and the commands share. They are separate from the code of the commands, which is loaded only
// when a command runs, so that the program starts faster.

import { UsageError } from "./errors.ts";

export const FORMATS = ["csv", "ndjson", "json", "arrow", "parquet"] as const;

/** All formats, as text. */
export const FORMAT_NAMES = `${FORMATS.slice(0, -1).join(", ")} or ${FORMATS.at(-1) ?? ""}`;

/** How many rows a table has if no limit is given. */
export const TABLE_LIMIT = 100;

export type Word = readonly [field: string, operator: string, value: string] | "OR" | "NOT";

/**
 * The words of a command line, with the three of each criterion joined into one: an option takes one word, and the
 * order of criteria, `--or` and `--not` matters.
 */
export function joinWords(words: readonly string[]): string[] {
  const joined: string[] = [];
  const join = (word: Word) => joined.push(`--where=${JSON.stringify(word)}`);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "--") return [...joined, ...words.slice(i)];
    if (word === "--or") join("OR");
    else if (word === "--not") join("NOT");
    else if (word !== "--where") joined.push(word);
    else {
      const [field, operator, value] = words.slice(i + 1, i + 4);
      if (field === undefined || operator === undefined || !isValue(value)) {
        throw new UsageError("--where: needs three words: a field, an operator and a value");
      }
      join([field, operator, value]);
      i += 3;
    }
  }
  return joined;
}

/** Whether a word is a value. If it is missing, or the next option, the value was forgotten. */
function isValue(word: string | undefined): word is string {
  return word !== undefined && !word.startsWith("--");
}
