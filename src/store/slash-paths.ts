// Paths of disks that have no current folder: names after slashes, such as `/shop/store.json`.

import type { Paths } from "./disk.ts";

/** The names in a path, without `.` and `..`. */
function namesIn(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

export const slashPaths: Paths = {
  join: (folder, name) => (folder === "/" ? `/${name}` : `${folder}/${name}`),
  dirname: (path) => path.slice(0, path.lastIndexOf("/")) || "/",
  basename: (path) => path.slice(path.lastIndexOf("/") + 1),
  resolve: (path) => `/${namesIn(path).join("/")}`,
};
