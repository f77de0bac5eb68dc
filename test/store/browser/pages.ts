// Pages of a browser that use stores: a server on loopback, and bundles of programs for workers.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { build, type Plugin } from "esbuild";

/** What `build.ts` does by the condition `browser`: there are no files of the system. */
const withoutSystem: Plugin = {
  name: "no files of the system",
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]system-disk\.ts$/ }, () => ({
      contents: "export const systemDisk = undefined;",
    }));
  },
};

/** What programs import as users do. */
const alias = {
  tercet: resolve("src/index.ts"),
  "tercet/store": resolve("src/store/index.ts"),
  "tercet/worker": resolve("src/worker/index.ts"),
};

/** A program with all that it imports, for a page or a worker. It must not need Node.js. */
export async function bundleFor(program: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: ".", loader: "ts" },
    bundle: true,
    // The package has no side effects, but its tests have.
    ignoreAnnotations: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "chrome111",
    alias,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [withoutSystem],
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript" };

/** Serves files from memory. */
export async function serve(files: Readonly<Record<string, string>>): Promise<{
  readonly origin: string;
  readonly server: Server;
}> {
  const server = createServer(({ url = "/" }, response) => {
    const [asked = ""] = url.split("?");
    const path = asked === "/" ? "/index.html" : asked;
    const text = files[path];
    const type = TYPES[path.split(".").at(-1) ?? ""] ?? "text/plain";
    response.writeHead(text === undefined ? 404 : 200, { "Content-Type": type });
    response.end(text ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, server };
}
