// What a database holds, how it changes, and who is notified. A change is made completely or not at all.

import type { NamedBy, Patch } from "../collection/change/patch.ts";
import { readPatches } from "../collection/change/read-patches.ts";
import type { Change } from "../collection/change/version.ts";
import type { Snapshot } from "../collection/snapshot/snapshot.ts";
import { alternatives, InputError } from "../schema/errors.ts";
import { callable } from "../schema/options.ts";
import { patchesOf, type DatabaseChange } from "./changes.ts";
import { runRecipe, type NextState } from "./draft.ts";
import type { Group, Part, PatchedGroup } from "./group.ts";
import { LiveQueries, LiveQuery, type Asked, type Subscription } from "./live-queries.ts";
import { attempt, report, type OnError } from "./on-error.ts";

/** Gives the patches of a change, which name records by their keys. */
export type JournalEntry = () => readonly Patch[];

export type Subscriber = (change: DatabaseChange) => void;

/** A change, and the subscribers to notify of it. */
interface Untold {
  readonly change: DatabaseChange;
  readonly subscriptions: readonly Subscription[];
}

export class Data {
  readonly #groups = new Map<string, Group>();
  /** What a database is called in errors. */
  readonly #what: string;
  /** How long a query of a collection of its own may take; `undefined`: as long as it does. */
  readonly milliseconds: number | undefined;
  #isChanging = false;
  /** Called before each commit. */
  #veto: ((entry: JournalEntry) => void) | undefined;
  readonly #onError: OnError;
  readonly #subscriptions = new Set<Subscription>();
  readonly #live = new LiveQueries();
  #order = 0;
  /** The changes that some subscribers do not know yet; undefined while none is being notified. */
  #untold: Untold[] | undefined;

  /**
   * @param what it is called in errors, such as `service`
   * @param onError receives what a subscriber throws
   * @param milliseconds how long a query of a collection of its own may take
   */
  constructor(what: string, groups: Iterable<Group>, onError: OnError, milliseconds?: number) {
    this.#what = what;
    this.#onError = onError;
    this.milliseconds = milliseconds;
    for (const group of groups) this.#groups.set(group.name, group);
  }

  /** What it holds, by name. */
  get groups(): ReadonlyMap<string, Group> {
    return this.#groups;
  }

  /** Adds a group, which has no listeners yet. */
  add(group: Group): void {
    this.#groups.set(group.name, group);
  }

  /** @throws InputError, or whatever the recipe throws; the state is then as it was */
  update(recipe: unknown): DatabaseChange {
    const run = callable(recipe, "recipe");
    return this.change(() => runRecipe(this.#groups, run));
  }

  /**
   * @param by what the patches name records by
   * @throws InputError; the state is then as it was
   */
  applyPatches(input: unknown, by: NamedBy = "identity"): DatabaseChange {
    return this.change(() => {
      const changes = new Map<Snapshot, Change>();
      const patching = new Map<Group, PatchedGroup>();
      for (const patch of readPatches(input, by)) {
        const [name] = patch.path;
        const group = typeof name === "string" ? this.#groups.get(name) : undefined;
        if (group === undefined) {
          const names = alternatives([...this.#groups.keys()]);
          throw new InputError(`${patch.place}.path`, `must start with ${names}`);
        }
        let target = patching.get(group);
        if (target === undefined) patching.set(group, (target = group.patching(changes)));
        target.add(patch);
      }
      const touched = [...this.#groups.values()].flatMap((group) => patching.get(group) ?? []);
      return { groups: touched.map((group) => group.finish()), changes };
    });
  }

  /** Replaces this state by that of another database with the same groups, as a change. */
  replace(other: Data): void {
    const adopted = [...other.groups].flatMap(([name, from]) => {
      const group = this.#groups.get(name);
      if (group === undefined) this.add(from);
      return group?.adopt(from) ?? [];
    });
    // Comparing versions that are not made from each other reads all records, and only subscribers want to know.
    this.change(() => ({ groups: adopted, changes: new Map() }), this.#subscriptions.size > 0);
  }

  /** All collections. */
  *parts(): Generator<Part, void> {
    for (const group of this.#groups.values()) yield* group.parts();
  }

  get hasVeto(): boolean {
    return this.#veto !== undefined;
  }

  /** Calls a function before the commit of each change. If the function throws, the change is not made. */
  setVeto(veto: (entry: JournalEntry) => void): void {
    this.#veto = veto;
  }

  subscribe(subscriber: unknown): () => void {
    const subscription = this.#subscription(callable(subscriber, "subscriber"));
    this.#subscriptions.add(subscription);
    return () => {
      subscription.tell = undefined;
      this.#subscriptions.delete(subscription);
    };
  }

  /**
   * Reports an answer, and queries again when a change may alter it.
   *
   * @returns a function that ends this
   * @throws what asking throws
   */
  watch(asked: Asked): () => void {
    const first = asked.ask();
    const query = new LiveQuery(asked, first);
    const subscription = this.#subscription(() => query.again());
    const stop = this.#live.add(query, subscription);
    this.call(() => asked.listener(first));
    return () => {
      subscription.tell = undefined;
      stop();
    };
  }

  #subscription(tell: (change: DatabaseChange) => unknown): Subscription {
    return { order: this.#order++, tell };
  }

  /** Calls a function as a subscriber is called; the changes that it makes are reported afterwards. */
  call(run: () => unknown): void {
    const isTelling = this.#untold !== undefined;
    this.#untold ??= [];
    this.#guard(run);
    if (!isTelling) this.#tellAll(this.#untold);
  }

  /**
   * Makes a change and commits it.
   *
   * @param isNet whether it is no change if every record is as it was (U3)
   * @throws what `make` throws; the state is then as it was
   */
  change(make: () => NextState, isNet = true): DatabaseChange {
    if (this.#isChanging) {
      throw new InputError(this.#what, "may not be changed while it is being changed", {
        code: "conflict",
      });
    }
    this.#isChanging = true;
    let change: DatabaseChange;
    let told: readonly Subscription[];
    try {
      const { groups: made, changes } = make();
      const groups = isNet ? made.map((group) => group.net(changes)) : made;
      change = patchesOf(groups, changes);
      const replaced = groups.flatMap((group) => group.replaced);
      if (replaced.length > 0) {
        this.#veto?.(() => groups.flatMap((group) => group.patches(changes, "key").patches));
      }
      for (const group of groups) group.commit();
      told = replaced.length === 0 ? [] : this.#live.touchedBy(replaced, this.#subscriptions);
    } finally {
      this.#isChanging = false;
    }
    if (told.length > 0) this.#tell({ change, subscriptions: told });
    return change;
  }

  /** Reports a change; a change made by a subscriber waits until all subscribers know this one. */
  #tell(untold: Untold): void {
    if (this.#untold !== undefined) this.#untold.push(untold);
    else this.#tellAll([untold]);
  }

  #tellAll(untold: Untold[]): void {
    this.#untold = untold;
    // The loop includes changes pushed while it runs.
    for (const each of untold) {
      for (const subscription of each.subscriptions) {
        this.#guard(() => subscription.tell?.(each.change));
      }
    }
    this.#untold = undefined;
  }

  /** Calls a function of the user's, and reports what it throws, now or in a promise. */
  #guard(call: () => unknown): void {
    attempt(call, (thrown) => report(this.#onError, thrown));
  }
}

/** The data of databases and services, and of the stores made from them. */
const held = new WeakMap<object, Data>();

/** Records the data of an object. */
export function hold(holder: object, data: Data): void {
  held.set(holder, data);
}

/** The data of a database or a service; `undefined` if the value is neither. */
export function dataOf(holder: unknown): Data | undefined {
  return typeof holder === "object" && holder !== null ? held.get(holder) : undefined;
}
