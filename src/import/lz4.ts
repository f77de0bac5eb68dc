// Decompresses LZ4: blocks, https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md, and frames of them. The
// packages for it either can't read frames whose blocks refer to earlier ones, as Arrow's do, or are not maintained.

const SHORTEST_MATCH = 4;

class Output {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
  }

  append(part: Uint8Array): void {
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  /** Repeats bytes from this far back. They may overlap with the added ones. */
  repeat(back: number, count: number): void {
    const from = this.length - back;
    if (back === 0 || from < 0 || this.length + count > this.bytes.length) throw damaged();
    if (back >= count) this.bytes.copyWithin(this.length, from, from + count);
    else for (let i = 0; i < count; i++) this.bytes[this.length + i] = this.bytes[from + i]!;
    this.length += count;
  }

  /** @throws Error if there are fewer bytes than expected */
  whole(): Uint8Array {
    if (this.length < this.bytes.length) throw damaged();
    return this.bytes;
  }
}

const damaged = () => new Error("its LZ4 data is damaged");

function addBlock(block: Uint8Array, output: Output): void {
  let at = 0;
  const byte = () => {
    const value = block[at++];
    if (value === undefined) throw damaged();
    return value;
  };
  /** A length, given its four bits: 15 is continued in further bytes, and so is each 255. */
  const lengthFrom = (bits: number) => {
    let length = bits;
    for (let more = bits === 15 ? 255 : 0; more === 255; length += more) more = byte();
    return length;
  };
  while (at < block.length) {
    const token = byte();
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw damaged();
    output.append(block.subarray(at, at + literals));
    at += literals;
    // The last sequence has no match.
    if (at === block.length) return;
    const back = byte() | (byte() << 8);
    output.repeat(back, lengthFrom(token & 15) + SHORTEST_MATCH);
  }
}

/** @param length how many bytes to return @throws Error if it is damaged, or of another length */
export function decodeBlock(block: Uint8Array, length: number): Uint8Array {
  const output = new Output(length);
  addBlock(block, output);
  return output.whole();
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

/** Blocks after their two lengths, as Hadoop writes what Parquet calls LZ4; other programs write a block alone, or a frame. */
export function decodeHadoop(bytes: Uint8Array, length: number): Uint8Array {
  const view = viewOf(bytes);
  const output = new Output(length);
  let at = 0;
  try {
    while (at < bytes.length) {
      const size = view.getUint32(at + 4);
      const before = output.length;
      addBlock(bytes.subarray(at + 8, at + 8 + size), output);
      if (output.length - before !== view.getUint32(at)) throw damaged();
      at += 8 + size;
    }
    return output.whole();
  } catch {
    const isFrame = bytes.length >= 4 && view.getUint32(0, true) === MAGIC;
    return (isFrame ? decodeFrame : decodeBlock)(bytes, length);
  }
}

const MAGIC = 0x184d2204;

/** A frame, https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md; its checksums are not checked. */
export function decodeFrame(bytes: Uint8Array, length: number): Uint8Array {
  const view = viewOf(bytes);
  if (bytes.length < 7 || view.getUint32(0, true) !== MAGIC) throw damaged();
  const flags = view.getUint8(4);
  const [hasSize, hasDictionary, hasChecksums] = [flags & 8, flags & 1, flags & 16];
  const output = new Output(length);
  let at = 7 + (hasSize && 8) + (hasDictionary && 4);
  for (;;) {
    const head = view.getUint32(at, true);
    if (head === 0) return output.whole();
    const size = head & 0x7fff_ffff;
    const block = bytes.subarray(at + 4, at + 4 + size);
    if (block.length < size) throw damaged();
    if (head === size) addBlock(block, output);
    else output.append(block);
    at += 4 + size + (hasChecksums && 4);
  }
}
