/**
 * The address of a daemon.
 *
 * @throws RangeError for anything but an http or https URL without user, query and fragment
 */
export function readUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new RangeError(`must be a URL such as http://127.0.0.1:8787, not ${JSON.stringify(text)}`);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new RangeError("must be an http or https URL");
  if (url.username !== "" || url.password !== "") throw new RangeError("must not contain a user or a password");
  if (url.search !== "" || url.hash !== "") throw new RangeError("must not contain a query or a fragment");
  return url;
}
