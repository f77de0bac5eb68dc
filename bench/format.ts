// Numbers for people to read.

/** Nanoseconds in a suitable unit, to three digits. */
export function time(nanoseconds: number): string {
  if (!Number.isFinite(nanoseconds)) return "–";
  const [unit, size] =
    nanoseconds < 1e3
      ? (["ns", 1] as const)
      : nanoseconds < 1e6
        ? (["µs", 1e3] as const)
        : nanoseconds < 1e9
          ? (["ms", 1e6] as const)
          : (["s", 1e9] as const);
  return `${digits(nanoseconds / size)} ${unit}`;
}

export function megabytes(bytes: number): string {
  return digits(bytes / 1e6);
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** Three significant digits, without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/**
 * How a number grows with the size: the slope of its logarithm over that of the size, by least squares. 0 is constant,
 * 1 is linear; empty for fewer than two numbers.
 */
export function exponent(
  sizes: readonly number[],
  values: readonly (number | undefined)[],
): string {
  const points = values.flatMap((value, i) =>
    value === undefined || value <= 0 ? [] : [{ x: Math.log(sizes[i] ?? NaN), y: Math.log(value) }],
  );
  if (points.length < 2) return "";
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope =
    mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  return slope.toFixed(2);
}
