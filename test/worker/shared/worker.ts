// A shared worker, which serves each page that connects, and tells all pages when a connection has ended.

import { serve } from "../../../src/worker/index.ts";
import { makeNotes } from "./notes.ts";

const db = makeNotes();
const ended = new BroadcastChannel("ended");

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  void serve(db, port).closed.then(({ message }) => ended.postMessage(message));
});
