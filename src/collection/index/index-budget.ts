// Bounds the bytes of automatically built indexes, over all collections that share the budget.

interface Holder {
  readonly bytes: number;
}

/** How many bytes the indexes of some collections may take together, including old snapshots. */
export class IndexBudget {
  readonly #bytes: number;
  /** The holders of indexes; garbage-collected ones have none. */
  readonly #holders = new Set<WeakRef<Holder>>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(holder: Holder): void {
    this.#holders.add(new WeakRef(holder));
  }

  /** How many bytes are left; negative if the budget is exceeded. */
  get left(): number {
    let left = this.#bytes;
    for (const holder of this.#holders) {
      const indexes = holder.deref();
      if (indexes === undefined) this.#holders.delete(holder);
      else left -= indexes.bytes;
    }
    return left;
  }
}
