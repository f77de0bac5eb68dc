// State shared by instrumented code and the runner: which mutant is active, how much work a test
// has left, and which mutants its code has reached.

/** How often code of a mutant ran, by the mutant's number. */
export type Covered = Map<number, number>;

/** No mutant. */
export const NO_MUTANT = -1;

/** One element each: instrumented code reads and writes them all the time. */
export const active: [number] = [NO_MUTANT];
export const fuel: [number] = [0];
export const hits = new Float64Array(1 << 16);

/** Ends a test that runs on and on. Whoever catches it runs into the next at once. */
export function stop(): never {
  throw new Error("too much work");
}

/** Said where the active mutant runs: its own work counts too, where a loop has no other. */
export function hit(): true {
  if (--fuel[0] < 0) stop();
  return true;
}

let isCounting = false;
let owner: Covered | undefined;

/** From now on it gets what counts for what. */
export function startCounting(): void {
  isCounting = true;
}

/** What runs from now on counts for `next`; gives what it counted for before. */
export function countFor(next: Covered | undefined): Covered | undefined {
  if (!isCounting) return undefined;
  for (const [mutant, count] of hits.entries()) {
    if (count > 0) owner?.set(mutant, (owner.get(mutant) ?? 0) + count);
  }
  hits.fill(0);
  const before = owner;
  owner = next;
  return before;
}
