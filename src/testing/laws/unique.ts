// The laws of uniqueness: the value of a unique field, or those of a combination (rule V13).

import * as fc from "fast-check";
import type { InputOf, Schema } from "../../index.ts";
import { inputRecord } from "../arbitraries/records.ts";
import { uniqueIn } from "../arbitraries/unique.ts";
import { expect } from "./compare.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { modelOf, ofCollection, type CollectionSetting } from "./setting.ts";
import { isRefused } from "./subject.ts";

/** Two records with the same unique values, perhaps including null. */
interface Twins {
  readonly records: readonly [InputOf<Schema>, InputOf<Schema>];
  readonly pick: number;
  readonly isNull: boolean;
}

/** The two records, the second with the unique values of the first. */
function alike({ schema }: CollectionSetting, { records, pick, isNull }: Twins): InputOf<Schema>[] {
  const constraints = uniqueIn(schema);
  const names = constraints[pick % constraints.length] ?? [];
  const nullable = names.filter((name) => schema.fields[name]?.nullable === true);
  const nulled = isNull ? nullable[pick % nullable.length] : undefined;
  const [first, second] = records.map((record) =>
    Object.entries(record).filter(([name]) => name !== nulled),
  );
  const shared = (first ?? []).filter(([name]) => names.includes(name));
  const others = (second ?? []).filter(([name]) => !names.includes(name));
  const nulls = nulled === undefined ? [] : [[nulled, null] as const];
  // Own members, whatever the names of the fields.
  return [
    Object.fromEntries([...(first ?? []), ...nulls]),
    Object.fromEntries([...shared, ...others, ...nulls]),
  ];
}

/** Whether the reference does not accept the data. */
function isInvalid(setting: CollectionSetting): boolean {
  try {
    modelOf(setting);
    return false;
  } catch {
    return true;
  }
}

export const uniqueLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "no two records share what is unique, and null equals nothing",
    rules: [],
    ownRules: ["V13"],
    needs: ["a schema that makes something unique"],
    generate: (setting) => {
      const { schema } = ofCollection(setting);
      const record = inputRecord(schema);
      const twins = fc.record({
        records: fc.tuple(record, record),
        pick: fc.nat(),
        isNull: fc.boolean(),
      });
      return fc.array(twins, { minLength: 1, maxLength: 4 });
    },
    async holds(table, generated, { make }) {
      const setting = ofCollection(table.setting);
      for (const twins of generated) {
        const data = [...setting.data, ...alike(setting, twins)];
        const expected = isInvalid({ ...setting, data });
        const found = await isRefused(make({ ...setting, data }));
        expect(found === expected, () => {
          const text = fc.stringify(data.slice(-2));
          return `expected ${expected ? "an error, as records were added that share what is unique" : "a collection with these records, too"}: ${text}`;
        });
      }
    },
  }),
];
