// What the page asks its worker, and what that answers. All of it can be cloned.

import type { CriteriaList } from "./criteria-list.ts";
import type { DialectName } from "../sql/index.ts";
import type { FieldType, Histogram, IndexReport, QueryPlan, ValueCount } from "../index.ts";

export type Kind = "contacts" | "files";

/** Where the data come from. */
export type Source =
  | { readonly kind: Kind; readonly count: number; readonly seed: number }
  | { readonly file: Blob; readonly name: string };

export interface FieldInfo {
  readonly name: string;
  readonly type: FieldType;
  readonly searchable: boolean;
  readonly nullable: boolean;
}

/** A chart beside the answer: bars of values, or a histogram. */
export type Facet =
  | { readonly field: string; readonly values: readonly (string | null)[] }
  | { readonly field: string; readonly from: number; readonly to: number; readonly bins: number };

export interface Loaded {
  readonly kind: Kind;
  readonly size: number;
  readonly batchId: string | undefined;
  readonly fields: readonly FieldInfo[];
  readonly facets: readonly Facet[];
  readonly lists: readonly string[];
  readonly milliseconds: number;
}

export interface Asked {
  readonly criteria: CriteriaList;
  readonly sortBy: string;
  readonly sortOrder: "ASC" | "DESC";
}

export type Row = Readonly<Record<string, string | null>>;

export interface Answer {
  readonly matching: number;
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Of counting and of the page together. */
  readonly milliseconds: number;
}

/** What is wrong, and with which criterion. */
export interface Fault {
  readonly position: number | null;
  readonly reason: string;
}

export type FacetCounts =
  | { readonly field: string; readonly values: readonly ValueCount[] }
  | { readonly field: string; readonly histogram: Histogram };

export interface Lists {
  readonly lists: readonly { readonly id: string; readonly rows: readonly Row[] }[];
}

/** A question as SQL: the text, and what is bound in it. */
export interface SqlText {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Each task with its parameters and its result. */
export interface Tasks {
  load: (source: Source, indexes: "auto" | "none") => Loaded;
  answer: (asked: Asked, offset: number, limit: number) => Answer;
  lists: (asked: Asked, offset: number, limit: number) => Lists;
  facets: (criteria: CriteriaList, facets: readonly Facet[]) => readonly FacetCounts[];
  plan: (asked: Asked, limit: number) => QueryPlan;
  complete: (field: string, prefix: string) => readonly string[];
  dispatch: (text: string) => string;
  sql: (asked: Asked, limit: number, dialect: DialectName) => SqlText;
}

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
  /** What is counted, where it is no records. */
  readonly unit?: "bytes";
}
