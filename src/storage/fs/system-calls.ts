import * as fs from "node:fs";
import { promisify } from "node:util";

// These take half the CPU time of `node:fs/promises`, which allocates a handle for each file. They run in the thread
// pool: a synchronous call would block the main thread while the file system writes its journal.

type Done = fs.NoParamCallback;

export const open = promisify<string, string, number, number>((path, flags, mode, done) =>
  fs.open(path, flags, mode, done),
);
/** Writes all of a text, where one system call may write a part. */
export const writeAll = promisify((file: number, text: string, done: Done) => fs.writeFile(file, text, "utf8", done));
export const sync = promisify((file: number, done: Done) => fs.fsync(file, done));
export const readFile = promisify<string, string>((path, done) => fs.readFile(path, "utf8", done));
export const readBytes = promisify<string, Buffer>((path, done) => fs.readFile(path, done));
export const link = promisify((from: string, to: string, done: Done) => fs.link(from, to, done));
export const rename = promisify((from: string, to: string, done: Done) => fs.rename(from, to, done));
export const unlink = promisify((path: string, done: Done) => fs.unlink(path, done));
export const mkdir = promisify((path: string, mode: number, done: Done) => fs.mkdir(path, mode, done));
