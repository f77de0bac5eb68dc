// What is made from an index, or from rows, and kept as long as these are. It counts among the bytes of indexes; when the
// budget needs room, it is forgotten, and made again when it is next needed.

/** Something derived. It begins empty, and grows with use. */
export interface Derivation {
  readonly bytes: number;
  /** Forgets everything. */
  clear(): void;
}

/** A kind of derivation. */
export type Derive<Made extends Derivation> = new () => Made;

/** The derivations of one subject, which never changes. */
export class Derived {
  /** Made with the first: rows of a few changes have none. */
  #made: Map<Derive<Derivation>, Derivation> | undefined;
  /** By the clock of the budget: before everything else, since nothing is as quickly made again. */
  lastUsed = 0;

  /** The derivation of a kind. */
  of<Made extends Derivation>(kind: Derive<Made>): Made {
    const all = (this.#made ??= new Map<Derive<Derivation>, Derivation>());
    const known = all.get(kind);
    if (known instanceof kind) return known;
    const made = new kind();
    all.set(kind, made);
    return made;
  }

  get bytes(): number {
    let bytes = 0;
    for (const made of this.#made?.values() ?? []) bytes += made.bytes;
    return bytes;
  }

  clear(): void {
    for (const made of this.#made?.values() ?? []) made.clear();
  }
}
