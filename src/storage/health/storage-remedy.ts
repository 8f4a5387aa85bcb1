import REMEDIES from "./storage-remedies.json" with { type: "json" };

/** What an operator can do about a failure of the storage: the first remedy whose pattern its message matches.
 * @param setting the flag or key that names the storage, as `--storage` */
export function storageRemedy(message: string, setting = "`storage`"): string {
  const found = Object.entries(REMEDIES).find(([pattern]) => new RegExp(pattern).test(message));
  return (found?.[1] ?? "Check {setting}, and that it can be reached and written.").replace("{setting}", setting);
}
