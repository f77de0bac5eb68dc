// A tab that follows the writer of a shared store: it reads a copy of the files in memory, and sends its changes to the
// writer.

import { changeOf, type DatabaseChange } from "../database/changes.ts";
import type { DatabaseState } from "../database/database-state.ts";
import { expiryOf } from "../database/expiry.ts";
import type { Prepared } from "../database/transaction.ts";
import type { Patch } from "../engine/changes/patch.ts";
import { DataFiles } from "./data-files.ts";
import { StoreError } from "./errors.ts";
import { Folder } from "./folder.ts";
import { randomHex } from "./identity.ts";
import { following } from "./reader.ts";
import { ReplicaDisk } from "./replica.ts";
import type { Message, MessageOf } from "./shared-messages.ts";
import { FOLDER, type Call, type Role, type Tab } from "./shared-role.ts";

/** A change that was sent to the writer, or will be run again once there is one. */
interface Proposal {
  /** The number that the writer has announced for it. */
  accepted: number | undefined;
  /** @param number of the change; `undefined` if it was not made */
  readonly settle: (number: number | undefined) => void;
  readonly reject: (thrown: unknown) => void;
}

/** Aborts a transaction whose patches are all that was wanted. */
const PROPOSED = new Error("the change is proposed to the tab that writes");

export class SharedFollower implements Role {
  readonly #tab: Tab;
  readonly #replica = new ReplicaDisk(FOLDER, (run) => setTimeout(run, 0));
  #reading: ReturnType<typeof following> | undefined;
  /** The writer whose files are in the replica. */
  #leader: string | undefined;
  /** The number of the last message with changes of files that is in the replica. */
  #sequence = 0;
  /** The last message that asked for the files, until they are in the replica. A writer that has ended answers none. */
  #asked: string | undefined;
  /** The messages with changes that came since then. */
  #early: MessageOf<"changes">[] = [];
  readonly #proposals = new Map<string, Proposal>();
  /** What waits until the change of a number is in the state. */
  readonly #waiting = new Set<{ readonly number: number; readonly resolve: () => void }>();
  /** The changes that proposals of this tab have made, by number. */
  readonly #made = new Map<number, DatabaseChange>();

  constructor(tab: Tab) {
    this.#tab = tab;
    this.#ask();
  }

  receive(message: Message): void {
    switch (message.is) {
      case "writer":
        this.#turnTo(message);
        break;
      case "files":
        if (message.id === this.#asked) void this.#follow(message);
        break;
      case "changes":
        if (this.#asked !== undefined) this.#early.push(message);
        else if (message.writer === this.#leader) this.#step(message);
        break;
      case "accepted": {
        const proposal = this.#proposals.get(message.id);
        if (proposal !== undefined) proposal.accepted = message.number;
        break;
      }
      case "answer":
        void this.#answer(message);
        break;
      // For the writer.
      case "hello":
      case "proposal":
      case "pass":
    }
  }

  async update(
    recipe: unknown,
    call: Call,
    state: DatabaseState,
  ): Promise<DatabaseChange | undefined> {
    const { patches, moved } = this.#proposed(state, recipe, call);
    const number = await this.#propose(patches, call);
    if (number === undefined) return undefined;
    const made = this.#made.get(number);
    this.#made.delete(number);
    return moved ?? made ?? changeOf([]);
  }

  /** Ends the role, because this tab writes. @param last the number of the store's last change */
  end(last: number): void {
    this.#leave();
    this.#settleAll(last);
  }

  close(why: StoreError): void {
    this.#leave();
    for (const { reject } of this.#proposals.values()) reject(why);
    this.#wake(Infinity);
  }

  /** From then on, files and changes of a writer are ignored. */
  #leave(): void {
    this.#leader = undefined;
    this.#asked = undefined;
  }

  #ask(): void {
    this.#asked = randomHex(8);
    this.#early = [];
    this.#tab.send({ is: "hello", id: this.#asked });
  }

  /** Asks a new writer for its files. Until they are there, changes wait. */
  #turnTo({ last }: MessageOf<"writer">): void {
    this.#leader = undefined;
    // The numbers of changes that the writer before could not make are used again.
    for (const each of this.#proposals.values()) {
      if (each.accepted !== undefined && each.accepted > last) each.accepted = undefined;
    }
    this.#ask();
  }

  /** Reads the files of the writer. */
  async #follow({ id, writer, sequence, files }: MessageOf<"files">): Promise<void> {
    let contents: (readonly [path: string, bytes: Uint8Array])[];
    try {
      contents = await Promise.all(
        files.map(
          async ([path, content]) => [path, new Uint8Array(await content.arrayBuffer())] as const,
        ),
      );
    } catch {
      // The content of a writer that has ended may be lost. The next one answers.
      if (id === this.#asked) this.#ask();
      return;
    }
    if (id !== this.#asked) return;
    const isSame = this.#leader === writer;
    this.#asked = undefined;
    this.#leader = writer;
    this.#sequence = sequence;
    if (!this.#read(() => this.#replica.reset(contents))) return;
    if (isSame) this.#wake(this.#last());
    else this.#settleAll(this.#last());
    for (const each of this.#early.splice(0)) this.receive(each);
  }

  #step({ sequence, changes }: MessageOf<"changes">): void {
    if (sequence <= this.#sequence) return;
    if (sequence > this.#sequence + 1) {
      this.#ask();
      return;
    }
    this.#sequence = sequence;
    const isRead = this.#read(() => {
      for (const each of changes) this.#replica.apply(each);
    });
    if (isRead) this.#wake(this.#last());
  }

  /** Changes the replica, and reads it. @returns whether it can be read; otherwise the store is closed */
  #read(change: () => void): boolean {
    try {
      change();
      if (this.#reading === undefined) this.#reading = this.#open();
      else this.#reading.refresh();
      return true;
    } catch (thrown) {
      this.#tab.fail(thrown);
      return false;
    }
  }

  #open(): ReturnType<typeof following> {
    const { schemas, options } = this.#tab;
    const { serviceOptions, migrate, expire, now } = options;
    const files = new DataFiles(new Folder(FOLDER, this.#replica));
    const onChange = (number: number, change: DatabaseChange) => {
      for (const { accepted } of this.#proposals.values()) {
        if (accepted === number) this.#made.set(number, change);
      }
    };
    const reading = following(files, serviceOptions, schemas, migrate, undefined, false, onChange);
    reading.state.expiry = expiryOf(reading.state.members, expire, now);
    this.#tab.open(reading.state);
    return reading;
  }

  async #answer({ id, number, outcome }: MessageOf<"answer">): Promise<void> {
    const proposal = this.#proposals.get(id);
    if (proposal === undefined) return;
    if (outcome === "made" || outcome === "outdated") {
      await this.#reached(number);
      proposal.settle(outcome === "made" ? number : undefined);
    } else {
      const { file, reason, code } = outcome;
      proposal.reject(new StoreError(file, reason, { code }));
    }
  }

  /** Decides about changes that were sent to a writer that has ended. @param last the number of the last change */
  #settleAll(last: number): void {
    for (const { accepted, settle } of this.#proposals.values()) {
      settle(accepted !== undefined && accepted <= last ? accepted : undefined);
    }
    this.#wake(last);
  }

  #wake(last: number): void {
    for (const each of this.#waiting) {
      if (each.number > last) continue;
      this.#waiting.delete(each);
      each.resolve();
    }
  }

  #last(): number {
    return this.#reading?.last() ?? 0;
  }

  /** Resolves once a change is in the state, or the store is closed. */
  async #reached(number: number): Promise<void> {
    if (this.#last() >= number) return;
    await new Promise<void>((resolve) => this.#waiting.add({ number, resolve }));
  }

  /** The patches of a recipe, which is not committed; its change, if it has no effect. */
  #proposed(state: DatabaseState, recipe: unknown, call: Call) {
    let patches: readonly Patch[] = [];
    const before = (prepared: Prepared) => {
      if (prepared.isMoved) return;
      patches = prepared.entry();
      throw PROPOSED;
    };
    try {
      return { patches, moved: state.update(recipe, before) };
    } catch (thrown) {
      if (thrown === PROPOSED) return { patches, moved: undefined };
      this.#tab.send({ is: "pass", call: call.id });
      throw thrown;
    }
  }

  /** @returns the number of the change; `undefined` if the recipe has to run again */
  #propose(patches: readonly Patch[], call: Call): Promise<number | undefined> {
    const id = randomHex(8);
    const promise = new Promise<number | undefined>((settle, reject) => {
      this.#proposals.set(id, { accepted: undefined, settle, reject });
    });
    // Without a writer, it is settled when there is one.
    const writer = this.#leader;
    if (writer !== undefined) {
      const base = this.#last();
      const { id: callId, from } = call;
      this.#tab.send({ is: "proposal", writer, id, call: callId, from, base, patches });
    }
    return promise.finally(() => this.#proposals.delete(id));
  }
}
