// A list of 50,000 products in React, from a worker, in a browser: server rendering and hydration in StrictMode, facets,
// search in transitions, virtual scroll, and favourites that are shown at once. Nothing here waits for a time: what must
// not be drawn in between is counted.

import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { bundled, html, imported, withPage } from "./served-page.ts";
import type * as Products from "./products/products.ts";

type Drawn = typeof Products.drawn;

test("a list of 50,000 products runs from a worker", async () => {
  // The component as a server has it, from the same module as the page.
  const products = (await imported("products/products.ts")) as typeof Products;
  const rendered = products.renderedBy(products.makeProducts());
  const root = renderToString(h(products.App, { db: idle as never, rendered }));
  expect(root).toContain("50000 products");
  const json = JSON.stringify(rendered).replaceAll("<", "\\u003c");
  const files = {
    "/": html(
      `<div id="root">${root}</div><script type="application/json" id="rendered">${json}</script>`,
      await bundled("products/page.ts"),
    ),
    "/worker.js": await bundled("products/worker.ts"),
  };
  await withPage(files, async (page) => {
    // What the worker has.
    const db = products.makeProducts();
    const drawn = () => page.evaluate("({ ...drawn })") as Promise<Drawn>;
    const asked = (category: string | null, search: string, block = 0) => {
      const { rows, count } = products.asked(category, search, block);
      const [first] = db.live("products", rows).current;
      const favourites = db.live("products", rows).current.filter(({ favourite }) => favourite);
      const ids = favourites.map(({ id }) => id).join();
      return `${search}/${category}/${first?.id}/${db.live("products", count).current}/${ids}`;
    };
    const states: string[] = [];
    const until = async (state: string) => {
      states.push(state);
      await page.waitForFunction(
        `drawn.states.at(-1) === ${JSON.stringify(state)} && document.querySelector("main").dataset.pending === "false"`,
      );
    };

    await until(asked(null, ""));
    // The worker has answered, and the list is as the server has rendered it.
    expect(await page.evaluate("db.count('products')")).toBe(products.PRODUCTS);

    await page.type("input", "7");
    await until(asked(null, "7"));
    expect(await textOf(page, "output")).toBe(
      `${db.products.count([["name", "contains", "7"]])} products`,
    );
    await clickOn(page, "nav button:nth-child(3)");
    await until(asked("lamps", "7"));
    expect(await page.$eval("nav", ({ children }) => children.length)).toBe(7);

    // Far down: a few rows stand where they belong.
    await page.evaluate(
      `document.querySelector("#list").scrollTop = ${products.ROW_HEIGHT * 1000}`,
    );
    await until(asked("lamps", "7", 49));
    expect(await page.$$eval("#list > div > div", (rows) => rows.length)).toBe(60);
    const [row] =
      products.asked("lamps", "7", 50).rows.criteria.length === 2
        ? db.query("products", products.asked("lamps", "7", 50).rows)
        : [];
    expect(await page.$eval(`#row-${row?.id}`, (each) => (each as HTMLElement).style.top)).toBe(
      `${products.ROW_HEIGHT * 1000}px`,
    );

    // Shown at once, then from the worker, and never as before in between.
    const id = row?.id ?? 0;
    await clickOn(page, `#row-${id} button`);
    db.update((draft) => {
      draft.products = draft.products.update([["id", "exactly", id]], { favourite: true });
    });
    await until(asked("lamps", "7", 49));
    expect(
      await page.evaluate(`db.query("products", { criteria: [["id", "exactly", ${id}]] })`),
    ).toEqual([db.products.get("id", id)]);

    // What is refused is shown, and taken back.
    const before = states.at(-1) ?? "";
    await clickOn(page, `#row-${id} button.wrong`);
    await page.waitForFunction("document.querySelector('[role=alert]').textContent !== ''");
    expect(await textOf(page, "[role=alert]")).toMatch(/^InputError: changes\.price: /);
    states.push(before.replace(/[^/]*$/, ""));
    await until(before);

    const { fallbacks, states: all } = await drawn();
    expect(all).toEqual(states);
    expect(fallbacks).toBe(0);
    expect(await page.evaluate("errors")).toEqual([]);
  });
});

/** On a server, no live query of a worker starts. */
const idle = {
  live: () => ({
    current: undefined,
    subscribe: () => () => undefined,
    ready: () => Promise.reject(new Error("a server has no worker")),
  }),
};

const textOf = (page: Page, selector: string) =>
  page.$eval(selector, ({ textContent }) => textContent);

/** A click that no layout in progress can miss. */
const clickOn = (page: Page, selector: string) =>
  page.$eval(selector, (each) => (each as HTMLElement).click());
