// The messages between the tabs that share a store.

import type { Patch } from "../engine/changes/patch.ts";
import type { TercetErrorCode } from "../schema/errors.ts";
import { isMembers } from "../schema/input.ts";
import type { FileChange } from "./replica.ts";

/** Other versions of messages are ignored. */
const VERSION = 1;

/** What a tab sends to all others. */
export type Message =
  | {
      /** Asks for the files. */
      readonly is: "hello";
      readonly id: string;
    }
  | {
      /** Sent by a tab that begins to write. */
      readonly is: "writer";
      /** The number of the last change that those before it have made. */
      readonly last: number;
    }
  | {
      readonly is: "files";
      readonly writer: string;
      /** Of the message that asked for them. */
      readonly id: string;
      readonly sequence: number;
      readonly files: readonly (readonly [path: string, content: Blob])[];
    }
  | {
      readonly is: "changes";
      readonly writer: string;
      readonly sequence: number;
      readonly changes: readonly FileChange[];
    }
  | {
      readonly is: "proposal";
      readonly writer: string;
      readonly id: string;
      /** The lock that its tab holds. */
      readonly from: string;
      /** Stays the same when the recipe runs again. */
      readonly call: string;
      readonly base: number;
      readonly patches: readonly Patch[];
    }
  | {
      /** The recipe has thrown, so there will be no proposal. */
      readonly is: "pass";
      readonly call: string;
    }
  | {
      /** Sent before the change is written. */
      readonly is: "accepted";
      readonly id: string;
      readonly number: number;
    }
  | {
      readonly is: "answer";
      readonly id: string;
      /** The number of the change; of the last one that is there, if the proposal is too old. */
      readonly number: number;
      readonly outcome: "made" | "outdated" | Refusal;
    };

export type MessageOf<Is extends Message["is"]> = Message & { readonly is: Is };

/** Why a change was not made. */
export interface Refusal {
  readonly file: string;
  readonly reason: string;
  readonly code: TercetErrorCode;
}

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isNumber: Test = Number.isSafeInteger;
const isList: Test = Array.isArray;

/** What the members of each message are. Patches and files are checked by whoever reads them. */
const MEMBERS: Readonly<Record<Message["is"], Readonly<Record<string, Test>>>> = {
  hello: { id: isText },
  writer: { last: isNumber },
  files: { writer: isText, id: isText, sequence: isNumber, files: isList },
  changes: { writer: isText, sequence: isNumber, changes: isList },
  proposal: {
    ...{ writer: isText, id: isText, from: isText, call: isText },
    ...{ base: isNumber, patches: isList },
  },
  pass: { call: isText },
  accepted: { id: isText, number: isNumber },
  answer: {
    ...{ id: isText, number: isNumber },
    outcome: (value) =>
      value === "made" ||
      value === "outdated" ||
      (isMembers(value) && [value.file, value.reason, value.code].every(isText)),
  },
};

/** Whether a tab of this version sent it. */
export function isMessage(data: unknown): data is Message {
  if (!isMembers(data) || data.tercet !== VERSION) return false;
  const { is } = data;
  if (typeof is !== "string" || !Object.hasOwn(MEMBERS, is)) return false;
  const members = MEMBERS[is as Message["is"]];
  return Object.entries(members).every(([name, holds]) => holds(data[name]));
}

/** A message as it is sent. */
export const marked = (message: Message): object => ({ tercet: VERSION, ...message });
