// Makes untrusted text safe for a terminal: escapes anything that could control it or reorder a line.

const steering = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Escapes controls, line separators, lone surrogates and bidi controls, as in `\u001b`. */
export function printable(text: string): string {
  return text.replace(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** An argument of a command, quoted for a shell. */
export function forShell(word: string): string {
  return /^[\w.,:=@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
