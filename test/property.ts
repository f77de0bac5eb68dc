// The number of cases of a property test, and the seed. By default a test runs its own number of cases with a new seed,
// and a failure shows the seed. TERCET_SEED repeats that seed. TERCET_RUNS sets the number of cases, and TERCET_SHARE,
// such as 0.5, runs that share of each test's own number. TERCET_RECORDS is the number of records in tests of many
// records. TERCET_SEEDS is the number of seeds in tests that measure how reliably something is found. TERCET_QUERIES and
// TERCET_FAULTS are for the long runs of `npm run test:sql`.

export interface Settings {
  readonly numRuns: number;
  readonly seed?: number;
  readonly path?: string;
}

/** The share of its cases that each test runs. */
const SHARE = Number(process.env.TERCET_SHARE ?? 1);

/**
 * The parameters of `fc.assert`: `TERCET_RUNS`, or `TERCET_SHARE` of the test's own number; `TERCET_SEED`; and
 * `TERCET_PATH` for one case of the seed alone.
 */
export function settings(numRuns: number): Settings {
  const seed = integerFrom("TERCET_SEED");
  const path = process.env.TERCET_PATH;
  return {
    numRuns: integerFrom("TERCET_RUNS") ?? Math.ceil(numRuns * SHARE),
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path }),
  };
}

/** How many records a test of many has: its own number, or `TERCET_RECORDS`. */
export function records(count: number): number {
  return integerFrom("TERCET_RECORDS") ?? count;
}

/** At how many points a long run has something fail: the test's own number, or `TERCET_FAULTS`. */
export function faults(count: number): number {
  return integerFrom("TERCET_FAULTS") ?? count;
}

/** The seeds of a test that looks for something in each of several: `TERCET_SEEDS` of them. */
export function seeds(count: number): number[] {
  return Array.from({ length: integerFrom("TERCET_SEEDS") ?? count }, (_, i) => i + 1);
}

function integerFrom(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${variable} must be an integer, not ${text}`);
  return value;
}
