// The laws of defaults that differ between records: functions (rule V14), and `next`.

import * as fc from "fast-check";
import { defineSchema, int, next, type Field } from "../../index.ts";
import { expect } from "./compare.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import type { Members } from "./members.ts";
import { ofCollection, type CollectionSetting } from "./setting.ts";
import { isRefused } from "./subject.ts";
import { Table } from "./table.ts";

/** The name of a field that no schema of the laws has. */
const MADE = "made by a function";

/** The setting with an additional field, which some records omit. */
function withDefault(
  setting: CollectionSetting,
  lacks: readonly boolean[],
  made: Field,
  given = (i: number) => -1 - i,
): CollectionSetting {
  const { fields, unique } = setting.schema;
  const all = Object.fromEntries<Field>([...Object.entries(fields), [MADE, made]]);
  const schema = defineSchema(all, { unique });
  const data = setting.data.map((record, i) =>
    lacks[i] === true ? record : { ...record, [MADE]: given(i) },
  );
  return { ...setting, schema, data };
}

/** The default function may return an invalid value. */
const generated = (otherwise: () => unknown) => int({ default: otherwise as () => number });

const valueOf = (record: Members) => record[MADE];

export const defaultLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a default that is a function is called once for each record without the field, and checked",
    rules: [],
    ownRules: ["V14"],
    needs: ["schemas that the laws make"],
    generate: (setting) => {
      const { length } = ofCollection(setting).data;
      return fc.record({
        lacks: fc.array(fc.boolean(), { minLength: length, maxLength: length }),
        wrong: fc.constantFrom(0.5, "x", null, undefined, true),
      });
    },
    async holds(table, { lacks, wrong }, { make }) {
      const setting = ofCollection(table.setting);
      let calls = 0;
      const counted = withDefault(
        setting,
        lacks,
        generated(() => ++calls),
      );
      const { all } = await Table.of(await make(counted), counted);
      const lacking = setting.data.flatMap((_, i) => (lacks[i] === true ? [i] : []));
      expect(calls === lacking.length, () => {
        return `${lacking.length} records lack the field, and its default was called ${calls} times`;
      });
      // Which record gets which result is unspecified.
      const made = new Set(lacking.map((i) => valueOf(all[i]?.record ?? {})));
      const results = lacking.map((_, i) => i + 1);
      expect(made.size === results.length && results.every((each) => made.has(each)), () => {
        return `the default returned ${fc.stringify(results)}, and the records have ${fc.stringify([...made])}`;
      });
      for (const [i, { record }] of all.entries()) {
        if (lacks[i] === true) continue;
        expect(valueOf(record) === -1 - i, () => {
          return `expected ${-1 - i}, as given, and found ${fc.stringify(valueOf(record))}`;
        });
      }
      const found = await isRefused(
        make(
          withDefault(
            setting,
            lacks,
            generated(() => wrong),
          ),
        ),
      );
      expect(found === lacking.length > 0, () => {
        return `of ${lacking.length} records that lack the field, whose default returns ${fc.stringify(wrong)}, the collection was ${found ? "not made" : "made"}`;
      });
    },
  }),
  defineLaw({
    name: "a default that is next numbers each record without the field after the greatest number before it",
    rules: [],
    ownRules: ["V14"],
    needs: ["schemas that the laws make"],
    generate: (setting) => {
      const { length } = ofCollection(setting).data;
      const all = { minLength: length, maxLength: length };
      return fc.record({
        lacks: fc.array(fc.boolean(), all),
        numbers: fc.array(fc.integer({ min: -2, max: 2 * length }), all),
      });
    },
    async holds(table, { lacks, numbers }, { make }) {
      const setting = ofCollection(table.setting);
      const field = int({ default: next });
      const counted = withDefault(setting, lacks, field, (i) => numbers[i] ?? 0);
      const { all } = await Table.of(await make(counted), counted);
      let greatest = 0;
      for (const [i, { record }] of all.entries()) {
        const number = lacks[i] === true ? greatest + 1 : (numbers[i] ?? 0);
        greatest = Math.max(greatest, number);
        expect(valueOf(record) === number, () => {
          return `expected the number ${number}, and found ${fc.stringify(valueOf(record))}`;
        });
      }
    },
  }),
];
