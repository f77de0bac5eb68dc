// The state of a database, and the ways to change it: by a recipe, by patches, or by taking over the content of another
// database.

import { ChangeLog } from "../engine/changes/transition.ts";
import type { NamedBy } from "../engine/changes/patch.ts";
import { callable } from "../schema/options.ts";
import type { DatabaseChange } from "./changes.ts";
import { runRecipe } from "./draft.ts";
import type { Member, MemberChange, MemberCollection } from "./member.ts";
import { NO_EXPIRY, readNow, removeExpired, type Expiry } from "./expiry.ts";
import type { OnError } from "../engine/on-error.ts";
import { patchMembers } from "./patch-members.ts";
import type { Integrity } from "./relations/integrity.ts";
import type { Relations } from "./relations/relations.ts";
import { Subscribers } from "./subscribers.ts";
import { Transactions, type BeforeCommit } from "./transaction.ts";

/** A function that is called after each change, in the order of subscription. */
export type Subscriber = (change: DatabaseChange) => void;

export class DatabaseState {
  readonly #members = new Map<string, Member>();
  readonly subscribers: Subscribers;
  readonly transactions: Transactions;
  /** Keeps references between its collections valid; `undefined` if there are none. */
  integrity: Integrity | undefined;
  /** Reads questions that cross its collections; `undefined` for a service, of which none are asked. */
  relations: Relations | undefined;
  /** The time limit of queries, in milliseconds; `undefined` for none. */
  readonly milliseconds: number | undefined;
  /** Which records expire. Set once the members are known. */
  expiry: Expiry = NO_EXPIRY;

  /**
   * @param what its name in errors, such as `service`
   * @param onError receives exceptions of subscribers
   * @param milliseconds the time limit of queries on its own collections
   */
  constructor(what: string, members: Iterable<Member>, onError: OnError, milliseconds?: number) {
    const subscribers = new Subscribers(onError);
    this.subscribers = subscribers;
    this.transactions = new Transactions(what, (change, replaced) =>
      subscribers.notify(change, replaced),
    );
    this.milliseconds = milliseconds;
    for (const member of members) this.#members.set(member.name, member);
  }

  /** The members by name. */
  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** All collections. */
  *collections(): Generator<MemberCollection, void> {
    for (const member of this.#members.values()) yield* member.collections();
  }

  /** Adds a member, which has no listeners yet. */
  add(member: Member): void {
    this.#members.set(member.name, member);
  }

  /**
   * @param beforeCommit as {@link Transactions.run} takes it
   * @throws InputError, or whatever the recipe throws; the state is then unchanged
   */
  update(recipe: unknown, beforeCommit?: BeforeCommit): DatabaseChange {
    return this.#runRecipe(callable(recipe, "recipe"), undefined, beforeCommit);
  }

  /** Removes the records that have expired. @param now default: what the clock says @throws InputError */
  expire(now?: unknown): DatabaseChange {
    return this.#runRecipe(() => undefined, now === undefined ? undefined : readNow(now, "now"));
  }

  #runRecipe(
    recipe: (draft: unknown) => unknown,
    now: number | undefined,
    beforeCommit?: BeforeCommit,
  ): DatabaseChange {
    const { expiry } = this;
    const expire: Parameters<typeof runRecipe>[2] =
      expiry.policies.size === 0
        ? undefined
        : (draftOf) => removeExpired(expiry, now ?? expiry.now(), draftOf);
    return this.#run(() => runRecipe(this.#members, recipe, expire), beforeCommit);
  }

  /**
   * @param by how the patches identify records
   * @param beforeCommit as {@link Transactions.run} takes it
   * @throws InputError; the state is then unchanged
   */
  applyPatches(
    input: unknown,
    by: NamedBy = "identity",
    beforeCommit?: BeforeCommit,
  ): DatabaseChange {
    return this.#run(() => {
      const log = new ChangeLog();
      return patchMembers(this.#members, input, by, (member) => member.patching(log));
    }, beforeCommit);
  }

  #run(
    make: () => readonly MemberChange[],
    beforeCommit: BeforeCommit | undefined,
  ): DatabaseChange {
    const { integrity } = this;
    const enforced = integrity === undefined ? make : () => integrity.enforced(make());
    return this.transactions.run(enforced, beforeCommit);
  }

  /**
   * Replaces this state with that of another database with the same members, as a change.
   *
   * @param beforeCommit as {@link Transactions.run} takes it
   */
  replace(other: DatabaseState, beforeCommit?: BeforeCommit): void {
    this.transactions.run(
      () =>
        [...other.members].flatMap(([name, from]) => {
          const member = this.#members.get(name);
          if (member === undefined) this.add(from);
          return member?.replaceWith(from) ?? [];
        }),
      beforeCommit,
    );
  }
}

/** The states of databases and services, and of the stores made from them. */
const states = new WeakMap<object, DatabaseState>();

/** Registers the state of an object. */
export function register(holder: object, data: DatabaseState): void {
  states.set(holder, data);
}

/** The state of a database or a service; `undefined` if the value is neither. */
export function stateOf(holder: unknown): DatabaseState | undefined {
  return typeof holder === "object" && holder !== null ? states.get(holder) : undefined;
}
