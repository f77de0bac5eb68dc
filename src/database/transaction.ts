// Transactions: draft → changes → delta → beforeCommit → commit → afterCommit. A change is made completely or not at
// all. A store writes its journal before the commit; everyone else is notified after it.

import type { Patch } from "../engine/changes/patch.ts";
import { InputError } from "../schema/errors.ts";
import { changeOf, type DatabaseChange } from "./changes.ts";
import type { MemberChange, Replaced } from "./member.ts";

/** A transaction before its commit. */
export interface Prepared {
  /** Whether no record has changed, so that there is nothing to write. */
  readonly isMoved: boolean;
  /** Its patches by keys, made on demand. */
  readonly entry: () => readonly Patch[];
  /** The changes that undo it, after its commit and before any later change. */
  readonly undo: () => readonly MemberChange[];
}

/** Called before each commit, including those without an effect. If it throws, nothing changes. */
export type BeforeCommit = (prepared: Prepared) => void;

export class Transactions {
  /** The name of the data in errors. */
  readonly #what: string;
  readonly #afterCommit: (change: DatabaseChange, replaced: readonly Replaced[]) => void;
  #isOpen = false;
  /** Called before each commit without a `beforeCommit` of its own. Set by stores. */
  beforeCommit: BeforeCommit | undefined;

  /**
   * @param what the name of the data in errors, such as `service`
   * @param afterCommit may run transactions of its own
   */
  constructor(
    what: string,
    afterCommit: (change: DatabaseChange, replaced: readonly Replaced[]) => void,
  ) {
    this.#what = what;
    this.#afterCommit = afterCommit;
  }

  /**
   * Runs a transaction.
   *
   * @param make the changes
   * @param beforeCommit used instead of {@link beforeCommit}
   * @throws whatever `make` or `beforeCommit` throws; nothing has changed then
   */
  run(make: () => readonly MemberChange[], beforeCommit = this.beforeCommit): DatabaseChange {
    if (this.#isOpen) {
      throw new InputError(
        this.#what,
        "can't be changed while an update is running; subscribers may change it",
        {
          code: "conflict",
        },
      );
    }
    this.#isOpen = true;
    let changes: readonly MemberChange[];
    let replaced: readonly Replaced[];
    try {
      changes = make();
      replaced = changes.flatMap((each) => each.replaced);
      beforeCommit?.(prepared(changes, replaced));
      for (const each of changes) each.commit();
    } finally {
      this.#isOpen = false;
    }
    const change = changeOf(changes);
    this.#afterCommit(change, replaced);
    return change;
  }
}

function prepared(changes: readonly MemberChange[], replaced: readonly Replaced[]): Prepared {
  return {
    get isMoved() {
      return replaced.every(({ transition }) => transition?.isMoved === true);
    },
    entry: () => changes.flatMap((each) => each.patches("key")),
    undo: () => changes.map((each) => each.undo()),
  };
}
