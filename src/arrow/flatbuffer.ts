// Reading flatbuffers that nobody vouches for: every offset is checked against the bytes that there
// are, by DataView, which throws a RangeError. No vector is longer than its bytes, so that reading
// one ends.
//
// Source: "FlatBuffers Internals", in the FlatBuffers documentation.

/** A table of a flatbuffer. Fields are named by their number in its definition, counted from 0. */
export class FlatTable {
  readonly #view: DataView;
  readonly #position: number;
  readonly #vtable: number;
  readonly #vtableEnd: number;

  private constructor(view: DataView, position: number) {
    this.#view = view;
    this.#position = position;
    this.#vtable = position - view.getInt32(position, true);
    this.#vtableEnd = this.#vtable + view.getUint16(this.#vtable, true);
  }

  /** @throws RangeError where an offset leads out of the bytes, as all that read do */
  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  int8(field: number): number {
    const at = this.#find(field);
    return at === undefined ? 0 : this.#view.getInt8(at);
  }

  int16(field: number): number {
    const at = this.#find(field);
    return at === undefined ? 0 : this.#view.getInt16(at, true);
  }

  int32(field: number): number {
    const at = this.#find(field);
    return at === undefined ? 0 : this.#view.getInt32(at, true);
  }

  int64(field: number): number {
    const at = this.#find(field);
    return at === undefined ? 0 : safeInt64(this.#view, at);
  }

  table(field: number): FlatTable | undefined {
    const at = this.#find(field);
    return at === undefined ? undefined : new FlatTable(this.#view, this.#target(at));
  }

  tables(field: number): FlatTable[] {
    return this.#vector(field, 4, (at) => new FlatTable(this.#view, this.#target(at)));
  }

  int64s(field: number): number[] {
    return this.#vector(field, 8, (at) => safeInt64(this.#view, at));
  }

  /** The structs of a vector, each of `size` bytes. */
  structs<T>(field: number, size: number, read: (view: DataView, at: number) => T): T[] {
    return this.#vector(field, size, (at) => read(this.#view, at));
  }

  string(field: number): string | undefined {
    const at = this.#find(field);
    if (at === undefined) return undefined;
    const from = this.#target(at);
    const length = this.#view.getUint32(from, true);
    // Throws where there are fewer bytes.
    const bytes = new Uint8Array(this.#view.buffer, this.#view.byteOffset + from + 4, length);
    if (from + 4 + length > this.#view.byteLength) throw new RangeError("a text ends too late");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice());
  }

  #find(field: number): number | undefined {
    const slot = this.#vtable + 4 + 2 * field;
    if (slot + 2 > this.#vtableEnd) return undefined;
    const offset = this.#view.getUint16(slot, true);
    return offset === 0 ? undefined : this.#position + offset;
  }

  #target(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  #vector<T>(field: number, size: number, read: (at: number) => T): T[] {
    const at = this.#find(field);
    if (at === undefined) return [];
    const from = this.#target(at);
    const length = this.#view.getUint32(from, true);
    if (from + 4 + length * size > this.#view.byteLength) {
      throw new RangeError("a vector ends too late");
    }
    return Array.from({ length }, (_, i) => read(from + 4 + i * size));
  }
}

/** @throws RangeError where no number holds it exactly */
export function safeInt64(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (!Number.isSafeInteger(value)) throw new RangeError("a number is too large");
  return value;
}
