// How long the page takes from a key to the rows that match, and to how many there are.

import { timingOf } from "../measure.ts";
import { measured, type Measured, type Opened } from "./page-browser.ts";

/** What is typed, a hundred letters in all, and into which field. */
export interface Typed {
  readonly field: string;
  readonly texts: readonly string[];
}

export interface Typing {
  /** From a key to the rows. */
  readonly rows: Measured;
  /** From a key to how many match. */
  readonly count: Measured;
}

export const IN_CONTACTS: Typed = {
  field: "contact_email",
  // Some are in all values, some in none.
  texts:
    "anna.smith b.jones stephanie @gmail.example o'brien xq zoe petrenko242 kim.lee ul 42@proton fang.chen12 ' sanders".split(
      " ",
    ),
};

export const IN_ORDERS: Typed = {
  field: "customer",
  texts:
    "Ada 12345|Ben 9|77|Kaya 20177|31415|Otto 4|Greta 808|Zed|1 2|Mina 49999|Noor 1|ines 5|Liam 26535|8979|323".split(
      "|",
    ),
};

/** Into a column of which no two texts are the same. */
export const IN_DISTINCT: Typed = {
  field: "reference",
  texts:
    "1a2b3c ref-9 ff00 deadbeef xyz f-12345 0000 c0ffee 7f7f7f ref-abcdef 31415926 e9 b8 42424242 d00d f00 1 99".split(
      " ",
    ),
};

/** From one key to the next, in milliseconds. */
const PAUSE = 200;

export async function typed(opened: Opened, { field, texts }: Typed): Promise<Typing> {
  const { page } = opened;
  await page.click(".add button");
  await page.select("[aria-label=Field]", field);
  await page.select("[aria-label=Operator]", "contains");
  await page.focus(".value");
  await page.waitForSelector(".body");
  const { rows, counts } = await page.evaluate(
    async (texts, pause) => {
      const [input, body, status] = [".value", ".body", ".status"].map((selector) =>
        document.querySelector(selector),
      );
      if (!(input instanceof HTMLInputElement) || !body || !status) {
        throw new Error("there is nothing to type into");
      }
      const rows: number[] = [];
      const counts: number[] = [];
      for (const text of texts) {
        for (let length = 1; length <= text.length; length++) {
          const start = performance.now();
          // A letter may leave the rows, or how many there are, as they were.
          const observers = [[body, rows] as const, [status, counts] as const].map(
            ([shown, times]) => {
              const observer = new MutationObserver(() => {
                observer.disconnect();
                requestAnimationFrame(() => times.push((performance.now() - start) * 1e6));
              });
              observer.observe(shown, { subtree: true, childList: true, characterData: true });
              return observer;
            },
          );
          input.value = text.slice(0, length);
          input.dispatchEvent(new Event("input", { bubbles: true }));
          await new Promise((resolve) => setTimeout(resolve, pause));
          for (const observer of observers) observer.disconnect();
        }
      }
      return { rows, counts };
    },
    texts,
    PAUSE,
  );
  const all = await measured(opened, rows);
  return { rows: all, count: { ...all, step: timingOf(counts), slowest: Math.max(...counts) } };
}
