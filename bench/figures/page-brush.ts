// How long the page takes from a step of a brush to all charts, and the same charts on crossfilter2.

import { measured, type Measured, type Opened } from "./page-browser.ts";

/** The chart that is brushed, and one that follows. */
export interface Brushed {
  readonly brushed: string;
  readonly follows: string;
}

export const OF_CONTACTS: Brushed = { brushed: "send_time", follows: "open_count" };
export const OF_ORDERS: Brushed = { brushed: "placed_at", follows: "total" };

/** How many steps a brush has. */
export const STEPS = 100;

export async function brushed(opened: Opened, doing: Brushed): Promise<Measured> {
  const { page } = opened;
  await page.waitForSelector(`section[aria-label=${doing.brushed}] svg`);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = await page.evaluate(
    async (steps, field, follows) => {
      const chart = document.querySelector<SVGElement>(`section[aria-label=${field}] svg`);
      const other = document.querySelector(`section[aria-label=${follows}] .some`);
      if (chart === null || other === null) throw new Error("there are no charts");
      chart.setPointerCapture = () => undefined;
      const { left, top, width } = chart.getBoundingClientRect();
      const send = (type: string, share: number) =>
        chart.dispatchEvent(
          new PointerEvent(type, {
            bubbles: true,
            pointerId: 1,
            clientX: left + share * width,
            clientY: top + 5,
          }),
        );
      send("pointerdown", 0.1);
      const found: number[] = [];
      for (let step = 1; step <= steps; step++) {
        const start = performance.now();
        const changed = new Promise<boolean>((resolve) => {
          const observer = new MutationObserver(() => {
            observer.disconnect();
            requestAnimationFrame(() => resolve(true));
          });
          observer.observe(other, { attributes: true });
          // A step within one bin changes nothing.
          setTimeout(() => resolve(false), 500);
        });
        send("pointermove", 0.1 + (0.85 * step) / steps);
        if (await changed) found.push((performance.now() - start) * 1e6);
      }
      send("pointerup", 0.95);
      return found;
    },
    STEPS,
    doing.brushed,
    doing.follows,
  );
  return measured(opened, times);
}

export async function crossfilterPage(): Promise<string> {
  const { build } = await import("esbuild");
  const bundle = await build({
    entryPoints: ["bench/crossfilter-page.ts"],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    nodePaths: ["bench/node_modules"],
    logLevel: "warning",
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  return `<!doctype html><meta charset="utf-8"><body><script>${script.replaceAll("</script", "<\\/script")}</script>`;
}
