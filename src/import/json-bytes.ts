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

/** The end of the text. */
export const END_OF_TEXT = -1;

/** The first position from `start` on whose byte is not in the table. */
export function endOfRun(table: Uint8Array, bytes: Uint8Array, start: number): number {
  let position = start;
  while (position < bytes.length && table[bytes[position] ?? END_OF_TEXT] === 1) position++;
  return position;
}

const IN_WORD = tableOf(codes(",]} \t\n\r")).map((each) => 1 - each);
/** The bytes without a meaning in a string, and between the strings and brackets of a value. */
const IN_STRING = tableOf([QUOTE, BACKSLASH]).map((each) => 1 - each);
const BETWEEN = tableOf([QUOTE, ...codes("[]{}")]).map((each) => 1 - each);

/** The position after the string that begins at a position; {@link END_OF_TEXT} if it does not end. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start + 1; ; i += 2) {
    while (i < bytes.length && IN_STRING[bytes[i]!] === 1) i++;
    if (i >= bytes.length) return END_OF_TEXT;
    if (bytes[i] === QUOTE) return i + 1;
  }
}

/** The position after the value that begins at a position; {@link END_OF_TEXT} if its strings or brackets do not end. */
export function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first !== QUOTE && first !== OPEN_OBJECT && first !== OPEN_ARRAY) {
    return endOfRun(IN_WORD, bytes, start + 1);
  }
  let depth = 0;
  let i = start;
  do {
    while (i < bytes.length && BETWEEN[bytes[i]!] === 1) i++;
    if (i >= bytes.length) return END_OF_TEXT;
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
      if (i === END_OF_TEXT) return END_OF_TEXT;
    } else {
      depth += byte === OPEN_OBJECT || byte === OPEN_ARRAY ? 1 : -1;
      i++;
    }
  } while (depth > 0);
  return i;
}

export function nameOf(byte: number): string {
  if (byte === END_OF_TEXT) return "end";
  if (byte >= 0x7f) return "character beyond ASCII";
  return byte < 0x20 ? "control character" : `'${String.fromCharCode(byte)}'`;
}
