import { db, expose, rendered, root } from "./page.ts";
import { app, done } from "./vue.ts";

const mounted = app({ db, rendered });
mounted.mount(root);
expose({ choose: (value: number) => (done.value = value), unmount: () => mounted.unmount() });
