// A certificate that is its own root, made for a test.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate } from "../engines/postgres-server.ts";
import { pathOf } from "../engines/system.ts";

/** Whether one can be made here. */
export const makesCertificates = pathOf("openssl") !== undefined;

/** @param host the subject's alternative name, such as `IP:127.0.0.1` */
export function selfSigned(host: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "tercet-certificate-"));
  const [certificate, key] = [join(folder, "server.crt"), join(folder, "server.key")];
  try {
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tercet"],
        ...["-addext", `subjectAltName=${host}`, "-keyout", key, "-out", certificate],
      ],
      { stdio: "ignore" },
    );
    return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
