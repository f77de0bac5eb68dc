// Bounds the bytes of automatically built indexes, over all collections that share the budget. The least recently used
// indexes make room for new ones. An evicted index is built again only once queries have cost its price again, so
// indexes that do not fit together do not displace each other at every query.

/** An index or another structure that was built. */
export interface Structure {
  readonly bytes: number;
  /** The time of the last use, by the clock of the budget. */
  lastUsed: number;
}

/** A structure that may be evicted. */
export interface Evictable {
  readonly structure: Structure;
  readonly bytes: number;
  evict(): void;
}

interface Holder {
  readonly bytes: number;
  readonly evictables: readonly Evictable[];
}

/** Limits how many bytes the indexes of some collections may take together, including those of old snapshots. */
export class IndexBudget {
  readonly #bytes: number;
  /** The holders of indexes, except garbage-collected ones. */
  readonly #holders = new Set<WeakRef<Holder>>();
  #uses = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(holder: Holder): void {
    this.#holders.add(new WeakRef(holder));
  }

  /** Records a use of a structure. */
  use(structure: Structure): void {
    structure.lastUsed = ++this.#uses;
  }

  /** How many bytes are left; negative if the budget is exceeded. */
  get left(): number {
    let left = this.#bytes;
    for (const { bytes } of this.#living()) left -= bytes;
    return left;
  }

  /**
   * Whether there would be room with everything evicted that may be.
   *
   * @param keep what may not be evicted
   */
  canHold(bytes: number, keep: readonly Structure[] = []): boolean {
    const left = this.left;
    return (
      left >= bytes || this.#evictables(keep).reduce((sum, each) => sum + each.bytes, left) >= bytes
    );
  }

  /**
   * Evicts the least recently used structures until there is room. If there can't be, nothing is evicted.
   *
   * @param keep what may not be evicted
   * @returns whether there is room
   */
  makeRoom(bytes: number, keep: readonly Structure[] = []): boolean {
    if (this.left >= bytes) return true;
    if (!this.canHold(bytes, keep)) return false;
    this.#evictUntil(bytes, keep);
    return true;
  }

  /** Evicts the least recently used structures while the budget is exceeded and something may be evicted. */
  trim(): void {
    if (this.left < 0) this.#evictUntil(0, []);
  }

  #evictUntil(bytes: number, keep: readonly Structure[]): void {
    const evictables = this.#evictables(keep);
    evictables.sort((a, b) => a.structure.lastUsed - b.structure.lastUsed);
    for (const each of evictables) {
      if (this.left >= bytes) return;
      each.evict();
    }
  }

  #evictables(keep: readonly Structure[]): Evictable[] {
    const all = Array.from(this.#living(), ({ evictables }) => evictables).flat();
    return all.filter(({ structure }) => !keep.includes(structure));
  }

  *#living(): Generator<Holder, void> {
    for (const holder of this.#holders) {
      const living = holder.deref();
      if (living === undefined) this.#holders.delete(holder);
      else yield living;
    }
  }
}
