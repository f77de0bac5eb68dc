// A stream of a Batch's Contacts, each a complete record in wire form.

import type { ContactRecord } from "../index.ts";
import { bounce, NO_BOUNCE } from "./bounces.ts";
import { listKind } from "./lists.ts";
import { NO_UNSUBSCRIBE, NOT_OPENED, open, unsubscribe } from "./opens.ts";
import { readCount, readOptions, readSeed } from "./options.ts";
import { People } from "./people.ts";
import { Random } from "./random.ts";
import { Slots } from "./slots.ts";

/** A Contact's 24 fields in wire form, in the contract's order, and its List Fields. */
export interface SyntheticContact extends ContactRecord {
  readonly fields: Readonly<Record<string, string | null>>;
}

/** The options of `generateContacts`. */
export interface ContactOptions {
  /** The number of Contacts. */
  readonly count: number;
  /** Any safe integer; the same seed gives the same Contacts. Default 1. */
  readonly seed?: number | undefined;
}

/**
 * Contacts with the List Fields Email, First Name and Last Name, made one by one on demand: about
 * 1 µs each, and no memory. With one seed, a smaller count is a prefix of a larger one. No two have
 * the same email address, `send_id` or `contact_id`. A generated Batch of one List has the same Contacts.
 *
 * @throws InputError if an option is not valid
 */
export function generateContacts(options: ContactOptions): Generator<SyntheticContact> {
  const { count, seed } = readOptions(options, ["count", "seed"]);
  return contactsOf({ seed: readSeed(seed), list: 0, start: 0, count: readCount(count) });
}

/** The Contacts of a List: `count` of them, beginning with number `start` of the Batch. */
export interface Stretch {
  readonly seed: number;
  readonly list: number;
  readonly start: number;
  readonly count: number;
}

export function* contactsOf({ seed, list, start, count }: Stretch): Generator<SyntheticContact> {
  const random = new Random(seed, list + 1);
  const people = new People(seed);
  const { fill } = listKind(list);
  for (let number = start; number < start + count; number++) {
    const person = people.at(number, random);
    yield contact(number, person.email, fill(person, random), random);
  }
}

const statuses = new Slots<ContactRecord["send_status"]>(4096, [
  ["completed", 94.5],
  ["failed", 2.5],
  ["pending", 2],
  ["split_sms", 1],
]);

const FIRST_SEND_ID = 48_200_001;
const FIRST_CONTACT_ID = 3_000_000;
const FIRST_UNSUBSCRIBE_ID = 610_000;
const FIRST_SEND_TIME = 1_714_550_400; // 2024-05-01 08:00 UTC
const SENDS_PER_SECOND = 250;

function contact(
  number: number,
  email: string,
  fields: SyntheticContact["fields"],
  random: Random,
): SyntheticContact {
  const status = statuses.pick(random);
  const isPending = status === "pending";
  const isDelivered = status === "completed" || status === "split_sms";
  const sendTime = FIRST_SEND_TIME + Math.floor(number / SENDS_PER_SECOND) + random.below(120);
  const opened = isDelivered ? open(status, sendTime, random) : NOT_OPENED;
  const isOpened = opened !== NOT_OPENED;
  const bounced = status === "failed" ? bounce(sendTime, random) : NO_BOUNCE;
  const unsubscribed =
    isDelivered && random.chance(isOpened ? 0.012 : 0.0005)
      ? unsubscribe(
          email,
          isOpened ? opened.firstTime : sendTime,
          FIRST_UNSUBSCRIBE_ID + number,
          random,
        )
      : NO_UNSUBSCRIBE;
  const updates = isOpened && random.chance(0.02) ? 1 + random.streak(0.2, 5) : 0;
  return {
    send_id: String(FIRST_SEND_ID + number),
    contact_id: String(FIRST_CONTACT_ID + 16 * number + random.below(16)),
    contact_email: email,
    unsubscribe_email: unsubscribed.email,
    unsubscribe_time: unsubscribed.time,
    unsubscribe_id: unsubscribed.id,
    unsubscribe_count: unsubscribed.count,
    updated_profile_count: String(updates),
    send_status: status,
    send_time: isPending ? "0" : String(sendTime),
    open_type: opened.type,
    open_count: opened.count,
    open_country: opened.country,
    bounce_smtp_error_code: bounced.code,
    bounce_description: bounced.description,
    is_temporary_bounce: bounced.isTemporary,
    first_open_time: String(opened.firstTime),
    last_open_time: String(opened.lastTime),
    first_updated_profile_time:
      updates === 0 ? "0" : String(opened.firstTime + random.logNormal(7, 1.5)),
    first_unsubscribe_time: unsubscribed.firstTime,
    first_permanent_bounce_time: bounced.firstPermanentTime,
    first_temporary_bounce_time: bounced.firstTemporaryTime,
    first_bounce_time: bounced.firstTime,
    links_clicked: opened.clicks,
    fields,
  };
}
