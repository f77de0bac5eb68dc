// The laws of spelling (rules C7 and P3): strings are different even if a database's collation, a normalisation or a
// pattern treats them as equal. Each law generates its data from strings that such a mistake confuses, and its criteria
// from other spellings of the data.

import * as fc from "fast-check";
import { compileCriteria, operatorsOf } from "../../index.ts";
import { compareTextForms, inOrder } from "../reference-page.ts";
import { expectNeighbours, expectSame, type Found } from "./compare.ts";
import { pickedValue, searchableField } from "./generate.ts";
import { isAnyText } from "./setting.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";

interface Spelling {
  readonly name: string;
  /** Additional rules it follows from for collections. */
  readonly ownRules?: readonly string[];
  /** Strings, some of which are equal to an implementation that makes the mistake. */
  readonly texts: readonly string[];
  /** Changes one of them to another, different string. */
  readonly alterations: readonly ((text: string) => string)[];
}

/** Usually the complete string; otherwise, the string without some characters at either end. */
const cut = fc.oneof(
  { weight: 2, arbitrary: fc.constant([0, undefined] as const) },
  { weight: 1, arbitrary: fc.constantFrom([1, undefined], [0, -1], [1, -1]) },
);

const spellingLaw = ({ name, ownRules = [], texts, alterations }: Spelling): DefinedLaw => {
  const text = fc.constantFrom(...texts);
  return defineLaw({
    name,
    rules: ["C7", "P3"],
    ownRules,
    needs: ["a searchable field of any text"],
    texts: fc.oneof(
      text,
      fc.tuple(text, text).map((parts) => parts.join("")),
    ),
    generate: (setting) =>
      fc.record({
        field: searchableField(setting, isAnyText),
        pick: fc.nat({ max: 20 }),
        cut,
        alteration: fc.nat({ max: alterations.length - 1 }),
        text,
      }),
    async holds(table, { field, pick, cut, alteration, text: other }) {
      const known = pickedValue(table, field, pick) ?? other;
      const piece = Array.from(known)
        .slice(...cut)
        .join("");
      const value = alterations[alteration]?.(piece) ?? piece;
      for (const criterion of [
        ...operatorsOf(table.schema, field).map(({ name, takes }) => {
          if (takes === "values") return [field, name, [value, other]];
          const described = table.schema.fields[field] ?? { type: "string" };
          return [field, name, takes === "range" ? inOrder(described, [value, other]) : value];
        }),
        [field, "in", `${value},${other}`],
      ]) {
        const criteria = [criterion];
        const accepts = compileCriteria(table.schema, criteria);
        const expected = table.all.filter((each) => accepts(table.inputOf(each) as never));
        expectSame(fc.stringify(criterion), await table.run({ criteria }), expected);
      }
      if (field === "") return; // an empty name to sort by counts as omitted (P5)
      const valueOf = (found: Found) => table.valuesOf(found)[field] ?? null;
      for (const [sortOrder, sign] of [
        ["ASC", 1],
        ["DESC", -1],
      ] as const) {
        const sorted = await table.run({ sortBy: field, sortOrder });
        expectNeighbours(
          `${sortOrder} by ${field}, out of order`,
          sorted,
          (a, b) => sign * compareTextForms(valueOf(a), valueOf(b), "string") <= 0,
        );
      }
    },
  });
};

const otherCase = (text: string) =>
  text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();

/** The string with one of its characters replaced. */
const withOne = (of: (length: number) => number, replaced: (character: string) => string) => {
  return (text: string) => {
    const characters = Array.from(text);
    const at = of(characters.length);
    return characters.map((each, i) => (i === at ? replaced(each) : each)).join("");
  };
};
const first = () => 0;
const middle = (length: number) => length >> 1;
const last = (length: number) => length - 1;

export const spellingLaws: readonly DefinedLaw[] = [
  spellingLaw({
    name: "a letter in another case is another letter",
    // Unless the field ignores case: the predicate and the order then do.
    ownRules: ["V11"],
    // Includes letters whose other case has another length, or is shared with another letter.
    texts: "a A b B ab AB Ab é É ß SS ı I i σ ς ſ".split(" "),
    alterations: [
      otherCase,
      withOne(first, otherCase),
      withOne(last, otherCase),
      (text) => text.toLowerCase(),
      (text) => text.toUpperCase(),
    ],
  }),
  spellingLaw({
    name: "a character is another one than the characters that it is composed of",
    // Unless the field ignores accents.
    ownRules: ["V17"],
    // Composed, decomposed, with marks in another order, and characters that look almost the same.
    texts: [
      ...["é", "e\u0301", "e", "ñ", "n\u0303", "n", "\u1e69", "s\u0323\u0307", "s\u0307\u0323"],
      ...["ﬁ", "fi", "\u212b", "\u00c5", "한", "\u1112\u1161\u11ab", "\u{1f82}", "²", "2"],
    ],
    alterations: [
      (text) => text.normalize("NFC"),
      (text) => text.normalize("NFD"),
      (text) => text.normalize("NFKC"),
      (text) => text.normalize("NFD").replace(/\p{Mark}/gu, ""),
      (text) => (text === text.normalize("NFD") ? text.normalize("NFC") : text.normalize("NFD")),
    ],
  }),
  spellingLaw({
    name: "a space is a character, also before and after others",
    texts: ["a", "a ", "b", "a  ", " a", "a  b", "a b", "ab", "", " ", "a\t", "\u00a0a"],
    alterations: [
      (text) => `${text} `,
      (text) => ` ${text}`,
      (text) => text.trim(),
      (text) => text.trimEnd(),
      (text) => text.replace(/\s+/g, " "),
    ],
  }),
  spellingLaw({
    name: "no character of a value stands for others",
    texts: String.raw`a b ab % _ \ * ? . a% a_b \% \\ [a] ^ $`.split(" "),
    alterations: [
      withOne(first, () => "_"),
      withOne(last, () => "%"),
      withOne(middle, () => "%"),
      (text) => `${text}%`,
      (text) => `%${text}`,
      (text) => text.replace(/[%_\\]/g, "\\$&"),
      (text) => text.replace(/\\(.)/g, "$1"),
      withOne(first, () => "?"),
      withOne(last, () => "*"),
      withOne(middle, () => "."),
      (text) => `${text}.*`,
      (text) => `[${text}]`,
    ],
  }),
];
