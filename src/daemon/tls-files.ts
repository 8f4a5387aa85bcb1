import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";

/** The files of a certificate, PEM. */
export interface TlsFiles {
  /** Certificate and its chain. */
  readonly cert: string;
  readonly key: string;
}

/** The files that the configuration names; relative paths are resolved against `baseDir`. */
export function tlsFilesOf(tls: { cert_file: string; key_file: string }, baseDir: string): TlsFiles {
  return { cert: resolve(baseDir, tls.cert_file), key: resolve(baseDir, tls.key_file) };
}

/** A certificate or its key cannot be read or used, or they do not belong together. */
export class TlsError extends Error {
  override readonly name = "TlsError";
}

/** Reads a certificate and its key.
 * @throws TlsError that says which file is wrong and how; OpenSSL's own errors name neither */
export async function checkTlsFiles({ cert, key }: TlsFiles): Promise<X509Certificate> {
  const [certText, keyText] = [await read("cert_file", cert), await read("key_file", key)];
  const certificate = parsed("cert_file", cert, "certificate (PEM)", () => new X509Certificate(certText));
  const secret = parsed("key_file", key, "private key (PEM, without a passphrase)", () => createPrivateKey(keyText));
  if (!certificate.checkPrivateKey(secret)) {
    throw new TlsError(`server.tls.key_file: the private key in ${key} is not that of the certificate in ${cert}`);
  }
  try {
    createSecureContext({ cert: certText, key: keyText });
  } catch (error) {
    throw new TlsError(`server.tls: ${cert} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  return certificate;
}

type TlsKey = "cert_file" | "key_file";

async function read(name: TlsKey, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "does not exist" : `cannot be read: ${code ?? message}`;
    throw new TlsError(`server.tls.${name}: the file ${file} ${reason}`, { cause: error });
  }
}

function parsed<T>(name: TlsKey, file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new TlsError(`server.tls.${name}: the file ${file} holds no ${what}`, { cause: error });
  }
}
