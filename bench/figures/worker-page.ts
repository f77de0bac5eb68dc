// What both pages of the figure of workers do: they load orders, show the latest 50 and counts by state, which follow
// changes, and ask for other pages.

/** A turn of the page's own, as each event of a page is one. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

export const show = (place: string, rows: readonly object[]) => {
  const shown = document.getElementById(place);
  if (shown !== null) shown.textContent = rows.map((row) => JSON.stringify(row)).join("\n");
};

/** What the worker and the page's own database have in common. */
export interface Asking {
  readonly count: () => Promise<number> | number;
  readonly query: (number: number) => Promise<readonly object[]> | readonly object[];
  readonly insert: (id: number) => unknown;
}

/** @returns nanoseconds */
async function run(start: (size: number) => Asking, size: number, rounds: number) {
  await turn();
  const began = performance.now();
  const asking = start(size);
  await asking.count();
  const load = performance.now() - began;
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    await turn();
    const from = performance.now();
    show("found", await asking.query(i));
    times.push(performance.now() - from);
    await turn();
    await asking.insert(size + i);
  }
  times.sort((a, b) => a - b);
  return {
    load: load * 1e6,
    query: (times[times.length >> 1] ?? 0) * 1e6,
    slowest: (times.at(-1) ?? 0) * 1e6,
  };
}

/** Gives the figure what it calls. */
export const expose = (start: (size: number) => Asking) =>
  Object.assign(globalThis, {
    run: (size: number, rounds: number) => run(start, size, rounds),
  });
