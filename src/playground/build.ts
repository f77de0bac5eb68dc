// Makes the page: one HTML file that contains its style and its program, which is that of the worker, too.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type BuildOptions, type Metafile } from "esbuild";
import { minify } from "terser";
import { lean, leanPage } from "./lean.ts";

export interface Page {
  readonly html: string;
  /** What went into it. */
  readonly inputs: readonly Metafile[];
}

const common = {
  bundle: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: "es2023",
  write: false,
  metafile: true,
  logLevel: "warning",
  legalComments: "none",
  define: { "process.env.NODE_ENV": '"production"' },
} satisfies BuildOptions;

export interface PageOptions {
  /** The licences of what is in some bundles, which the file then carries. */
  readonly noticesOf?: (...inputs: Metafile[]) => string;
  /** Whether terser makes it smaller, which takes ten seconds. Default: false. */
  readonly isSmall?: boolean;
}

export async function buildPage({ noticesOf, isSmall = false }: PageOptions = {}): Promise<Page> {
  const programOf = isSmall ? smaller : textOf;
  const built = await build({
    ...common,
    entryPoints: [path("main.ts")],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [lean, leanPage],
  });
  const style = await build({ ...common, entryPoints: [path("style.css")] });
  const inputs = [built.metafile];
  const program = await programOf(built);
  const notices = noticesOf?.(...inputs).replaceAll("--", "- -") ?? "";
  const html = readFileSync(path("page.html"), "utf8")
    .replace("/* STYLE */", () => textOf(style).trim())
    // What would end the script, or make the parser take it for a comment, is written otherwise.
    .replace("/* SCRIPT */", () => program.replace(/<(?=\/script|!--|script)/gi, "\\x3C"))
    .replace("</html>", () => `</html>\n<!--\n${notices}\n-->`);
  return { html, inputs };
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

interface Built {
  readonly outputFiles: readonly { readonly text: string }[];
}

function textOf({ outputFiles: [file] }: Built): string {
  if (file === undefined) throw new Error("esbuild made no file");
  return file.text;
}

/** The program minified by terser, too: the page is 10 kB smaller than by esbuild alone, gzipped. */
async function smaller(built: Built): Promise<string> {
  const { code } = await minify(textOf(built), {
    ecma: 2020,
    compress: { passes: 3, keep_fargs: false },
    format: { comments: false },
  });
  if (code === undefined) throw new Error("terser made no program");
  return code;
}
