// Whether, how and where a Contact opens a Message, and what the Contact does then.

import type { ContactRecord } from "../index.ts";
import type { Random } from "./random.ts";
import { Slots } from "./slots.ts";

type OpenType = ContactRecord["open_type"];

export interface Open {
  readonly type: OpenType;
  readonly count: string;
  readonly country: string | null;
  /** Unix time, 0 if never opened. */
  readonly firstTime: number;
  readonly lastTime: number;
  readonly clicks: string;
}

export const NOT_OPENED: Open = {
  type: "not_opened",
  count: "0",
  country: null,
  firstTime: 0,
  lastTime: 0,
  clicks: "0",
};

const openTypes: Readonly<Record<"completed" | "split_sms", Slots<OpenType>>> = {
  completed: new Slots<OpenType>(1024, [
    ["not_opened", 70],
    ["html", 26],
    ["text", 4],
  ]),
  split_sms: new Slots<OpenType>(1024, [
    ["not_opened", 60],
    ["sms", 40],
  ]),
};

const countries = new Slots<string | null>(4096, [
  ["United States", 30],
  ["Germany", 14],
  ["Switzerland", 10],
  ["United Kingdom", 8],
  ["France", 6],
  ["Italy", 5],
  [null, 5], // an open of unknown origin
  ["Austria", 4],
  ["Canada", 3],
  ["Netherlands", 2.5],
  ["Spain", 2],
  ["Poland", 1.5],
  ["Sweden", 1.2],
  ["India", 1.2],
  ["Brazil", 1],
  ["Australia", 1],
  ["Japan", 0.8],
  ["China", 0.7],
  ["Ukraine", 0.6],
  ["Türkiye", 0.5],
  ["Egypt", 0.4],
  ["Republic of Korea", 0.4],
  ["Côte d'Ivoire", 0.2],
  ["Iceland", 0.1],
]);

/** Whether and how a delivered Message was opened. */
export function open(status: "completed" | "split_sms", sendTime: number, random: Random): Open {
  const type = openTypes[status].pick(random);
  if (type === "not_opened") return NOT_OPENED;
  const more = random.streak(0.35, 40);
  const firstTime = sendTime + random.logNormal(12, 2.5); // about an hour, from minutes to weeks
  return {
    type,
    count: String(1 + more),
    country: countries.pick(random),
    firstTime,
    lastTime: more === 0 ? firstTime : firstTime + random.logNormal(14, 2.5),
    clicks: String(random.chance(0.2) ? 1 + random.streak(0.4, 30) : 0),
  };
}

export interface Unsubscribe {
  readonly email: string | null;
  readonly time: string | null;
  readonly id: string | null;
  readonly count: string | null;
  readonly firstTime: string;
}

export const NO_UNSUBSCRIBE: Unsubscribe = {
  email: null,
  time: null,
  id: null,
  count: null,
  firstTime: "0",
};

/**
 * A Contact's unsubscribe.
 *
 * @param since when the Contact first saw the Message
 * @param id unique to this Contact
 */
export function unsubscribe(email: string, since: number, id: number, random: Random): Unsubscribe {
  const first = since + random.logNormal(8, 2);
  const again = random.chance(0.1);
  return {
    email,
    time: String(again ? first + random.logNormal(16, 1.5) : first),
    id: String(id),
    count: again ? "2" : "1",
    firstTime: String(first),
  };
}
