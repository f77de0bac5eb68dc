// Decompresses deflate (RFC 1951) as it is in gzip. The input comes in pieces: a step that needs more than has come is
// repeated with the next piece.

import { codeOf, FIXED, type Code } from "./huffman.ts";

/** Why the input is not valid. */
export class Damage extends Error {}

/** How far back a repetition may begin. */
const WINDOW = 32 * 1024;
const OUTPUT = 256 * 1024;
const LONGEST = 258;

/** In valid gzip, the 8 bytes of a checksum and a length follow the last symbol: none has to be read before they are there. */
const AHEAD = 8;

const END_OF_BLOCK = 256;

/** How many bits follow the symbols of lengths from 257 on, and of distances. */
const LENGTH_BITS = Uint8Array.of(
  ...[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
const DISTANCE_BITS = Uint8Array.from({ length: 30 }, (_, i) => Math.max(0, (i >> 1) - 1));

function basesOf(first: number, bits: Uint8Array): Uint16Array {
  let next = first;
  return Uint16Array.from(bits, (each) => {
    const base = next;
    next += 2 ** each;
    return base;
  });
}

const LENGTHS = basesOf(3, LENGTH_BITS);
// The longest has a symbol of its own, so that it needs no more bits.
LENGTHS[28] = LONGEST;
const DISTANCES = basesOf(1, DISTANCE_BITS);

/** In which order the lengths of codes come whose symbols are lengths. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** How often the symbols from 16 on repeat a length at least, and how many bits say how often more. */
const REPEATS = [
  [3, 2],
  [3, 3],
  [11, 7],
] as const;

/** Thrown, and caught here, where the input that has come ends. */
const MORE = new Error("more input is needed");

interface Codes {
  readonly literals: Code;
  readonly distances: Code;
}

type Step = "block" | "stored" | "symbols" | "end";

export class Inflate {
  #input: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Bits that were read but not used, the next one last. */
  #hold = 0;
  #bits = 0;
  /** What was decompressed: at least the last `WINDOW` bytes. */
  readonly #output = new Uint8Array(WINDOW + OUTPUT);
  #end = 0;
  /** Up to where it was passed on. */
  #passed = 0;
  /** Where this stream begins in it. */
  #start = 0;
  #step: Step = "end";
  #isLast = false;
  /** How many bytes of a stored block are left. */
  #stored = 0;
  #codes: Codes = FIXED;

  /** The next piece, which comes after what was kept. */
  give(piece: Uint8Array): void {
    const kept = this.#input;
    this.#input = piece;
    if (kept.length === 0) return;
    this.#input = new Uint8Array(kept.length + piece.length);
    this.#input.set(kept);
    this.#input.set(piece, kept.length);
  }

  /** Copies what is left of a piece: its memory may be that of the next one. */
  keep(): void {
    this.#unread();
    this.#input = this.left().slice();
    this.#at = 0;
  }

  /** The input that is left, between streams. */
  left(): Uint8Array {
    return this.#input.subarray(this.#at);
  }

  /** Passes over some of it. */
  skip(bytes: number): void {
    this.#at += bytes;
  }

  /** Begins a stream. */
  begin(): void {
    this.#step = "block";
    this.#isLast = false;
    this.#start = this.#end;
  }

  get isEnded(): boolean {
    return this.#step === "end";
  }

  /**
   * Decompresses what it can. The parts are views that the next one overwrites.
   *
   * @throws Damage
   */
  *parts(): Generator<Uint8Array, void> {
    while (!this.isEnded && this.#go()) {
      if (this.#end > this.#output.length - LONGEST) {
        yield this.#part();
        this.#slide();
      }
    }
    if (this.#end > this.#passed) yield this.#part();
  }

  #part(): Uint8Array {
    const part = this.#output.subarray(this.#passed, this.#end);
    this.#passed = this.#end;
    return part;
  }

  /** Makes room, and keeps the window. */
  #slide(): void {
    const shift = this.#end - WINDOW;
    this.#output.copyWithin(0, shift, this.#end);
    this.#start = Math.max(0, this.#start - shift);
    this.#end = this.#passed = WINDOW;
  }

  /** A step, until it is done or the output is full. Returns whether it did not need more input. */
  #go(): boolean {
    if (this.#step === "stored") return this.#copy();
    if (this.#step === "symbols") return this.#decode();
    const [at, hold, bits] = [this.#at, this.#hold, this.#bits];
    try {
      this.#block();
      return true;
    } catch (thrown) {
      if (thrown !== MORE) throw thrown;
      [this.#at, this.#hold, this.#bits] = [at, hold, bits];
      return false;
    }
  }

  /** Reads bits until there are so many. @throws MORE */
  #need(count: number): void {
    while (this.#bits < count) {
      const byte = this.#input[this.#at];
      if (byte === undefined) throw MORE;
      this.#at += 1;
      this.#hold |= byte << this.#bits;
      this.#bits += 8;
    }
  }

  /** The next bits as a number. */
  #take(count: number): number {
    this.#need(count);
    const value = this.#hold & ((1 << count) - 1);
    this.#hold >>>= count;
    this.#bits -= count;
    return value;
  }

  /** Whole bytes that were read as bits are input again. */
  #unread(): void {
    this.#at -= this.#bits >> 3;
    this.#bits &= 7;
    this.#hold &= (1 << this.#bits) - 1;
  }

  /** Passes over the rest of a byte. */
  #align(): void {
    this.#unread();
    this.#hold = this.#bits = 0;
  }

  #block(): void {
    const isLast = this.#take(1) === 1;
    const kind = this.#take(2);
    if (kind === 0) {
      this.#align();
      const length = this.#take(16);
      if (length !== (this.#take(16) ^ 0xffff)) throw new Damage("invalid stored block lengths");
      this.#stored = length;
    } else if (kind === 1) {
      this.#codes = FIXED;
    } else if (kind === 2) {
      this.#codes = this.#declared();
    } else throw new Damage("invalid block type");
    this.#isLast = isLast;
    this.#step = kind === 0 ? "stored" : "symbols";
  }

  /** The codes that a block declares. */
  #declared(): Codes {
    const [literals, distances] = [this.#take(5) + 257, this.#take(5) + 1];
    const declared = this.#take(4) + 4;
    if (literals > 286 || distances > 30) throw new Damage("too many length or distance symbols");
    const short = new Uint8Array(ORDER.length);
    for (const symbol of ORDER.slice(0, declared)) short[symbol] = this.#take(3);
    const lengths = this.#lengths(codeOf(short), literals + distances);
    if (lengths[END_OF_BLOCK] === 0) throw new Damage("missing end-of-block");
    const codes = {
      literals: codeOf(lengths.subarray(0, literals)),
      distances: codeOf(lengths.subarray(literals)),
    };
    const { literals: first, distances: second } = codes;
    if (first === undefined) throw new Damage("invalid literal/lengths set");
    if (second === undefined) throw new Damage("invalid distances set");
    return { literals: first, distances: second };
  }

  /** Lengths of codes, with repetitions. */
  #lengths(code: Code | undefined, count: number): Uint8Array {
    if (code === undefined) throw new Damage("invalid code lengths set");
    const lengths = new Uint8Array(count);
    let i = 0;
    while (i < count) {
      const symbol = this.#symbol(code);
      const [first, extra] = REPEATS[symbol - 16] ?? [1, 0];
      const times = first + this.#take(extra);
      const last = lengths[i - 1];
      if (i + times > count || (symbol === 16 && last === undefined)) {
        throw new Damage("invalid bit length repeat");
      }
      lengths.fill(symbol < 16 ? symbol : symbol === 16 ? (last ?? 0) : 0, i, i + times);
      i += times;
    }
    return lengths;
  }

  #symbol({ entries, bits }: Code): number {
    // Near the end of what came, a short code may be there though a long one is not.
    let entry = 0;
    for (let count = 1; (entry & 15) === 0 || (entry & 15) > this.#bits; count++) {
      if (count > bits) throw new Damage("invalid code");
      this.#need(count);
      entry = entries[this.#hold & ((1 << bits) - 1)] ?? 0;
    }
    this.#hold >>>= entry & 15;
    this.#bits -= entry & 15;
    return entry >> 4;
  }

  /** The bytes of a stored block, as far as they have come. */
  #copy(): boolean {
    this.#align();
    const count = Math.min(
      this.#stored,
      this.#input.length - this.#at,
      this.#output.length - this.#end,
    );
    this.#output.set(this.#input.subarray(this.#at, this.#at + count), this.#end);
    this.#at += count;
    this.#end += count;
    this.#stored -= count;
    if (this.#stored === 0) this.#endBlock();
    return this.#stored === 0 || this.#end === this.#output.length;
  }

  #endBlock(): void {
    this.#step = this.#isLast ? "end" : "block";
    if (this.#isLast) this.#align();
  }

  /** Literals and repetitions. One loop with its state in variables: it takes nearly all of the time. */
  #decode(): boolean {
    const input = this.#input;
    const output = this.#output;
    const { entries, bits: most } = this.#codes.literals;
    const { entries: farEntries, bits: farMost } = this.#codes.distances;
    const [mask, farMask] = [(1 << most) - 1, (1 << farMost) - 1];
    const full = output.length - LONGEST;
    let [at, hold, bits, end] = [this.#at, this.#hold, this.#bits, this.#end];
    let isEnd = false;
    const size = input.length;
    while (end <= full && size - at + (bits >> 3) >= AHEAD) {
      for (; bits < 24 && at < size; bits += 8) hold |= (input[at++] ?? 0) << bits;
      const entry = entries[hold & mask] ?? 0;
      if (entry === 0) throw new Damage("invalid literal/length code");
      hold >>>= entry & 15;
      bits -= entry & 15;
      const symbol = entry >> 4;
      if (symbol < END_OF_BLOCK) {
        output[end++] = symbol;
        continue;
      }
      if (symbol === END_OF_BLOCK) {
        isEnd = true;
        break;
      }
      const extra = LENGTH_BITS[symbol - 257];
      if (extra === undefined) throw new Damage("invalid literal/length code");
      const length = (LENGTHS[symbol - 257] ?? 0) + (hold & ((1 << extra) - 1));
      hold >>>= extra;
      bits -= extra;
      for (; bits < 24 && at < size; bits += 8) hold |= (input[at++] ?? 0) << bits;
      const far = farEntries[hold & farMask] ?? 0;
      const farExtra = far === 0 ? undefined : DISTANCE_BITS[far >> 4];
      if (farExtra === undefined) throw new Damage("invalid distance code");
      hold >>>= far & 15;
      bits -= far & 15;
      for (; bits < 24 && at < size; bits += 8) hold |= (input[at++] ?? 0) << bits;
      const distance = (DISTANCES[far >> 4] ?? 0) + (hold & ((1 << farExtra) - 1));
      hold >>>= farExtra;
      bits -= farExtra;
      const from = end - distance;
      if (from < this.#start) throw new Damage("invalid distance too far back");
      for (let i = from; i < from + length; i++) output[end++] = output[i] ?? 0;
    }
    [this.#at, this.#hold, this.#bits, this.#end] = [at, hold, bits, end];
    if (isEnd) this.#endBlock();
    return isEnd || end > full;
  }
}
