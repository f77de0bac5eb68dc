// A column that joined rows have in addition to their own.

import type { Deadline } from "../algorithms/deadline.ts";
import type { FieldIndex } from "../indexes/field-index.ts";
import type { Reader } from "./joined-rows.ts";

export interface JoinedColumn {
  /** Reads the values by which rows are compared, or their text forms. */
  reader(isTextForm: boolean): Reader;
  /** The index, if it exists or is due. @throws DeadlineError */
  index(deadline: Deadline | undefined): FieldIndex | undefined;
  /** Charges what it cost that there is no index. */
  charge(nanoseconds: number): void;
  /** Whether no query builds the index. */
  readonly isWithheld: boolean;
}
