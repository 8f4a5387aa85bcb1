import { sha256 } from "../../runtime/json/canonical-json.ts";

/** Creates a patch: the digest of the new text, then its lines, where `@FROM TO` stands for a range of lines of the old
 * text (`TO` exclusive). No line of either text may begin with `@`. */
export function patchOf(before: string, after: string): string {
  const places = new Map(before.split("\n").map((line, at) => [line, at]));
  const patch = [sha256(after)];
  let [from, to] = [-1, -1]; // The range that the last line of the patch copies.
  for (const line of after.split("\n")) {
    const at = places.get(line) ?? -1;
    if (at >= 0 && at === to) patch.pop();
    else from = at;
    to = at < 0 ? -1 : at + 1;
    patch.push(at < 0 ? line : `@${from} ${to}`);
  }
  return patch.join("\n");
}

/** Applies patches in order. Returns undefined if the result does not have the digest of the last patch. */
export function applyPatch(text: string, patches: readonly string[]): string | undefined {
  let lines = text.split("\n");
  let digest: string | undefined;
  for (const patch of patches) {
    const [own, ...changes] = patch.split("\n");
    const before = lines;
    lines = changes.flatMap((line) => {
      if (!line.startsWith("@")) return line;
      const [from, to] = line.slice(1).split(" ").map(Number);
      return before.slice(from, to);
    });
    digest = own;
  }
  const result = lines.join("\n");
  return digest === undefined || digest === sha256(result) ? result : undefined;
}
