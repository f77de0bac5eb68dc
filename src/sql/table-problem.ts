// The problems that `checkTable` reports.

/** A problem of a table. */
export interface TableProblem {
  /** `wrong`: queries fail or may return wrong results. `slow`: they take longer than necessary. */
  readonly kind: "wrong" | "slow";
  /** A description, with the names of columns. */
  readonly reason: string;
  /** The statement that fixes it, to be run by the owner of the table; `null` if there is none. */
  readonly statement: string | null;
}
