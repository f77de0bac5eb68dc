// Strings whose case (V11) or accents (V17) are ignored are compared in a folded form.

/** What the comparison of a field's strings ignores. */
export interface Folding {
  readonly ignoreCase: boolean;
  readonly ignoreAccents: boolean;
}

/** Of fields that compare strings as they are. */
export const NO_FOLDING: Folding = { ignoreCase: false, ignoreAccents: false };

export const isFolded = ({ ignoreCase, ignoreAccents }: Folding): boolean =>
  ignoreCase || ignoreAccents;

/** The form in which a string is compared. */
export function folded({ ignoreCase, ignoreAccents }: Folding, text: string): string {
  const unmarked = ignoreAccents ? withoutMarks(text) : text;
  return ignoreCase ? inLowerCase(unmarked) : unmarked;
}

/** Says what is ignored, and how JavaScript folds a `text`. */
export function foldingInWords({ ignoreCase, ignoreAccents }: Folding) {
  const ignored = [...(ignoreCase ? ["case"] : []), ...(ignoreAccents ? ["accents"] : [])];
  const calls = [
    ...(ignoreAccents ? ['.normalize("NFD").replace(/\\p{M}/gu, "").normalize()'] : []),
    ...(ignoreCase ? ['.toLowerCase().replaceAll("ς", "σ")'] : []),
  ];
  return { ignored: ignored.join(" and "), expression: `text${calls.join("")}` };
}

/**
 * Lower case, with one form of sigma. `toLowerCase()` writes a final sigma differently, so a string could lose a
 * substring in lower case. All other letters have one lower case, whatever their context.
 */
const inLowerCase = (text: string) => text.toLowerCase().replaceAll("ς", "σ");

const MARKS = /\p{M}/gu;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Without combining marks, composed or not. */
function withoutMarks(text: string): string {
  // Most strings have none, and normalizing takes many times as long as looking.
  if (!BEYOND_ASCII.test(text)) return text;
  return text.normalize("NFD").replace(MARKS, "").normalize("NFC");
}
