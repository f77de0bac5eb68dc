// An index that a join holds. It counts among the bytes of indexes, is evicted as these are, and then made again only once
// queries without it have cost its price.

import { hasEffects } from "../algorithms/effects.ts";
import { Account } from "../indexes/account.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { Evictable, IndexBudget, Structure } from "../indexes/index-budget.ts";

/** An index, and what it was made of. */
interface Made {
  readonly index: FieldIndex;
}

export class HeldIndex<M extends Made> implements Structure {
  lastUsed = 0;
  readonly #budget: IndexBudget | undefined;
  readonly #account = new Account();
  #made: M | undefined;
  #isCounted = false;

  constructor(budget: IndexBudget | undefined) {
    this.#budget = budget;
  }

  /** The index, unless it was evicted. It counts as used before those of which it is made, and is evicted before these. */
  use(): M | undefined {
    this.#budget?.use(this);
    return this.#made;
  }

  /** Holds an index if there is room. @param keep those of which it is made */
  put(made: M, keep: readonly Structure[]): void {
    if (!hasEffects()) return;
    this.#account.close();
    this.#made = undefined;
    const budget = this.#budget;
    if (budget !== undefined && !budget.makeRoom(made.index.bytes, keep)) this.#account.drop();
    else this.#made = made;
    if (!this.#isCounted) budget?.add(this);
    this.#isCounted = true;
  }

  /** Whether the index may be made. @param price in nanoseconds */
  isDue(price: number): boolean {
    return !this.wasDropped || this.#account.spent >= price;
  }

  /** Whether it was evicted, or there was no room for it. */
  get wasDropped(): boolean {
    return this.#made === undefined && this.#account.wasDropped;
  }

  charge(nanoseconds: number): void {
    if (hasEffects()) this.#account.charge(nanoseconds);
  }

  /** Called when the index has grown. */
  readonly trim = (): void => this.#budget?.trim();

  get bytes(): number {
    return this.#made?.index.bytes ?? 0;
  }

  get evictables(): readonly Evictable[] {
    const evict = () => {
      this.#made = undefined;
      this.#account.drop();
    };
    return this.#made === undefined ? [] : [{ structure: this, bytes: this.bytes, evict }];
  }
}
