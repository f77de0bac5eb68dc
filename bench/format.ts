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
