// What checkTable tells.

/** What a table lacks. */
export interface TableProblem {
  /** `wrong`: answers fail, or could be wrong. `slow`: they take longer than they have to. */
  readonly kind: "wrong" | "slow";
  /** What it is, with the names of columns. */
  readonly reason: string;
  /** The statement that mends it, for whoever owns the table; `null` where no statement does. */
  readonly statement: string | null;
}
