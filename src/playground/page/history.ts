// The address of what is shown, and the steps of the browser's history: Back undoes what somebody asked last. Keys that
// are typed into one value one after the other, and the moves of a brush, are one step.

import { isRow } from "../criteria-list.ts";
import { toLink, type View } from "../link.ts";

/** Changes of one kind within so many milliseconds are one step. */
const ONE_STEP = 1000;

export class Steps {
  #made = 0;
  #view: View | undefined;
  #last = { kind: "", time: -Infinity };

  /** @param view what the page showed first: it is no step from anything */
  constructor(view: View | undefined) {
    this.#view = view;
    if (view !== undefined) history.replaceState(null, "", toLink(view));
  }

  /** @param made how many steps somebody has made so far */
  write(view: View | undefined, made: number): void {
    const link = view === undefined ? "#" : toLink(view);
    const isStep = made !== this.#made;
    const before = this.#view;
    this.#made = made;
    this.#view = view;
    if (link === location.hash || link === `${location.hash}#`) return;
    const kind = kindOf(before, view);
    const now = performance.now();
    const isOne = kind === this.#last.kind && now - this.#last.time < ONE_STEP;
    if (isStep) this.#last = { kind, time: now };
    if (isStep && !isOne) history.pushState(null, "", link);
    else history.replaceState(null, "", link);
  }
}

/** Which parts of a view differ, and what is asked but for its values. */
function kindOf(before: View | undefined, after: View | undefined): string {
  if (before === undefined || after === undefined) return "";
  const old = new Map<string, unknown>(Object.entries(before));
  const parts = Object.entries(after).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(old.get(name)) ? [] : [name],
  );
  const asked = after.criteria.map((each) => (isRow(each) ? each.slice(0, 2) : each));
  return JSON.stringify([parts, asked]);
}
