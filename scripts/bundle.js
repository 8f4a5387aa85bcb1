// Bundles the program with its libraries into a few files, so that the package runs without node_modules: Node takes
// most of a command's time for finding and opening modules one by one. Beside the program lies what the router learns
// from its examples, the OpenAPI documents, the example of a configuration file, what was bundled in which version, the
// licences of that, and the files of the page /docs.
import { existsSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { build } from "rolldown";
import PACKAGE from "../package.json" with { type: "json" };
import DOCS_PAGE from "../src/http/pages/docs-page.json" with { type: "json" };

const OUTPUT = "dist/bundle";

/** Files that a module reads from beside itself, or from a folder `data` there. The compiled modules read them too. */
const readFiles = (await readdir("src", { recursive: true })).filter((file) =>
  /\.(br|wasm|md|txt|lua|bash|zsh|fish)$/.test(file),
);
for (const file of readFiles) await copyData(file, join("dist", file));
/** Modules read these files from beside themselves too. The compiled modules make them, with the data files copied above. */
const { trainedRouter } = await import("./train-router.js");
const { openApiDocument } = await import("./write-openapi.js");
const { adminOpenApi } = await import("./write-admin-openapi.js");
const { exampleConfig } = await import("./write-config-example.js");
const made = {
  "assistant/routing/router.trained": trainedRouter(),
  "contract/openapi/openapi.written": await openApiDocument(PACKAGE.version),
  "http/admin/admin-openapi.written": await adminOpenApi(PACKAGE.version),
  "config/config-example.written": await exampleConfig(),
};
for (const [file, content] of Object.entries(made)) await writeFile(join("dist", file), content);

const SWAGGER_UI = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));

/** listhen loads node-forge to sign certificates of its own: 0.7 MB for what `anp serve` never does. */
const withoutSelfSigning = {
  name: "without-self-signing",
  resolveId: (id) => (id === "node-forge" ? "\0no-node-forge" : null),
  load: (id) => (id === "\0no-node-forge" ? "export default undefined;" : null),
};

/** zod words its errors in 60 languages, and English comes from elsewhere: 0.3 MB that each command would parse. */
const withoutLanguages = {
  name: "without-languages",
  load: (id) => (id.endsWith("/zod/v4/locales/index.js") ? "export {};" : null),
};

/** What the licence of the dictionary asks for. */
const CC_CEDICT =
  "The file cc-cedict.tsv is made of CC-CEDICT (https://cc-cedict.org), by MDBG and its editors: its glosses are shortened, " +
  "stemmed and inverted. The vectors in term-vectors began as those of the glosses in GloVe (https://nlp.stanford.edu/projects/glove, " +
  "by Jeffrey Pennington, Richard Socher and Christopher D. Manning; public domain), and those in title-network and answer-network as theirs. Like CC-CEDICT they are licensed under Creative Commons Attribution-ShareAlike 4.0 International " +
  "(https://creativecommons.org/licenses/by-sa/4.0/).";

const thirdParty = {
  name: "third-party",
  async generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
    const packages = [...(await packagesOf(modules)), await packageAt(SWAGGER_UI)];
    const listed = packages.map(({ name, version, license, engines }) => ({ name, version, license, engines }));
    const emit = (fileName, source) => this.emitFile({ type: "asset", fileName, source });
    emit("packages.json", `${JSON.stringify(listed, null, 2)}\n`);
    emit("THIRD-PARTY-LICENSES.txt", thirdPartyLicenses(packages));
  },
};

/** The entries of worker threads: every `src/ROOM/NAME-worker.ts`. */
const rooms = await readdir("src", { withFileTypes: true });
const files = await Promise.all(rooms.filter((room) => room.isDirectory()).map(({ name }) => sourcesOf(name)));
const workers = files.flat().filter((file) => file.endsWith("-worker.ts"));

/** Modules that are loaded together, in one file each group: what every command loads, and what those on a storage of files
 * load besides. Of each root, all that it imports when it is loaded. */
const TOGETHER = {
  start: ["src/cli/main.ts", "src/cli/help/command-help.ts"],
  accounts: [
    "src/cli/target/open-session.ts",
    "src/cli/target/open-config.ts",
    "src/admin/find-users.ts",
    "src/contract/validation/validate-request.ts",
    "src/service/accounts-service.ts",
    "src/storage/open-storage.ts",
    "src/storage/fs/fs-driver.ts",
  ],
};

const groups = Object.entries(TOGETHER).map(([name, roots], order) => {
  let members;
  const closure = (graph) => {
    const found = new Set();
    const add = (id) => {
      if (found.has(id)) return;
      found.add(id);
      for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) add(imported);
    };
    for (const root of roots) add(resolve(root));
    return found;
  };
  return {
    debugName: name,
    name: (id, graph) => ((members ??= closure(graph)).has(id) ? name : null),
    priority: 9 - order,
  };
});

await build({
  input: { anp: "src/cli/anp.ts", ...Object.fromEntries(workers.map((file) => [basename(file, ".ts"), file])) },
  platform: "node",
  transform: { define: { "import.meta.env": "undefined" } }, // A script has no `import.meta`.
  plugins: [withoutSelfSigning, withoutLanguages, thirdParty],
  logLevel: "warn",
  output: {
    dir: OUTPUT,
    // Not ES modules: V8 keeps compiled code of scripts alone.
    format: "cjs",
    dynamicImportInCjs: false, // Of Node's own modules: a script cannot import.
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    sourcemap: true,
    cleanDir: true,
    hashCharacters: "base36",
    codeSplitting: { groups },
  },
});

for (const file of readFiles) {
  const folder = basename(dirname(file)) === "data" ? "data" : "";
  await copyData(file, join(OUTPUT, folder, basename(file)));
}
for (const [file, content] of Object.entries(made)) await writeFile(join(OUTPUT, basename(file)), content);
const found = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" });
await writeFile(join(OUTPUT, "commit"), found.status === 0 ? found.stdout.trim() : "");
const docs = join(OUTPUT, "docs");
await cp("src/http/pages/docs", docs, { recursive: true });
for (const file of DOCS_PAGE.files) await cp(join(SWAGGER_UI, file), join(docs, file));
await keepCode();

/** Keeps the code that V8 compiles for commands that are as short as they are frequent. */
async function keepCode() {
  const loader = join(OUTPUT, "loader.cjs");
  await cp("src/bundle-loader.cjs", loader);
  const folder = await mkdtemp(join(tmpdir(), "anp-build-"));
  const onFolder = (args) => [...args, "--storage", `fs:${folder}`];
  const commands = [
    ["--help"],
    ...[
      ["users", "create", "u"],
      ["quota", "u"],
      ["ledger", "u"],
    ].map(onFolder),
  ];
  const script = `
    const { load, keepCode } = require(${JSON.stringify(resolve(loader))});
    (async () => {
      for (const args of ${JSON.stringify(commands)}) {
        process.argv.splice(2, Infinity, ...args);
        await load("anp.cjs").run();
      }
      if (process.exitCode === 0) keepCode();
    })();`;
  // The settings of whoever builds are not for these commands.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ANP_")));
  const { status, stderr } = spawnSync(process.execPath, ["-e", script, "anp"], { encoding: "utf8", env });
  await rm(folder, { recursive: true });
  if (status !== 0) throw new Error(`The build cannot run the program: ${stderr}`);
}

/** Copies a data file of `src`; without its compression, if it has one, and the end of its name. */
async function copyData(file, to) {
  if (!file.endsWith(".br")) return cp(join("src", file), to);
  await writeFile(to.slice(0, -".br".length), brotliDecompressSync(await readFile(join("src", file))));
}

async function sourcesOf(room) {
  return (await readdir(join("src", room))).map((file) => join("src", room, file));
}

/** The packages that modules of these paths come from, by name. */
async function packagesOf(modules) {
  const folders = modules.filter((path) => path.includes("/node_modules/")).map((path) => folderOf(dirname(path)));
  const packages = await Promise.all([...new Set(folders)].map(packageAt));
  const byId = new Map(packages.map((found) => [`${found.name} ${found.version}`, found]));
  return Array.from(byId.keys())
    .sort()
    .map((id) => byId.get(id));
}

/** The innermost folder that was installed as a package; some packages hold copies of others. */
function folderOf(path) {
  const isInstalled = /\/node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && existsSync(join(path, "package.json"));
  return isInstalled ? path : folderOf(dirname(path));
}

/** The package in a folder: what its package.json says of it, and the texts of its licence. */
async function packageAt(folder) {
  const { name, version, license, engines } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const isLicence = (file) => /^(third_party_)?(licen[cs]e|copying|notice)|\.license\.txt$/i.test(file);
  const found = (await readdir(folder, { withFileTypes: true })).filter((entry) => isLicence(entry.name));
  const listed = found.map(async (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? (await readdir(path)).map((file) => join(path, file)) : path;
  });
  const files = (await Promise.all(listed)).flat();
  const texts = await Promise.all(files.sort().map((file) => readFile(file, "utf8")));
  return { name, version, license, engines, texts };
}

/** One text with the licences of all packages. */
function thirdPartyLicenses(packages) {
  const parts = packages.map(({ name, version, license, texts }) =>
    [`${name} ${version}: ${license ?? "see below"}`, ...texts.map((text) => text.trim())].join("\n\n"),
  );
  return `This program contains the following packages.\n\n${[...parts, CC_CEDICT].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
