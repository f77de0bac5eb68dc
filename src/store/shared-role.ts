// A tab that shares a store is its writer or one of its followers. This is what both roles have of their tab, and what
// it has of them.

import type { DatabaseChange } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import type { GivenSchemas } from "./collections.ts";
import type { StoreError } from "./errors.ts";
import type { readOpenOptions } from "./options.ts";
import type { Message } from "./shared-messages.ts";

/** The folder of the store in the private files. */
export const FOLDER = "/shared";

/** What a role has of its tab. */
export interface Tab {
  /** The store in errors. */
  readonly place: string;
  readonly schemas: GivenSchemas;
  readonly options: ReturnType<typeof readOpenOptions>;
  /** Aborted once the store is closed here. */
  readonly signal: AbortSignal;
  /** To all other tabs; nothing once the store is closed here. */
  send(message: Message): void;
  /** Takes over the state of the role. */
  open(state: DatabaseState): void;
  /** Closes the store here, because there is nothing left to open. */
  fail(thrown: unknown): void;
}

/** A call of `updateAsync`. */
export interface Call {
  /** Stays the same when its recipe runs again. */
  readonly id: string;
  /** The lock that its tab holds. */
  readonly from: string;
}

export interface Role {
  receive(message: Message): void;
  /** @returns the change, once it is on disk; `undefined` if the tab's role has to run the recipe again */
  update(recipe: unknown, call: Call, state: DatabaseState): Promise<DatabaseChange | undefined>;
  /** @param why what calls that wait reject with */
  close(why: StoreError): void;
}
