// Strings that parsers of numbers accept as an integer, although they are not its canonical form (V2).

/** The first code points of digits in other scripts: fullwidth, Arabic-Indic, Devanagari. */
const ZEROS = [0xff10, 0x660, 0x966];

/** Every misspelling of an integer, given in its canonical form. */
export function misspellings(integer: string): string[] {
  const sign = integer.startsWith("-") ? "-" : "";
  const digits = integer.slice(sign.length);
  const inScript = (zero: number) =>
    sign + Array.from(digits, (digit) => String.fromCodePoint(zero + Number(digit))).join("");
  const grouped = (separator: string) =>
    `${sign}${digits.slice(0, 1)}${separator}${digits.slice(1)}`;
  return [
    ...ZEROS.map(inScript),
    ...[`${sign}0${digits}`, sign === "" ? `+${digits}` : `\u2212${digits}`],
    ...(integer === "0" ? ["-0"] : []),
    ...[` ${integer}`, `${integer} `, `\t${integer}`, `${integer}\u00a0`],
    ...[`${integer}\n`, `${integer}\r\n`, `\n${integer}`],
    ...(digits.length > 1 ? ["_", ",", " "].map(grouped) : []),
    ...[`${integer}.`, `${integer}.0`, `${integer}e0`, `${integer}x`, `${integer}n`],
    `${sign}0x${Number(digits).toString(16)}`,
  ];
}
