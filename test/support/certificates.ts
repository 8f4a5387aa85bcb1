import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./folder.ts";

const run = promisify(execFile);

/** A certificate authority made for one test, and a server's certificate that it signed for the loopback. */
export interface Certificates {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  remove(): Promise<void>;
}

/** Makes certificates for `localhost` and `127.0.0.1`, good for a day. */
export async function makeCertificates(): Promise<Certificates> {
  const { path, remove } = await temporaryFolder();
  const file = (name: string): string => join(path, name);
  const openssl = (...args: string[]): Promise<unknown> => run("openssl", args, { cwd: path });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl(
    "req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.crt", "-days", "1", "-subj", "/CN=test authority",
  ); // prettier-ignore
  await openssl("req", ...newKey, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  await writeFile(file("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
  await openssl(
    "x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "server.crt",
    "-days", "1", "-extfile", "names",
  ); // prettier-ignore
  return { caFile: file("ca.crt"), certFile: file("server.crt"), keyFile: file("server.key"), remove };
}
