// A bound of the bytes that indexes take which are built when they pay, over all collections that share it.

interface Holder {
  readonly bytes: number;
}

/** How many bytes the indexes of some collections may take together, old snapshots' included. */
export class IndexBudget {
  readonly #bytes: number;
  /** Who has indexes; who is garbage has none. */
  readonly #holders = new Set<WeakRef<Holder>>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  add(holder: Holder): void {
    this.#holders.add(new WeakRef(holder));
  }

  /** How many bytes are left; negative where there are too many. */
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
