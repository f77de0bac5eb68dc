import { createSSRApp, defineComponent, h, ref } from "vue";
import { useLive } from "../readme/others.ts";
import { withDone, type TasksShown } from "./tasks.ts";

/** Which tasks it shows, for the test to choose. */
export const done = ref(0);

export const app = ({ db, rendered }: TasksShown) =>
  createSSRApp(
    defineComponent(() => {
      const tasks = useLive(() => db.live("tasks", withDone(done.value)), rendered);
      return () =>
        h(
          "ul",
          tasks.value?.map(({ id, title }) => h("li", { key: id }, title)),
        );
    }),
  );
