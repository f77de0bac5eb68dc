// `npm run playground`: builds the page and serves it on loopback, until it is interrupted.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildPage } from "./build.ts";

const { html } = await buildPage();
const server = createServer((request, response) => {
  const isPage = request.method === "GET" && request.url === "/";
  response.writeHead(isPage ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
  response.end(isPage ? html : "");
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/\n`);
});
