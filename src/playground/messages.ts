// The messages between the page and its worker. All of them can be cloned.

import type { CsvDialect, FoundFormat, JsonFormatOptions } from "../import/index.ts";
import type { DialectName } from "../sql/index.ts";
import type { Scalar } from "./choices.ts";
import type { GroupBy, Groups, Pivot } from "./group-types.ts";
import type {
  OperatorChoice,
  ContactRecord,
  FieldType,
  FieldValue,
  IndexReport,
  Patch,
  QueryPlan,
  Summary,
  ValueCount,
} from "../index.ts";

/** What the two methods answer from. */
export type Kind = "contacts" | "files";

/** What can be generated. */
export type Generated = Kind | "orders";

/** Where the data come from. */
export type Source =
  | { readonly kind: Generated; readonly count: number; readonly seed: number }
  | {
      readonly file: Blob;
      readonly name: string;
      /** Whether it is nowhere else. */
      readonly isPasted?: boolean;
    };

/** The types that somebody can choose for a column. */
export const COLUMN_TYPES = [
  "string",
  "string, any case",
  "int",
  "float",
  "float, decimal comma",
  "boolean",
  "time",
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** How a text is read. */
export type TextOptions = Omit<CsvDialect, "detect"> &
  JsonFormatOptions & { readonly encoding?: string };

export const TEXT_OPTIONS = [
  ...(["encoding", "delimiter", "header", "nullText", "quote", "escape", "comment"] as const),
  ...([
    "skipLines",
    "trim",
    "ragged",
    "decimal",
    "dateFormat",
    "at",
    "flatten",
    "nonFinite",
  ] as const),
] satisfies (keyof TextOptions)[];

/** How a table is read, as far as somebody says so. All else follows from the source. */
export interface ReadAs {
  readonly types: readonly (readonly [column: string, type: ColumnType])[];
  readonly text: TextOptions;
}

/** At most this many fields become columns or get facets. All can be searched, and a record shows all. */
export const MOST_COLUMNS = 200;

export interface FieldInfo {
  readonly name: string;
  readonly type: FieldType;
  readonly nullable: boolean;
  /** Whether rows have it. */
  readonly stored: boolean;
  /** The operators that criteria on it may have. None if it can't be searched. */
  readonly operators: readonly (OperatorChoice | OwnOperator)[];
  /** Whether criteria and the order ignore case. */
  readonly ignoreCase: boolean;
  /** The unit of an integer that is a Unix timestamp. */
  readonly unit: TimeUnit | undefined;
  /** How the source writes its times, if it has texts. */
  readonly form: TimeForm | undefined;
  /** The zone in which its times are shown and typed; missing for UTC, and for dates without a clock. */
  readonly zone?: string | undefined;
  /** The highest of its numbers, if these are times. */
  readonly latest?: number | undefined;
  /** The length of its longer values as the table shows them, and of its sum if it has one, in characters. */
  readonly width: number;
  /** Whether its numbers count or measure something. The others are identifiers, years or coordinates: nobody sums them up. */
  readonly isMeasure: boolean;
  /** How many digits follow the point of each of its numbers; `undefined` if that differs. */
  readonly decimals: number | undefined;
  /** The table whose records have it, if it is another one: nobody edits it here. */
  readonly from?: string;
  /** How it is computed, if it is: nobody edits it. */
  readonly computed?: Formula;
}

/** Whether the records of the table itself hold a field. */
export const isOwn = ({ from, computed }: Pick<FieldInfo, "from" | "computed">): boolean =>
  from === undefined && computed === undefined;

/** How a column is computed. */
export interface Formula {
  readonly expression: string;
  /** The same in JavaScript, of a record `r`; `undefined` if that lacks a column that it names. */
  readonly code: string | undefined;
}

/** A column that is computed from others. */
export interface Computed {
  readonly name: string;
  readonly expression: string;
}

/** So many columns are computed, by expressions of so many characters. */
export const MOST_COMPUTED = 20;
export const LONGEST_EXPRESSION = 2000;

/** A column whose values name the records of another table, by a column there. */
export interface Relation {
  readonly by: string;
  readonly table: string;
  readonly key: string;
}

/** A relation, and the other table. */
export interface Related extends Relation {
  /** Its records, as a saved collection. */
  readonly saved: Blob;
  readonly fields: readonly FieldInfo[];
}

export type { Scalar };

export type TimeUnit = "seconds" | "milliseconds";

/** How a column writes its times. */
export interface TimeForm {
  /** Between the date and the clock; `""` if there is no clock. */
  readonly separator: string;
  /** How many characters a text has before its zone. */
  readonly length: number;
  /** `Z`, `+02:00`, or nothing, which is taken for UTC. */
  readonly zone: string;
}

/**
 * An operator that only the page has: the worker makes criteria of the library of it, by testing the distinct values of a
 * column.
 */
export interface OwnOperator {
  readonly name: "finds" | "matches";
  readonly takes: "text";
  readonly selects: "folded" | "pattern";
}

/** Criteria as the page edits them: each of three elements, `"OR"`, or whatever somebody wrote instead. */
export type CriteriaList = readonly unknown[];

/** Whether a field can be sorted by, and has one value that criteria may name. */
export const isSortable = ({ type }: Pick<FieldInfo, "type">): boolean =>
  type !== "json" && type !== "strings";

/** A facet: bars of values, a histogram, or a search box. */
export type Facet = ValuesFacet | RangeFacet | SearchFacet;

export interface ValuesFacet {
  readonly kind: "values";
  readonly field: string;
  /** Whether they are elements of arrays. */
  readonly areElements?: boolean;
  /** 1 for integers, 0 for fractions; `undefined` if they are no numbers. */
  readonly step?: 0 | 1 | undefined;
  /** The most frequent ones; or a few numbers, ascending. */
  readonly values: readonly Scalar[];
  /** Whether these are all of them, and stay in their order. */
  readonly isOrdered?: boolean;
  /** How many there are. */
  readonly distinct: number;
}

export interface RangeFacet {
  readonly kind: "range";
  readonly field: string;
  readonly from: number;
  /** Where the last bin ends: not included in an int field. */
  readonly end: number;
  /** How many bins of equal width are counted. */
  readonly bins: number;
  /** Where each bar begins, and the last one ends: each takes one bin, or those of a calendar step. */
  readonly edges: readonly number[];
  readonly calendar: CalendarStep | undefined;
  /** The zone in which bars of times begin; `undefined` for UTC, where all bins have the same width. */
  readonly zone?: string | undefined;
  /** 1 for integers, 0 for fractions. */
  readonly step: 0 | 1;
  /** Whether criteria on the field may use `at_least`. */
  readonly hasAtLeast: boolean;
  readonly unit: TimeUnit | undefined;
  /** The highest number of all records. */
  readonly highest: number;
}

export type CalendarStep = "day" | "week" | "month" | "quarter" | "year";

export interface SearchFacet {
  readonly kind: "search";
  readonly field: string;
}

export interface Loaded {
  /** What its records are called. */
  readonly title: string;
  /** Which of the two methods answers from it, if one does. */
  readonly kind: Kind | undefined;
  readonly size: number;
  readonly batchId: string | undefined;
  /** The most telling fields come first. */
  readonly fields: readonly FieldInfo[];
  readonly facets: readonly Facet[];
  readonly lists: readonly string[];
  /** How it was read, if somebody can choose otherwise. */
  readonly read: Read | undefined;
}

/** How the values of a column are read: as times in a form, as numbers with a decimal comma, or as values of a type. */
export type Conversion = TimeForm | "comma" | "text" | "number" | "boolean";

/** How a text was read: what somebody said of it, and what was found out. */
export interface TextRead {
  readonly given: TextOptions;
  readonly found: FoundFormat;
}

/** How a table was read. */
export interface Read {
  /** As `readSchema` takes it, if readers do not find it by themselves. */
  readonly schema: object | undefined;
  /** Which columns are not read as they stand. */
  readonly conversions: readonly (readonly [column: string, conversion: Conversion])[];
  /** Of a text. */
  readonly text: TextRead | undefined;
  /** What is not as it stands in the file: columns that are left out, values that are read as null. */
  readonly notices: readonly string[];
  /** The columns of strings that nearly are of another type. */
  readonly nearly: readonly NearlyTyped[];
}

/** A column of strings most of whose values are of another type. */
export interface NearlyTyped {
  readonly name: string;
  readonly type: ColumnType;
  /** How many of the first values are of that type. */
  readonly values: number;
  /** How many values these are. */
  readonly of: number;
  /** The most frequent others, and how often each is there. */
  readonly others: readonly (readonly [text: string, count: number])[];
}

/** A field to sort by, and its order. */
export type SortField = readonly [field: string, order: "ASC" | "DESC"];

export interface Asked {
  readonly criteria: CriteriaList;
  /** A later field decides among the ties of those before it. */
  readonly sort: readonly SortField[];
}

/** The values of a record, one for each stored field. */
export type Row = readonly FieldValue[];

/** Some of the records that match. */
export interface Rows {
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Whether more may match, which only {@link Tasks.count} tells. */
  readonly isOpen: boolean;
  /** Whether these are only the rows that were found so far. */
  readonly isPartial: boolean;
  readonly milliseconds: number;
}

export interface Counted {
  readonly matching: number;
  readonly milliseconds: number;
}

/** What is wrong, and with which criterion. */
export interface Fault {
  readonly position: number | null;
  readonly reason: string;
  /** How the text was read that could not be loaded; `undefined` for every other format. */
  readonly text?: TextRead | undefined;
}

export type FacetCounts =
  | {
      readonly field: string;
      /** The chosen ones, and the most frequent. */
      readonly values: readonly FacetValue[];
      /** How many values the search of the facet finds; without a search, how many there are. */
      readonly found: number;
      /** How many records are counted. */
      readonly total: number;
    }
  /** How many records each bar has, how many are below the first and above the last one, and how many have no number. */
  | {
      readonly field: string;
      readonly bars: readonly number[];
      /** The range of the chart. */
      readonly from: number;
      readonly end: number;
      readonly below: number;
      readonly above: number;
      readonly nulls: number;
    };

/** Whether counts are of a chart, rather than of another part of its range. */
export const isOf = (
  counts: { readonly field: string } | Extract<FacetCounts, { readonly bars: unknown }>,
  facet: Facet,
): boolean =>
  counts.field === facet.field &&
  (!("bars" in counts) ||
    facet.kind !== "range" ||
    (counts.from === facet.from && counts.end === facet.end));

/** How many of the counted records have a value, and how many of all records. */
export interface FacetValue extends ValueCount<Scalar> {
  readonly all: number;
}

/** What is searched for among the values of a field, whose facet then lists what is found. */
export type Searches = ReadonlyMap<string, string>;

export interface Lists {
  readonly lists: readonly { readonly id: string; readonly rows: readonly ContactRecord[] }[];
}

/** What the values of a column are. Of arrays and JSON nothing is known. */
export type Profile =
  | { readonly field: string; readonly isKnown: false }
  | {
      readonly field: string;
      readonly isKnown: true;
      /** How many records have a value, and how many have null. */
      readonly count: number;
      readonly nulls: number;
      /** Without null. */
      readonly distinct: number;
      readonly smallest: Scalar;
      readonly median: Scalar;
      readonly largest: Scalar;
      /** Beyond these, numbers are further from the middle half than 1.5 times its width. */
      readonly usual: readonly [lowest: number, highest: number] | undefined;
      readonly frequent: readonly ValueCount<Scalar>[];
    };

/** An axis of a scatter plot: from the lowest number of all records to the highest. */
export interface ScatterAxis {
  readonly field: string;
  readonly isLog: boolean;
  readonly from: number;
  readonly to: number;
}

/** Records as points, pairs of places from 0 to 1 on both axes; or how many are in each cell, row by row from below. */
export type ScatterCounts = {
  readonly shown: number;
  /** How many have no number, or none that a log scale has. */
  readonly hidden: number;
} & (
  | { readonly points: Float32Array }
  | { readonly cells: Uint32Array; /** How many cells a row has. */ readonly across: number }
);

/** How two numbers go together in the records that have both; `null` if one of them is the same in all. */
export interface Correlation {
  readonly pairs: number;
  readonly pearson: number | null;
  /** That of the ranks, where equal numbers share the mean of theirs. */
  readonly spearman: number | null;
}

export interface Scatter {
  readonly x: ScatterAxis;
  readonly y: ScatterAxis;
  readonly all: ScatterCounts;
  /** `undefined` if all are. */
  readonly selected: ScatterCounts | undefined;
  /** Of those that are selected, whatever the scales of the axes are. */
  readonly correlation: Correlation;
}

/** Where a record is in an answer, and the values that are shown there. */
export interface Place {
  readonly asked: Asked;
  readonly position: number;
  readonly row: Row;
}

/** The records that a change is about: one, or all that match. */
type Selected = { readonly place: Place } | { readonly criteria: CriteriaList };

/** A field is set, or records are removed. */
export type Edit =
  | (Selected & { readonly kind: "set"; readonly field: string; readonly value: unknown })
  | (Selected & { readonly kind: "remove" });

/** A change of the data: an edit; or the latest one is undone, or done again. */
export type Change = Edit | { readonly kind: "undo" } | { readonly kind: "redo" };

/** A change that was made. */
export interface ChangedEntry {
  /** The field that was set. Records were removed if there is none. */
  readonly field?: string;
  readonly value?: unknown;
  /** How many records were changed. */
  readonly records: number;
  /** The first ones. */
  readonly patches: readonly Patch[];
  /** How many patches there are besides; `undefined` if none were made, because they are too many. */
  readonly more: number | undefined;
}

/** The data after a change. */
export interface Changed {
  readonly how: "done" | "undone" | "redone" | "nothing";
  /** What can be undone, the newest first. */
  readonly done: readonly ChangedEntry[];
  /** What can be done again, the next first. */
  readonly undone: readonly ChangedEntry[];
  readonly size: number;
  readonly fields: readonly FieldInfo[];
  readonly facets: readonly Facet[];
}

/** A question as SQL: the text, and what is bound in it. */
export interface SqlText {
  readonly text: string;
  readonly parameters: readonly unknown[];
  /** The columns in it that the file does not have, and what each holds. */
  readonly needs: readonly (readonly [column: string, what: string])[];
}

/** What a computed column would be. */
export interface Tried {
  readonly field: FieldInfo;
  /** Of the first records. */
  readonly values: readonly FieldValue[];
}

/** Each task with its parameters and its result. */
export interface Tasks {
  load: (source: Source, indexes: "auto" | "none", readAs: ReadAs) => Loaded;
  /** Gives records the fields of others; how many name none, by the columns that lead there. None are computed then. */
  relate: (
    related: readonly Related[],
  ) => Pick<Loaded, "fields" | "facets"> & { readonly missing: readonly number[] };
  /** Gives records computed fields; why others are not, by their names. The next call ends one that takes long. */
  compute: (columns: readonly Computed[]) => Pick<Loaded, "fields" | "facets"> & {
    readonly problems: readonly (readonly [name: string, reason: string])[];
  };
  /** What one of some columns would be, for the first records. @throws TercetError if it can't be computed */
  tryComputed: (columns: readonly Computed[], name: string) => Tried;
  /** @param isHasty whether those found so far will do, if all take longer */
  rows: (asked: Asked, offset: number, limit: number, isHasty?: boolean) => Rows;
  count: (criteria: CriteriaList) => Counted;
  lists: (asked: Asked, offset: number, limit: number) => Lists;
  facets: (
    criteria: CriteriaList,
    facets: readonly Facet[],
    searches: Searches,
  ) => readonly FacetCounts[];
  /** The charts in which times with a clock have bars of a zone; of UTC if it is empty. */
  zoned: (zone: string) => readonly Facet[];
  /** The chart of a part of its range; `undefined` if there are no two numbers in it. */
  zoom: (facet: RangeFacet, from: number, end: number) => RangeFacet | undefined;
  /** At most so many groups. */
  groups: (criteria: CriteriaList, of: GroupBy, limit: number) => Groups;
  /** At most so many rows and columns. */
  pivot: (criteria: CriteriaList, of: GroupBy, limits: readonly [number, number]) => Pivot;
  /** All groups, as a file. */
  saveGroups: (criteria: CriteriaList, of: GroupBy, format: FileFormat) => Blob;
  profile: (criteria: CriteriaList, field: string) => Profile;
  scatter: (
    criteria: CriteriaList,
    x: Pick<ScatterAxis, "field" | "isLog">,
    y: Pick<ScatterAxis, "field" | "isLog">,
  ) => Scatter;
  /** Of fields of numbers. */
  summaries: (criteria: CriteriaList, fields: readonly string[]) => readonly Summary[];
  plan: (asked: Asked, limit: number) => QueryPlan;
  /** How many milliseconds the question takes without indexes. */
  scan: (asked: Asked, limit: number) => number;
  /** Changes the data, completely or not at all. */
  change: (change: Change) => Changed;
  /** The records that match, as a file. */
  save: (asked: Asked, format: FileFormat) => Blob;
  /** All records as a saved collection, with their types. */
  saveAll: () => Blob;
  /** What a call finds, as JSON. */
  found: (asked: Asked, limit: number) => string;
  complete: (field: string, prefix: string) => readonly string[];
  dispatch: (text: string) => string;
  /** The same question in operators of the library. */
  plain: (asked: Asked) => Asked;
  /** Of all records that match, if no limit is given. */
  sql: (asked: Asked, limit: number | undefined, dialect: DialectName, table: string) => SqlText;
}

export type FileFormat = "csv" | "ndjson" | "json" | "arrow" | "parquet";

export type TaskName = keyof Tasks;

export interface Call {
  readonly id: number;
  readonly task: TaskName;
  readonly parameters: readonly unknown[];
}

/** What comes back: a result, a fault, or news that nobody asked for. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: Fault }
  | { readonly progress: Progress }
  | { readonly indexes: readonly IndexReport[] };

export interface Progress {
  readonly phase: string;
  readonly done: number;
  /** `undefined` where nobody knows. */
  readonly total: number | undefined;
  /** What is counted, if not records. */
  readonly unit?: "bytes";
  /** About what share of the time of all steps has passed. */
  readonly share?: number;
  /** The first records, as they stand in the file, once they are known. */
  readonly preview?: Preview;
}

export interface Preview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}
