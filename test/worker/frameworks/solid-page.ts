import { createSignal } from "solid-js";
import h from "solid-js/h";
import { render } from "solid-js/web";
import { createLive } from "../readme/others.ts";
import { db, expose, root } from "./page.ts";
import { withDone } from "./tasks.ts";

const [done, choose] = createSignal(0);
const unmount = render(() => {
  const live = () => db.live("tasks", withDone(done()));
  const tasks = createLive(live);
  return h("ul", () => tasks()?.map(({ title }) => h("li", title))) as never;
}, root);
expose({ choose, unmount });
