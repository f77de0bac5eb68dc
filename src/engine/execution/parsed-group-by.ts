// A query of groups, after it was read.

import type { FieldType, FieldValue } from "../../schema/field.ts";
import type { RowMaker } from "../../schema/row-maker.ts";
import type { Aggregate } from "../aggregates/aggregate.ts";
import type { SortOrder } from "../query.ts";
import type { SortValue } from "../versions/sort-order.ts";
import type { Cut } from "./cuts.ts";

/** A key to group by. */
export interface ParsedKey {
  readonly field: string;
  readonly type: FieldType;
  /** What of its values is the key. */
  readonly cut: Cut;
  /** The key as results have it. */
  readonly toStored: (value: SortValue) => FieldValue;
}

/** What is found of each group. */
export type ParsedMeasure =
  | { readonly kind: "records" }
  | { readonly kind: "totals"; readonly field: string }
  | {
      readonly kind: "aggregate";
      readonly field: string;
      readonly aggregate: Aggregate;
      readonly share: number;
      /** For fields of other values than numbers: these as results have them. */
      readonly toStored: ((value: SortValue) => FieldValue) | undefined;
    };

/** A column of the result to sort by: keys come before measures. */
export interface GroupSort {
  readonly column: number;
  readonly order: SortOrder;
}

/** A row of the result: its keys, then its measures. */
export type GroupRow = Readonly<Record<string, unknown>>;

/** A question for groups, after parsing. */
export interface ParsedGroupBy {
  readonly keys: readonly [ParsedKey, ...ParsedKey[]];
  readonly measures: readonly ParsedMeasure[];
  /** The names of the members of the result: keys, then measures. */
  readonly names: readonly string[];
  readonly makeRow: RowMaker<unknown>;
  /** Whether the result contains a row; `undefined`: every row. */
  readonly having: ((row: GroupRow) => boolean) | undefined;
  readonly sort: readonly GroupSort[];
  readonly offset: number;
  readonly limit: number;
}
