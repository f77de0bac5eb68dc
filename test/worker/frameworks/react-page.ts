import { createElement as h, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "../readme/react.ts";
import { db, expose, root } from "./page.ts";

const mounted = createRoot(root);
mounted.render(h(StrictMode, null, h(App, { db })));
expose({ unmount: () => mounted.unmount() });
