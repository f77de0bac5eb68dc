// The names of columns in expressions.

const BARE = /^[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:\.[\p{L}_$][\p{L}\p{M}\p{N}_$]*)*$/u;
const WORDS = /^(?:and|or|not|true|false|null)$/i;

/** A name as an expression has it. */
export const quotedName = (name: string): string =>
  BARE.test(name) && !WORDS.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
