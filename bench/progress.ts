// What a person sees while the benchmark runs: what it does, and about how long it still takes. Every
// step says beforehand about how many seconds it costs; how true that was so far scales the rest.

let expected = 0;
let done = 0;
let label = "";
const start = performance.now();

/** Adds to what is ahead: seconds, as guessed. */
export function expect(seconds: number): void {
  expected += seconds;
}

/** Takes from what is ahead: seconds, as they were guessed. */
export function advance(seconds: number): void {
  done += seconds;
}

export function progress(text: string): void {
  if (text === label) return;
  label = text;
  const line = `${left()}${text}`;
  // On a terminal one line that is written over.
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}

function left(): string {
  if (done === 0) return "";
  const seconds = ((performance.now() - start) / 1000 / done) * Math.max(0, expected - done);
  return seconds < 90
    ? `[${Math.ceil(seconds / 10) * 10} s left] `
    : `[${Math.round(seconds / 60)} min left] `;
}
