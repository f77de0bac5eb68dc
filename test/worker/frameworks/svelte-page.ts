import { flushSync, hydrate, unmount } from "svelte";
import Tasks from "./Tasks.svelte";
import { chosen } from "./chosen.svelte.js";
import { db, expose, rendered, root } from "./page.ts";

const mounted = hydrate(Tasks, { target: root, props: { db, rendered, chosen } });
expose({
  choose: (done: number) => flushSync(() => (chosen.done = done)),
  unmount: () => unmount(mounted),
});
