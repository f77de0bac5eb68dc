// The kinds of Lists: which List Fields each has, and how they are filled in. A field has the same
// type in every kind, as a Batch requires.

import type { ListFieldType } from "../index.ts";
import type { Person } from "./people.ts";
import type { Random } from "./random.ts";
import { ranked } from "./slots.ts";

export interface ListKind {
  readonly fields: Readonly<Record<string, ListFieldType>>;
  readonly fill: (person: Person, random: Random) => Readonly<Record<string, string | null>>;
}

const cities = ranked(
  1024,
  "London,Berlin,Zürich,Paris,New York,Wien,Київ,Milano,北京,القاهرة".split(","),
  1,
);

const companies = ranked(
  1024,
  "Acme Ltd;Beispiel AG;Example, Inc.;Ejemplo S.A.;Exemple & Fils;株式会社例".split(";"),
  1,
);

const plain: ListKind = {
  fields: { Email: "string", "First Name": "string", "Last Name": "string" },
  fill: ({ email, given, family }, random) => ({
    Email: email,
    "First Name": known(given, random),
    "Last Name": known(family, random),
  }),
};

const kinds: readonly ListKind[] = [
  plain,
  {
    fields: { ...plain.fields, Age: "int" },
    fill: (person, random) => ({
      ...plain.fill(person, random),
      Age: random.chance(0.25) ? null : String(random.between(16, 60) + random.below(31)),
    }),
  },
  {
    fields: { ...plain.fields, City: "string", Points: "int" },
    fill: (person, random) => ({
      ...plain.fill(person, random),
      City: known(cities.pick(random), random),
      Points: String(random.chance(0.5) ? 0 : random.logNormal(7, 2)),
    }),
  },
  {
    fields: { Email: "string", "Full Name": "string", Company: "string" },
    fill: ({ email, given, family }, random) => ({
      Email: email,
      "Full Name": known(`${given} ${family}`, random),
      Company: random.chance(0.3) ? null : companies.pick(random),
    }),
  },
];

/** The kind of the List at a position in a Batch: the first is plain, the others take turns. */
export function listKind(position: number): ListKind {
  return kinds[position % kinds.length] ?? plain;
}

/** A value that some Contacts have not provided. */
function known(value: string, random: Random): string | null {
  return random.chance(0.03) ? null : value;
}
