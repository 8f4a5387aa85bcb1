import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { TlsError, type TlsFiles } from "./listen.ts";

/**
 * Reads a certificate and its key, and says which file is wrong and how; what OpenSSL says names neither.
 *
 * @throws TlsError
 */
export async function checkTlsFiles({ cert, key }: TlsFiles): Promise<X509Certificate> {
  const [certText, keyText] = [await read("cert_file", cert), await read("key_file", key)];
  const certificate = parsed("cert_file", cert, "certificate (PEM)", () => new X509Certificate(certText));
  const secret = parsed("key_file", key, "private key (PEM, without a passphrase)", () => createPrivateKey(keyText));
  if (!certificate.checkPrivateKey(secret)) {
    throw new TlsError(`server.tls.key_file: the private key in ${key} is not that of the certificate in ${cert}`);
  }
  return certificate;
}

type TlsKey = "cert_file" | "key_file";

async function read(name: TlsKey, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "is not there" : `cannot be read: ${code ?? message}`;
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
