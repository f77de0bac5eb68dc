// Round numbers: the widths of ranges, and where axes have ticks.

/** The smallest of 1, 2, 5 and 10 times a power of ten that is at least `least`; of integers at least 1. */
export function roundWidth(least: number, isInteger: boolean): number {
  if (isInteger && least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const width = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least);
  return rounded(width ?? power);
}

/** Without the rounding errors of binary fractions. */
export const rounded = (number: number): number => Number(number.toPrecision(12));
