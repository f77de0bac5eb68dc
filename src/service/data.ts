// The state that a service answers from, how it is changed, and who is told. A change is made as a
// whole or not at all.

import type { CollectionSettings } from "../collection/settings.ts";
import { InputError } from "../schema/errors.ts";
import type { AnyFunction } from "../schema/input.ts";
import { callable } from "../schema/options.ts";
import type { Batch } from "./batch.ts";
import { changeBetween, type ServiceChange } from "./changes.ts";
import { runServiceRecipe } from "./draft/draft.ts";
import type { Files } from "./load.ts";
import { patchState } from "./apply-patches.ts";
import type { NextState, ServiceState } from "./state.ts";

export type Subscriber = (change: ServiceChange) => void;

interface Subscription {
  readonly subscriber: AnyFunction;
}

/** A change, and who was subscribed when it was made. */
interface Untold {
  readonly change: ServiceChange;
  readonly subscriptions: readonly Subscription[];
}

export class ServiceData implements ServiceState {
  #files: Files;
  readonly #batches: Map<string, Batch>;
  /** The Batches as users see them; made when they are first asked for, since that takes all. */
  #shown: Readonly<Record<string, Batch>> | undefined;
  readonly #options: CollectionSettings;
  #isChanging = false;
  /** Is asked before each commit. */
  #veto: ((change: ServiceChange) => void) | undefined;
  readonly #report: (thrown: unknown) => void;
  readonly #subscriptions = new Set<Subscription>();
  /** The changes that not all subscribers were told of yet; undefined while none are being told. */
  #untold: Untold[] | undefined;

  /**
   * @param options of the collections of Batches that are added
   * @param report receives what a subscriber throws
   */
  constructor(
    files: Files,
    batches: Map<string, Batch>,
    options: CollectionSettings,
    report: (thrown: unknown) => void,
  ) {
    this.#files = files;
    this.#batches = batches;
    this.#options = options;
    this.#report = report;
  }

  get files(): Files {
    return this.#files;
  }

  get batches(): ReadonlyMap<string, Batch> {
    return this.#batches;
  }

  /** The Batches by id, frozen. Without a prototype: `constructor` is not the id of a Batch. */
  get batchesById(): Readonly<Record<string, Batch>> {
    if (this.#shown === undefined) {
      const shown = Object.create(null) as Record<string, Batch>;
      for (const [id, batch] of this.#batches) shown[id] = batch;
      this.#shown = Object.freeze(shown);
    }
    return this.#shown;
  }

  /** The state as it is now, whatever becomes of this one. Cost: linear in the Batches. */
  capture(): ServiceState {
    return { files: this.#files, batches: new Map(this.#batches) };
  }

  /** @throws InputError, or whatever the recipe throws; the state is then as it was */
  update(recipe: unknown): ServiceChange {
    const run = callable(recipe, "recipe");
    return this.#change(() => runServiceRecipe(this, run, this.#options));
  }

  /** @throws InputError; the state is then as it was */
  applyPatches(patches: unknown): ServiceChange {
    return this.#change(() => patchState(this, patches, this.#options));
  }

  /** Takes the place of this state by another one, as a change. */
  replace(other: ServiceState): void {
    this.#change(() => {
      const removed = [...this.#batches.keys()].map((id) => [id, undefined] as const);
      const batches = new Map([...removed, ...other.batches]);
      return { files: other.files, batches, changes: new Map() };
    });
  }

  get hasVeto(): boolean {
    return this.#veto !== undefined;
  }

  /** Gives each change to a function before it is committed. Where that throws, the change is not made. */
  setVeto(veto: (change: ServiceChange) => void): void {
    this.#veto = veto;
  }

  subscribe(subscriber: unknown): () => void {
    const subscription = { subscriber: callable(subscriber, "subscriber") };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Calls a function as a subscriber is called; the changes that it makes are told afterwards. */
  call(run: () => unknown): void {
    const isTelling = this.#untold !== undefined;
    this.#untold ??= [];
    this.#guard(run);
    if (!isTelling) this.#tellAll(this.#untold);
  }

  #change(make: () => NextState): ServiceChange {
    if (this.#isChanging) {
      throw new InputError("service", "may not be changed while it is being changed");
    }
    this.#isChanging = true;
    let made: { readonly change: ServiceChange; readonly isOther: boolean };
    try {
      made = this.#commit(make());
    } finally {
      this.#isChanging = false;
    }
    if (made.isOther) this.#tell(made.change);
    return made.change;
  }

  /** What the next state will replace. */
  #replacedBy(next: NextState): ServiceState {
    const batches = new Map<string, Batch>();
    for (const id of next.batches.keys()) {
      const batch = this.#batches.get(id);
      if (batch !== undefined) batches.set(id, batch);
    }
    return { files: this.#files, batches };
  }

  /** Makes what comes the state, and returns what that changed. */
  #commit(next: NextState): { readonly change: ServiceChange; readonly isOther: boolean } {
    const { files, batches } = next;
    const before = this.#replacedBy(next);
    const change = changeBetween(before, next);
    const isOther =
      files !== before.files ||
      [...batches].some(([id, batch]) => batch !== before.batches.get(id));
    if (isOther) this.#veto?.(change);
    this.#files = files;
    if (batches.size > 0) this.#shown = undefined;
    for (const [id, batch] of batches) {
      if (batch === undefined) this.#batches.delete(id);
      else this.#batches.set(id, batch);
    }
    return { change, isOther };
  }

  /** Tells all subscribers of a change; one that is made by a subscriber waits until all know this. */
  #tell(change: ServiceChange): void {
    const untold = { change, subscriptions: [...this.#subscriptions] };
    if (this.#untold !== undefined) this.#untold.push(untold);
    else this.#tellAll([untold]);
  }

  #tellAll(untold: Untold[]): void {
    this.#untold = untold;
    // What is pushed while the loop runs is still in it.
    for (const each of untold) {
      for (const subscription of each.subscriptions) {
        if (this.#subscriptions.has(subscription)) {
          this.#guard(() => subscription.subscriber(each.change));
        }
      }
    }
    this.#untold = undefined;
  }

  /** Calls a function of the user's; what it throws is reported. */
  #guard(call: () => unknown): void {
    try {
      const result = call();
      // What an asynchronous subscriber throws later must not take the process down either.
      Promise.resolve(result).catch(this.#report);
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}
