// Text from outside made fit for a terminal: what could steer it or reorder a line is escaped.

const steering = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The text with controls, line separators, lone surrogates and bidi controls as `\u001b`. */
export function printable(text: string): string {
  return text.replace(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A word of a command, as a shell takes it. */
export function forShell(word: string): string {
  return /^[\w.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
