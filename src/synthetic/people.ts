// People by number. Each has a name and a unique email address.
//
// The addresses are unique without a record of those already used. Family names have 2^10 slots, as do
// the given names of each script, so a pair of slots is a 20-bit number. A block of 2^20 people goes
// through all pairs in a scrambled order. People with equal names differ in their place within the
// names' runs of slots or in their block. That gives the number after their names in the address:
// frequent names get long numbers and rare ones none, as among real people.

import { nameGroups } from "./names.ts";
import { Random } from "./random.ts";
import { byRank, ranked, Slots } from "./slots.ts";

export interface Person {
  readonly given: string;
  readonly family: string;
  readonly email: string;
}

interface Name {
  readonly text: string;
  /** In lower-case letters, a to z. */
  readonly latin: string;
}

interface FamilyName extends Name {
  /** The given names of its script. */
  readonly given: Slots<Name>;
}

const SLOT_BITS = 10;
const SLOTS = 2 ** SLOT_BITS;
const BLOCK = SLOTS ** 2;
const FLATNESS = 8; // of the ranks: the first name is about nine times as frequent as the eightieth

/** @internal Every family name with the given names of its script; for a test of names.ts. */
export const families: readonly (readonly [name: FamilyName, weight: number])[] =
  nameGroups.flatMap(({ share, given, family }) => {
    const slots = ranked(SLOTS, parseNames(given), FLATNESS);
    const names = parseNames(family).map((name) => ({ ...name, given: slots }));
    return byRank(names, FLATNESS, share);
  });

const familySlots = new Slots(SLOTS, families);

const domains = ranked(
  4096,
  // RFC 2606 reserves this top-level domain, so nobody can have such an address.
  `gmail yahoo hotmail outlook icloud gmx web mail qq orange aol libero live 163 bluewin proton
      naver comcast wanadoo`
    .split(/\s+/)
    .map((domain) => `${domain}.example`),
  0,
);

const nicknames = ranked(
  256,
  `sunny happy blue star little moon silver lucky wild cosmic snow ocean golden tiger pixel
      coffee dragon mountain velvet music`.split(/\s+/),
  FLATNESS,
);

/** People by number, the same for the same seed. */
export class People {
  readonly #key: number;

  constructor(seed: number) {
    this.#key = new Random(seed).next();
  }

  /**
   * The person with this number, 0 or more. No two numbers have the same email address.
   *
   * @param random decides the style and domain of the address; uniqueness does not depend on them
   */
  at(number: number, random: Random): Person {
    const block = Math.floor(number / BLOCK);
    const pair = scramble(number % BLOCK, this.#key + Math.imul(block, 0x9e3779b1));
    const familySlot = pair >>> SLOT_BITS;
    const givenSlot = pair % SLOTS;
    const family = familySlots.at(familySlot);
    const given = family.given.at(givenSlot);
    const namesake =
      (block * familySlots.run(familySlot) + familySlots.place(familySlot)) *
        family.given.run(givenSlot) +
      family.given.place(givenSlot);
    const digits = namesake === 0 ? "" : String(namesake);
    const domain = domains.pick(random);
    return {
      given: random.chance(0.002) ? `${given.text} 🌻` : given.text,
      family: family.text,
      email: `${mailbox(given.latin, family.latin, digits, block * BLOCK + pair, random)}@${domain}`,
    };
  }
}

/**
 * The part before the `@`. With a separator, the two names and `digits` make it unique, and `-` means
 * that the family name comes first. Without one, `unique` alone makes it unique.
 */
function mailbox(
  given: string,
  family: string,
  digits: string,
  unique: number,
  random: Random,
): string {
  const style = random.below(100);
  if (style < 55) return `${given}.${family}${digits}`;
  if (style < 68) return `${given}_${family}${digits}`;
  if (style < 80) return `${family}-${given}${digits}`;
  if (style < 90) return `${given.slice(0, 1)}${family}${unique}`;
  if (style < 96) return `${given}${unique}`;
  return `${nicknames.pick(random)}${nicknames.pick(random)}${unique}`;
}

/**
 * @internal A permutation of the integers below 2^20. Each step is invertible: addition, multiplication
 * by an odd number modulo 2^20, and exclusive-or with a constant or with the bits shifted right.
 *
 * @param key 32 bits; used twice, because with the addition alone all keys would give one cycle
 */
export function scramble(number: number, key: number): number {
  let bits = (number + key) & (BLOCK - 1);
  bits = Math.imul(bits ^ (bits >>> 10), 0x9e3b5) & (BLOCK - 1);
  bits ^= key >>> (32 - 2 * SLOT_BITS);
  bits = Math.imul(bits ^ (bits >>> 9), 0x5a7d3) & (BLOCK - 1);
  return bits ^ (bits >>> 11);
}

function parseNames(list: string): Name[] {
  return list.split(/\s+/).map((entry) => {
    const [text = "", latin = text] = entry.split("=");
    const plain = latin.normalize("NFD").toLowerCase();
    return { text, latin: plain.replace(/[^a-z]/g, "") };
  });
}
