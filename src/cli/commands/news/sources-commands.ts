import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { SourceInput } from "../../../config/edit-sources.ts";
import type { Source } from "../../../news/sources/sources.ts";
import { CommandFailure, defineCommand, defineGroup, EXIT, UsageError, type Context } from "../../framework/command.ts";
import { confirmChange } from "../../framework/confirm.ts";
import { oneOf, optional, repeatable, required, text, toggle } from "../../params/param.ts";
import { withSession } from "../../target/operations.ts";
import { printRecord, printTable } from "../../terminal/print.ts";

const MAX_BYTES = 5 * 1024 * 1024; // Of an OPML document.
const lang = optional(oneOf("zh", "en"));
const TAKEN_UP = "A daemon that is running goes on with the sources that it was started with: restart it.";
const configOf = async (context: Context) => (await import("../../target/open-config.ts")).openConfig(context);

/** Reads a header's name and value. The value may be secret, so an error does not repeat it. */
function headerLine(typed: string): readonly [string, string] {
  const [, name, value] = /^([^:]+):(.*)$/.exec(text(4096)(typed)) ?? [];
  if (name === undefined) throw new RangeError("must be NAME: VALUE");
  return [name.trim(), value!.trim()];
}

/** Opens the configuration file, which has to be valid, to change its sources. */
async function openFile(context: Context) {
  const file = context.globals.config ?? context.env["ANP_CONFIG"];
  if (!file) throw new UsageError("--config is missing: the configuration file that lists the sources.");
  const { sources } = (await configOf(context)).config.news;
  return { file: resolve(context.cwd, file), sources, ...(await import("../../../config/edit-sources.ts")) };
}

/** A source without its secrets. */
function shown({ id, name, lang, url, headers = {}, ...source }: SourceInput) {
  const { timezone = null, categories = [], weight = 1, allow_private = false } = source;
  const address = url.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
  return { id, name, lang, url: address, timezone, categories, weight, headers: Object.keys(headers), allow_private };
}

const list = defineCommand("news sources list", {
  async run(_values, context) {
    const rows = (await configOf(context)).config.news.sources.map(shown);
    await printTable(context, { table: "news sources", rows });
  },
});

const add = defineCommand("news sources add", {
  arguments: { id: required(text(64)), url: required(text(2000)) },
  options: {
    ...{ name: required(text(128)), lang, timezone: optional(text(64)), category: repeatable(text(64)) },
    ...{ weight: optional(text(10)), header: repeatable(headerLine), allowPrivate: toggle() },
  },
  async run({ category, weight, header, allowPrivate, timezone, lang, ...named }, context) {
    const { file, addSources } = await openFile(context);
    const source: SourceInput = {
      ...{ id: named.id, name: named.name, lang: lang ?? "en", url: named.url },
      ...(allowPrivate && { allow_private: true }),
      ...(timezone !== undefined && { timezone }),
      ...(category.length > 0 && { categories: [...category] }),
      ...(weight !== undefined && { weight: Number(weight) }),
      ...(header.length > 0 && { headers: Object.fromEntries(header) }),
    };
    const { fillHeaders } = await import("../../../config/load-config.ts");
    const unfilled = fillHeaders([{ ...structuredClone(source), allow_private: false }], context.env, dirname(file));
    if (unfilled.length > 0) throw new UsageError(unfilled.map((fault) => fault.replace("news.sources.0.", "")));
    for (const { faults } of (await addSources(file, [source])).refused) throw new UsageError(faults);
    await printRecord(context, shown(source));
    const assumed = `The language of ${source.id} is taken to be en: give --lang, or set its lang in ${file}.`;
    if (lang === undefined) context.terminal.say(assumed);
    await sayAdded(context, file, [source]);
  },
});

/** Says when added sources are read, and which are not: private addresses without `allow_private`, and missing files. */
async function sayAdded(context: Context, file: string, added: readonly SourceInput[]): Promise<void> {
  const { privateHost } = await import("../../../news/sources/public-fetch.ts");
  for (const { id } of added.filter(({ url, allow_private }) => !allow_private && privateHost(url) !== undefined))
    context.terminal.say(`The address of ${id} is not public: without --allow-private (allow_private) it is not read.`);
  for (const { id, url } of added.filter(({ url }) => !/^(?:https?|feed):/i.test(url))) {
    const path = resolve(dirname(file), url);
    if (!existsSync(path)) context.terminal.say(`${path} does not exist: ${id} has no items until it does.`);
  }
  context.terminal.say(TAKEN_UP);
}

const remove = defineCommand("news sources remove", {
  arguments: { source: required(text(64), "source") },
  options: { yes: toggle() },
  async run({ source: id, yes }, context) {
    const { file, removeSource } = await openFile(context);
    await confirmChange(context, yes, `Remove the source ${id}? Its items disappear at a refresh without it.`);
    const removed = await removeSource(file, id);
    if (removed === undefined) throw notListed(id);
    await printRecord(context, shown(removed));
    context.terminal.say(TAKEN_UP);
  },
});

const notListed = (id: string): CommandFailure =>
  new CommandFailure(EXIT.notFound, `There is no source ${id}. \`anp news sources list\` shows them.`);

const test = defineCommand("news sources test", {
  arguments: { source: required(text(2000), "source") },
  options: { lang, allowPrivate: toggle() },
  async run({ source: named, lang, allowPrivate }, context) {
    const { config, baseDir } = await configOf(context);
    const { sourcesOf } = await import("../../../news/sources/sources.ts");
    const { probeOptions, probeSource } = await import("../../../news/sources/probe-source.ts");
    const { remedyOf, SourceError } = await import("../../../news/sources/source-error.ts");
    const known = sourcesOf(config.news).find(({ id, location }) => id === named || location === named);
    if (known === undefined && !/^https?:/i.test(named)) throw notListed(named);
    const source: Source = known ?? { id: "", kind: "news", name: named, location: named, lang, allowPrivate };
    try {
      const found = await probeSource(source, probeOptions(config.news, { baseDir, now: () => context.clock.now() }));
      const { enableSource } = await import("../../../news/snapshot/snapshot-store.ts");
      const enabled = await withSession(context, ({ service }) => enableSource(service.storage, source.id), {
        absent: true,
      });
      await printRecord(context, { ...found, enabled });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      throw new CommandFailure(EXIT.unreachable, `${named}: ${error.message}. ${remedyOf(error)}`);
    }
  },
});

const importOpml = defineCommand("news sources import", {
  arguments: { file: required(text(4096), "file") },
  options: { lang },
  async run({ file: input, lang = "en" }, context) {
    const { file, sources, addSources } = await openFile(context);
    const { openInput } = await import("../../terminal/input-lines.ts");
    const { readBytes } = await import("../../../runtime/read-bytes.ts");
    const { sourcesOfOpml } = await import("../../../news/sources/opml-sources.ts");
    const stream = input === "-" ? context.io.stdin : (await openInput(input, context.io)).handle.createReadStream();
    const bytes = await readBytes(stream, MAX_BYTES, () => new UsageError(`FILE has more than ${MAX_BYTES} bytes.`));
    const { decodeText } = await import("../../../news/sources/decode-text.ts");
    const opml = await decodeText(bytes, null).catch(() => "");
    const candidates = sourcesOfOpml(opml, lang, sources);
    if (candidates === undefined) throw new UsageError(`FILE ${input} is not OPML.`);
    const { added, refused } = await addSources(file, candidates, true);
    const skipped = refused.filter(({ isKnown }) => isKnown);
    const wrong = refused.filter(({ isKnown }) => !isKnown);
    const open = added.flatMap(({ id, allow_private }) => (allow_private ? id : []));
    if (open.length > 0) context.terminal.say(`As FILE says, these may have private addresses: ${open.join(", ")}.`);
    for (const { source } of skipped) context.terminal.say(`${shown(source).url} is there already.`);
    await printRecord(context, { added: added.length, skipped: skipped.length, refused: wrong.length });
    await sayAdded(context, file, added);
    const faults = wrong.map((one) => `${one.source.name}: ${one.faults.join("; ")}`).join("\n");
    if (wrong.length > 0) throw new CommandFailure(EXIT.partial, faults);
  },
});

const exportOpml = defineCommand("news sources export", {
  async run(_values, context) {
    const { opmlOf } = await import("../../../news/sources/opml-sources.ts");
    await context.terminal.write(opmlOf((await configOf(context)).config.news.sources.map(shown)));
  },
});

/** The feeds of the configuration file. */
export const sources = defineGroup("news sources", { list, add, remove, test, import: importOpml, export: exportOpml });
