// Scratch space for intermediate data while a file is written: on disk, or in memory if it is small.

/** Bytes that are read and written in any order. */
export interface Scratch {
  /** @param bytes may be changed after the call */
  write(position: number, bytes: Uint8Array): void;
  /** A copy of bytes that were written. Gaps before written bytes have arbitrary content. */
  read(from: number, to: number): Uint8Array;
  /** Gives up all bytes. Others may be written then. */
  clear(): void;
}

/** How many bytes are written at once. */
const BYTES_AT_ONCE = 1 << 16;

/** Allocates areas of a scratch file, one after the other. */
export class ScratchSpace {
  readonly #scratch: Scratch;
  #end = 0;

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
  }

  /** @param length the maximum size of the area in bytes */
  area(length: number): Area {
    const area = new Area(this.#scratch, this.#end, length);
    this.#end += Math.ceil(length / 8) * 8;
    return area;
  }

  /** A new area with these bytes. */
  store(bytes: Uint8Array): Area {
    const area = this.area(bytes.length);
    area.write(0, bytes);
    return area;
  }

  /** Gives up all areas. */
  clear(): void {
    this.#scratch.clear();
    this.#end = 0;
  }

  /** Begins an area of unknown length. No other area may be allocated until {@link end}. */
  begin(): AreaWriter {
    return new AreaWriter(new Area(this.#scratch, this.#end, Infinity));
  }

  /** Ends the area that was begun. */
  end(writer: AreaWriter): Area {
    writer.flush();
    return this.area(writer.length);
  }
}

/** An area of a scratch file. */
export class Area {
  readonly length: number;
  readonly #scratch: Scratch;
  readonly #start: number;

  constructor(scratch: Scratch, start: number, length: number) {
    this.#scratch = scratch;
    this.#start = start;
    this.length = length;
  }

  write(at: number, bytes: Uint8Array): void {
    if (at + bytes.length > this.length) throw new RangeError("an area has no room left");
    if (bytes.length > 0) this.#scratch.write(this.#start + at, bytes);
  }

  read(from: number, to: number): Uint8Array {
    const bytes = this.#scratch.read(this.#start + from, this.#start + to);
    return bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  }
}

/** Writes bytes into an area, one after the other. */
export class AreaWriter {
  readonly #area: Area;
  readonly #buffer = new Uint8Array(BYTES_AT_ONCE);
  /** How many bytes are in the area already, and how many in the buffer. */
  #written = 0;
  #filled = 0;

  constructor(area: Area) {
    this.#area = area;
  }

  /** How many bytes were added. */
  get length(): number {
    return this.#written + this.#filled;
  }

  add(bytes: Uint8Array): void {
    if (this.#filled + bytes.length > BYTES_AT_ONCE) this.flush();
    if (bytes.length > BYTES_AT_ONCE) {
      this.#area.write(this.#written, bytes);
      this.#written += bytes.length;
    } else {
      this.#buffer.set(bytes, this.#filled);
      this.#filled += bytes.length;
    }
  }

  flush(): void {
    this.#area.write(this.#written, this.#buffer.subarray(0, this.#filled));
    this.#written += this.#filled;
    this.#filled = 0;
  }
}

/** A scratch in memory. */
export class MemoryScratch implements Scratch {
  #bytes = new Uint8Array(1 << 12);

  write(position: number, bytes: Uint8Array): void {
    const end = position + bytes.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, position);
  }

  read(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array(to - from);
    bytes.set(this.#bytes.subarray(from, to));
    return bytes;
  }

  clear(): void {
    this.#bytes = new Uint8Array(1 << 12);
  }
}
