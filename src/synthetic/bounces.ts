// Why a send fails: bounces of both kinds.

import type { Random } from "./random.ts";
import { Slots } from "./slots.ts";

export interface Bounce {
  readonly code: string | null;
  readonly description: string | null;
  readonly isTemporary: "0" | "1";
  readonly firstPermanentTime: string;
  readonly firstTemporaryTime: string;
  readonly firstTime: string;
}

export const NO_BOUNCE: Bounce = {
  code: null,
  description: null,
  isTemporary: "0",
  firstPermanentTime: "0",
  firstTemporaryTime: "0",
  firstTime: "0",
};

/** A code and its description, as mail servers word them. */
type Reply = readonly [code: string, description: string];

const temporaryReplies = new Slots<Reply>(1024, [
  [["452", "4.2.2 The recipient's mailbox is over its storage limit"], 40],
  [["421", "4.7.0 Try again later, closing connection"], 25],
  [["450", "4.2.0 Greylisted, please try again in a few minutes"], 15],
  [["451", "4.3.0 Temporary local problem, please try later"], 12],
  [["421", "4.4.2 Connection timed out"], 8],
]);

const permanentReplies = new Slots<Reply>(1024, [
  [["550", "5.1.1 The email account that you tried to reach does not exist"], 60],
  [["554", "5.7.1 Message rejected as spam"], 14],
  [["550", "5.7.1 Message rejected due to the sender's policy"], 12],
  [["552", "5.2.2 Mailbox full, quota exceeded"], 8],
  [["550", "5.4.1 Recipient address rejected: access denied"], 4],
  [["553", "5.1.2 Die Empfängeradresse ist ungültig"], 2],
]);

const DAY = 86_400;

/** The bounce of a failed send; a few sends fail without one. */
export function bounce(sendTime: number, random: Random): Bounce {
  if (random.chance(0.04)) return NO_BOUNCE;
  const time = sendTime + random.logNormal(5, 2);
  const isTemporary = random.chance(0.55);
  const [code, description] = (isTemporary ? temporaryReplies : permanentReplies).pick(random);
  // Some servers reject the mail for good only after days of retries.
  const isDeferred = !isTemporary && random.chance(0.1);
  const end = isDeferred ? time + random.between(DAY, 3 * DAY) : time;
  return {
    code,
    description,
    isTemporary: isTemporary ? "1" : "0",
    firstPermanentTime: isTemporary ? "0" : String(end),
    firstTemporaryTime: isTemporary || isDeferred ? String(time) : "0",
    firstTime: String(time),
  };
}
