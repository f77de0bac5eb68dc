// Records of one's own: tickets, the same each time.

export interface Ticket {
  readonly id: number;
  readonly state: string;
  readonly owner: number | null;
  readonly votes: number;
  readonly note: string;
  /** An ISO time of UTC, to the minute. */
  readonly opened: string;
  readonly tags: readonly string[];
}

export const STATES = ["open", "closed", "new"];
export const OWNERS = 1000;
export const TAGS = 500;
const WORDS = ["test", "printer", "heating", "window", "light", "door", "water", "noise"];

/** On how many days tickets were opened. */
export const DAYS = 1000;

const FIRST_DAY = Date.UTC(2024, 0, 1);
const HOUR = 3_600_000;

/** More are open than closed, and more closed than new. */
const SHARES = [0, 0, 0, 1, 1, 2];

/** Tickets of 1,000 owners, with up to 10,000 votes and up to three of 500 tags. */
export function ticketsOf(size: number): Ticket[] {
  return Array.from({ length: size }, (_, id) => {
    const mixed = mix(id + 1, 0x9e3779b1);
    const other = mix(id + 1, 0x85ebca6b);
    return {
      id,
      state: STATES[SHARES[mixed % SHARES.length] ?? 0] ?? "",
      owner: mixed % 11 === 0 ? null : (mixed >>> 7) % OWNERS,
      votes: (mixed >>> 13) % 10_000,
      note: `${WORDS[(mixed >>> 3) % WORDS.length] ?? ""} ${(other >>> 6) % 1000}`,
      opened: timeAfter(((other >>> 3) % (DAYS * 24 * 60)) / 60),
      tags: [...new Set(Array.from({ length: other % 4 }, (_, i) => tag(other >>> (7 * i + 2))))],
    };
  });
}

export const tag = (number: number): string => `tag${number % TAGS}`;

/** So many hours after the first day began. */
export const timeAfter = (hours: number): string =>
  new Date(FIRST_DAY + hours * HOUR).toISOString().slice(0, 16);

function mix(number: number, factor: number): number {
  const mixed = Math.imul(number, factor);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
