import { createElement as h } from "react";
import { hydrateRoot } from "react-dom/client";
import { connect } from "../../../src/worker/index.ts";
import { App, drawn, type ProductsDb, type Rendered } from "./products.ts";

const db = connect<ProductsDb>(new Worker("worker.js", { type: "module" }));
const json = document.querySelector("#rendered")?.textContent ?? "";
const rendered = JSON.parse(json) as Rendered;
const errors: string[] = [];
const root = hydrateRoot(
  document.querySelector("#root") ?? document.body,
  h(App, { db, rendered }),
  {
    onRecoverableError: (error) => errors.push(String(error)),
  },
);
Object.assign(globalThis, { drawn, errors, db, unmount: () => root.unmount() });
