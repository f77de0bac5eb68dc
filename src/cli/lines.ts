// Splits a stream of bytes into lines. A line ends only at \n or \r\n: readline also splits at
// U+2028, which may occur in JSON strings.

import { constants } from "node:buffer";

const LF = 0x0a;
const CR = 0x0d;

/**
 * The lines of a stream, without terminators; the last line needs none. Linear in the bytes,
 * however the stream is chunked.
 *
 * @param longest the maximum bytes of a line; a longer one is returned as `undefined`
 */
export async function* splitLines(
  source: AsyncIterable<Buffer>,
  longest: number = constants.MAX_STRING_LENGTH,
): AsyncGenerator<Buffer | undefined, void> {
  let parts: Buffer[] = [];
  let length = 0;

  function add(part: Buffer): void {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  }
  function take(): Buffer | undefined {
    const line = length <= longest ? Buffer.concat(parts) : undefined;
    parts = [];
    length = 0;
    return line?.at(-1) === CR ? line.subarray(0, -1) : line;
  }

  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}
