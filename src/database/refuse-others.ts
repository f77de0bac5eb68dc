import { alternatives, InputError, quote } from "../schema/errors.ts";

/** Refuses members that a recipe has added to those of a draft. */
export function refuseOthers(draft: object, path: string, members: readonly string[]): void {
  const other = Object.keys(draft).find((name) => !members.includes(name));
  if (other === undefined) return;
  throw new InputError(path, `has no member ${quote(other)}; use ${alternatives(members)}`);
}
