// A worker that answers questions, and no change.

import { serve } from "../../../src/worker/index.ts";
import { makeNotes } from "./notes.ts";

const { port1, port2 } = new MessageChannel();
serve(makeNotes(), port1);
port2.addEventListener("message", ({ data }) => postMessage(data));
port2.start();
addEventListener("message", ({ data }: MessageEvent<{ readonly method?: string }>) => {
  if (data.method !== "update") port2.postMessage(data);
});
