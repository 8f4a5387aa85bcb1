import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext } from "node:tls";

/** The files of a certificate with its chain, and of its key, PEM. */
export type TlsFiles = { readonly cert: string; readonly key: string };

/** The files that the configuration names; relative paths are resolved against `baseDir`. */
export function tlsFilesOf(tls: { cert_file: string; key_file: string }, baseDir: string): TlsFiles {
  return { cert: resolve(baseDir, tls.cert_file), key: resolve(baseDir, tls.key_file) };
}

/** A certificate or its key cannot be read or used, or they do not belong together. */
export class TlsError extends Error {
  override readonly name = "TlsError";
}

/** Reads a certificate and its key. @throws TlsError that says which file is wrong and how; OpenSSL's errors do not */
export async function checkTlsFiles(files: TlsFiles): Promise<X509Certificate> {
  const cert = await load("cert_file", files.cert, "certificate (PEM)", (text) => new X509Certificate(text));
  const key = await load("key_file", files.key, "private key (PEM, without a passphrase)", createPrivateKey);
  const reason = `the private key in ${files.key} is not that of the certificate in ${files.cert}`;
  if (!cert.parsed.checkPrivateKey(key.parsed)) throw new TlsError(`server.tls.key_file: ${reason}`);
  try {
    createSecureContext({ cert: cert.text, key: key.text });
  } catch (error) {
    throw new TlsError(`server.tls: ${files.cert} cannot be used: ${(error as Error).message}`, { cause: error });
  }
  return cert.parsed;
}

async function load<T>(name: "cert_file" | "key_file", file: string, what: string, parse: (text: Buffer) => T) {
  let reason = `holds no ${what}`;
  try {
    const text = await readFile(file);
    return { text, parsed: parse(text) };
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) reason = code === "ENOENT" ? "does not exist" : `cannot be read: ${code ?? message}`;
    throw new TlsError(`server.tls.${name}: the file ${file} ${reason}`, { cause: error });
  }
}
