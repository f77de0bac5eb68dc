import fc from "fast-check";

/** Few rows, many alike, or many that differ. */
export const fewOrMany = <Row>(row: fc.Arbitrary<Row>): fc.Arbitrary<Row[]> =>
  fc.oneof(
    fc.array(row, { maxLength: 40 }),
    fc
      .array(row, { minLength: 1, maxLength: 5 })
      .map((few) => Array.from({ length: 60 }, () => few).flat()),
    fc.array(row, { minLength: 150, maxLength: 200, size: "max" }),
  );
