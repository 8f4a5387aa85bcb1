// Kills the process right before a step that it is told: the n-th call on the storage, the n-th of those that write, or
// the n-th call on its files.
import { itemKey } from "../../../dist/storage/keys.js";
import { interceptFileCalls } from "./file-calls.js";

const READS = ["get", "has", "getMany"];
const WRITES = ["create", "createAfter", "put", "remove"];
/** What a temporary file is called beside the name it will get. */
const UNIQUE = /\.[0-9a-f-]{36}-\d+\.tmp$/;

/** A storage, and the way to arm a stop; the steps since then are kept by their names. */
export function stoppable(storage) {
  let armed = { level: "none" };
  let steps = [];

  function step(level, name) {
    if (armed.level !== level) return;
    steps.push(name);
    if (steps.length === armed.before) process.kill(process.pid, "SIGKILL");
  }

  const spell = (key) =>
    key
      .map((segment) => segment.text ?? segment)
      .join("/")
      .replaceAll(":", "/");
  const watched = { ...storage };
  for (const verb of [...READS, ...WRITES]) {
    watched[verb] = (key, ...rest) => {
      const name = `${verb === "createAfter" ? "create" : verb} ${spell((verb === "getMany" ? key[0] : key) ?? [])}`;
      step("storage", name);
      if (WRITES.includes(verb)) step("writes", name);
      return storage[verb](key, ...rest);
    };
  }
  for (const [verb, name, level] of [
    ["append", "create", "writes"],
    ["laterItem", "has", "reads"],
  ]) {
    watched[verb] = (stream, number, ...rest) => {
      const [, { first } = {}] = rest;
      if (first !== undefined) {
        step("storage", `create ${spell(first.key)}`);
        step("writes", `create ${spell(first.key)}`);
      }
      const at = `${name} ${spell(itemKey(stream, verb === "append" ? number : number + 1))}`;
      step("storage", at);
      step(level, at);
      return storage[verb](stream, number, ...rest);
    };
  }
  interceptFileCalls(({ call, path }) => {
    step("files", `${call} ${path.replace(UNIQUE, ".tmp").split("/").slice(-2).join("/")}`);
    return undefined;
  });

  return {
    storage: watched,
    steps: () => steps,
    /** A step that is none of the storage. */
    reached: (name) => step(armed.level, name),
    arm(stop) {
      armed = stop;
      steps = [];
    },
  };
}
