// A list of products: its database, and its component in React with facets, virtual scroll, search, and favourites that
// are shown before the worker has them.

import { createElement as h, StrictMode, Suspense, useEffect, useOptimistic } from "react";
import { useState, useTransition, type ReactNode } from "react";
import { useLive } from "../readme/react.ts";
import {
  boolean,
  createCollection,
  createDatabase,
  defineSchema,
  int,
  string,
  type Database,
  type LiveAnswer,
  type RecordOf,
} from "../../../src/index.ts";
import type { CollectionsIn, RemoteDatabase } from "../../../src/worker/index.ts";

export const PRODUCTS = 50_000;
export const ROW_HEIGHT = 30;
const BLOCK = 20;
const SHOWN = 60;

const Product = defineSchema({
  id: int({ unique: true }),
  name: string(),
  category: string(),
  price: int(),
  favourite: boolean({ default: false }),
});

const categories = ["chairs", "desks", "lamps", "rugs", "shelves", "sofas", "tables"];
export const makeProducts = () =>
  createDatabase({
    products: createCollection(
      Product,
      Array.from({ length: PRODUCTS }, (_, id) => ({
        id,
        name: `${categories[id % 7]?.slice(0, -1)} ${(id * 7919) % PRODUCTS}`,
        category: categories[id % 7] ?? "",
        price: (id * 31) % 1000,
      })),
    ),
  });

export type ProductsDb = ReturnType<typeof makeProducts>;
type Remote = RemoteDatabase<CollectionsIn<ProductsDb>>;
type Row = RecordOf<typeof Product>;

/** What is asked of the database, on a server and in the page. */
export const asked = (category: string | null, search: string, block: number) => {
  const found = [["name", "contains", search]] as const;
  const criteria =
    category === null ? found : ([...found, ["category", "exactly", category]] as const);
  return {
    rows: { criteria, sort: [["price", "ASC"]], offset: block * BLOCK, limit: SHOWN } as const,
    count: { count: criteria },
    facets: { countBy: "category", criteria: found } as const,
  };
};

export interface Rendered {
  readonly rows: readonly Row[];
  readonly count: number;
  readonly facets: LiveAnswer<typeof Product, { countBy: "category" }>;
}

/** What a server renders first. */
export function renderedBy(db: Database<CollectionsIn<ProductsDb>>): Rendered {
  const { rows, count, facets } = asked(null, "", 0);
  return {
    rows: db.live("products", rows).current,
    count: db.live("products", count).current,
    facets: db.live("products", facets).current,
  };
}

/** What was drawn: how often the fallback was, and each state of the list. */
export const drawn: { fallbacks: number; readonly states: string[] } = { fallbacks: 0, states: [] };

function Fallback(): ReactNode {
  useEffect(() => void drawn.fallbacks++);
  return h("p", { id: "waiting" }, "…");
}

interface Props {
  readonly db: Remote;
  readonly rendered?: Rendered | undefined;
}

function Products({ db, rendered }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const [view, setView] = useState({ category: null as string | null, search: "", block: 0 });
  const [isPending, start] = useTransition();
  const [error, setError] = useState("");
  const { category, search, block } = view;
  const asks = asked(category, search, block);
  const rows = useLive(db.live("products", asks.rows), rendered?.rows);
  const count = useLive(db.live("products", asks.count), rendered?.count);
  const facets = useLive(db.live("products", asks.facets), rendered?.facets);
  const [shown, show] = useOptimistic(
    rows,
    (before: readonly Row[], { id, favourite }: Pick<Row, "id" | "favourite">) =>
      before.map((row) => (row.id === id ? { ...row, favourite } : row)),
  );

  const favourites = shown.filter(({ favourite }) => favourite).map(({ id }) => id);
  const state = `${search}/${category}/${shown[0]?.id}/${count}/${favourites.join()}`;
  useEffect(() => void (drawn.states.at(-1) !== state && drawn.states.push(state)));

  const choose = (next: Partial<typeof view>) => start(() => setView({ ...view, ...next }));
  const like = ({ id, favourite }: Row, price: number) =>
    start(async () => {
      show({ id, favourite: !favourite });
      try {
        await db.update((draft) => {
          draft.products = draft.products.update([["id", "exactly", id]], {
            favourite: !favourite,
            price,
          });
        });
      } catch (thrown) {
        const { name, message } = thrown as Error;
        start(() => setError(`${name}: ${message}`));
      }
    });

  return h(
    "main",
    { "data-pending": isPending },
    h("input", {
      value: typed,
      onChange: ({ target }: { target: { value: string } }) => {
        setTyped(target.value);
        choose({ search: target.value, block: 0 });
      },
    }),
    h("output", null, `${count} products`),
    h("p", { role: "alert" }, error),
    h(
      "nav",
      null,
      facets.map(({ value, count }) =>
        h(
          "button",
          {
            key: value,
            "aria-pressed": value === category,
            onClick: () => choose({ category: value === category ? null : value, block: 0 }),
          },
          `${value}: ${count}`,
        ),
      ),
    ),
    h(
      "div",
      {
        id: "list",
        style: { height: 600, overflow: "auto" },
        onScroll: ({ currentTarget }: { currentTarget: { scrollTop: number } }) => {
          const top = Math.floor(currentTarget.scrollTop / ROW_HEIGHT / BLOCK);
          // A block above what is visible.
          const next = Math.max(0, top - 1);
          if (next !== block) choose({ block: next });
        },
      },
      h(
        "div",
        { style: { height: count * ROW_HEIGHT, position: "relative" } },
        shown.map((row, i) =>
          h(
            "div",
            {
              key: row.id,
              id: `row-${row.id}`,
              style: { position: "absolute", top: (block * BLOCK + i) * ROW_HEIGHT },
            },
            h("button", { onClick: () => like(row, row.price) }, row.favourite ? "★" : "☆"),
            // What the schema refuses.
            h("button", { className: "wrong", onClick: () => like(row, 0.5) }, "!"),
            ` ${row.name} ${row.price}`,
          ),
        ),
      ),
    ),
  );
}

export const App = (props: Props): ReactNode =>
  h(StrictMode, null, h(Suspense, { fallback: h(Fallback) }, h(Products, props)));
