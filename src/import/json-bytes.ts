// The bytes of JSON text (RFC 8259), as tables with 1 for each byte of a class.

export function tableOf(bytes: Iterable<number>): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of bytes) table[byte] = 1;
  return table;
}

export const code = (character: string) => character.charCodeAt(0);
export const codes = (characters: string) => Array.from(characters, code);

export const QUOTE = code('"');
export const BACKSLASH = code("\\");
export const COMMA = code(",");
export const COLON = code(":");
export const OPEN_OBJECT = code("{");
export const CLOSE_OBJECT = code("}");
export const OPEN_ARRAY = code("[");
export const CLOSE_ARRAY = code("]");

export const SPACE = tableOf(codes(" \t\n\r"));

/** No byte: the text has ended. */
export const NONE = -1;

/** The first position from `start` on whose byte is not in the table. */
export function endOfRun(table: Uint8Array, bytes: Uint8Array, start: number): number {
  let position = start;
  while (position < bytes.length && table[bytes[position] ?? NONE] === 1) position++;
  return position;
}

/** The name of a byte in errors. */
export function nameOf(byte: number): string {
  if (byte === NONE) return "end";
  if (byte >= 0x7f) return "character beyond ASCII";
  return byte < 0x20 ? "control character" : `'${String.fromCharCode(byte)}'`;
}
