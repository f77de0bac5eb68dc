// Runs a server for as long as the process lives that asked for it. A test that is killed takes no
// server down by itself; the keeper notices that its parent is gone, ends the server and removes its
// folder.
//
// Its one argument is JSON: the command, its parameters, as which user, the folder, the signal that ends
// it. It tells its parent the process id.

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import process from "node:process";

const { command, parameters, user, folder, signal, environment } = JSON.parse(process.argv[2]);

const server = spawn(command, parameters, {
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, ...environment },
  cwd: folder,
  ...(user === undefined ? {} : { uid: user, gid: user }),
});
server.on("spawn", () => process.send(server.pid));
server.on("error", ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
});

let isAbandoned = false;
process.on("disconnect", () => {
  isAbandoned = true;
  server.kill(signal);
});
// What ends the test from the keyboard reaches its children too; the server is ended when it is gone.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);

server.on("exit", (code) => {
  if (isAbandoned) rmSync(folder, { recursive: true, force: true });
  process.exit(code ?? 1);
});
