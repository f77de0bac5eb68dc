// Compares what peers find.

export type Rows = readonly (readonly unknown[])[];

/** Whether rows are equal, but for what other peers round. */
export const areAlike = (a: Rows, b: Rows): boolean =>
  a.length === b.length &&
  a.every((row, i) =>
    row.every((each, column) => {
      const other = b[i]?.[column];
      if (typeof each !== "number" || typeof other !== "number") return each === other;
      return Math.abs(each - other) <= 1e-9 * Math.abs(each);
    }),
  );
