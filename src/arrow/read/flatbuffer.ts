// Reads untrusted flatbuffers. Every offset is checked against the available bytes, and every read is charged to a
// budget: however many offsets lead to one place, the total of all reads is at most a few times the length of the
// flatbuffer.
//
// Source: "FlatBuffers Internals", in the FlatBuffers documentation.

import { ReadBudget } from "../read-budget.ts";

/** The read budget as a multiple of the length. Writers share a type or a vtable, but no more. */
const MOST_TIMES = 8;

/** The bytes of a flatbuffer, shared by all of its tables. */
class FlatBytes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #budget: ReadBudget;

  constructor(bytes: Uint8Array, section: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = new ReadBudget(
      MOST_TIMES * bytes.length,
      section,
      `has offsets that lead to the same bytes again and again: more than ${MOST_TIMES} times its length would be read`,
    );
  }

  /** Checks and charges a range before it is read. Every read goes through here. */
  take(at: number, size: number): DataView {
    if (at < 0 || at + size > this.#bytes.length) throw new RangeError("an offset is out of range");
    this.#budget.spend(size);
    return this.#view;
  }

  /** The target of the offset at a position. */
  target(at: number): number {
    return at + this.take(at, 4).getUint32(at, true);
  }

  string(at: number): string {
    const from = this.target(at);
    const length = this.take(from, 4).getUint32(from, true);
    this.take(from + 4, length);
    // A copy: browsers can't decode shared memory.
    return utf8.decode(this.#bytes.slice(from + 4, from + 4 + length));
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A table of a flatbuffer. Fields are identified by their number in its definition, counted from 0. */
export class FlatTable {
  readonly #bytes: FlatBytes;
  readonly #position: number;
  readonly #vtable: number;
  readonly #vtableEnd: number;

  private constructor(bytes: FlatBytes, position: number) {
    this.#bytes = bytes;
    this.#position = position;
    this.#vtable = position - bytes.take(position, 4).getInt32(position, true);
    this.#vtableEnd = this.#vtable + bytes.take(this.#vtable, 2).getUint16(this.#vtable, true);
  }

  /**
   * @param section the name of the flatbuffer in errors
   * @throws RangeError if an offset points outside the bytes, like all members that read; TypeError if a string is not
   *   UTF-8; FileError if the same bytes are read too often
   */
  static root(bytes: Uint8Array, section: string): FlatTable {
    const all = new FlatBytes(bytes, section);
    return new FlatTable(all, all.target(0));
  }

  /** The result of `read` for each table of a vector. */
  tables<T>(field: number, read: (table: FlatTable) => T): T[] {
    const at = this.#find(field);
    if (at === undefined) return [];
    const from = this.#bytes.target(at);
    const length = this.#bytes.take(from, 4).getUint32(from, true);
    this.#bytes.take(from + 4, 4 * length);
    return Array.from({ length }, (_, i) => {
      return read(new FlatTable(this.#bytes, this.#bytes.target(from + 4 + 4 * i)));
    });
  }

  table(field: number): FlatTable | undefined {
    const at = this.#find(field);
    return at === undefined ? undefined : new FlatTable(this.#bytes, this.#bytes.target(at));
  }

  int16(field: number): number {
    const at = this.#find(field);
    return at === undefined ? 0 : this.#bytes.take(at, 2).getInt16(at, true);
  }

  int64(field: number): bigint {
    const at = this.#find(field);
    return at === undefined ? 0n : this.#bytes.take(at, 8).getBigInt64(at, true);
  }

  string(field: number): string | undefined {
    const at = this.#find(field);
    return at === undefined ? undefined : this.#bytes.string(at);
  }

  #find(field: number): number | undefined {
    const slot = this.#vtable + 4 + 2 * field;
    if (slot + 2 > this.#vtableEnd) return undefined;
    const offset = this.#bytes.take(slot, 2).getUint16(slot, true);
    return offset === 0 ? undefined : this.#position + offset;
  }
}
