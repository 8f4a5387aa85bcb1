// Stands between a program and node:fs, so that a test can count, stop or fail what is done to files.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Asks `faultOf({ call, path, data })` before each call that the files driver makes. Returns the way back.
 */
export function interceptFileCalls(faultOf) {
  const { open, openSync, writeFile, fsync, closeSync, link, mkdir, rename, unlink } = fs;
  /** What is open, by its number. */
  const opened = new Map();

  function later(call, run, done, undo) {
    const fault = faultOf(call);
    if (fault === undefined) run(done, call.data);
    else if (!fault.runs) process.nextTick(done, fault.error);
    else {
      run((error, result) => {
        if (error === null) undo?.(result);
        done(fault.error);
      }, fault.data ?? call.data);
    }
  }

  function now(call, run, undo) {
    const fault = faultOf(call);
    const result = fault === undefined || fault.runs ? run() : undefined;
    if (fault === undefined) return result;
    if (fault.runs) undo?.(result);
    throw fault.error;
  }

  /** A caller whose opening failed does not close. */
  const forget = (file) => {
    opened.delete(file);
    closeSync(file);
  };
  const on = (file, name, rest) => ({ call: `${name} ${opened.get(file).of}`, path: opened.get(file).path, ...rest });

  Object.assign(fs, {
    open(path, flags, mode, done) {
      const run = (opening) =>
        open(path, flags, mode, (error, file) => {
          if (error === null) opened.set(file, { of: flags === "as" ? "synced file" : "file", path });
          opening(error, file);
        });
      later({ call: "open file", path }, run, done, forget);
    },
    openSync(path, ...rest) {
      // Others read files so.
      if (fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return openSync(path, ...rest);
      const run = () => {
        const file = openSync(path, ...rest);
        opened.set(file, { of: "folder", path });
        return file;
      };
      return now({ call: "open folder", path }, run, forget);
    },
    writeFile(file, data, options, done) {
      if (!opened.has(file)) return writeFile(file, data, options, done);
      later(on(file, "write", { data }), (written, text) => writeFile(file, text, options, written), done);
    },
    fsync(file, done) {
      if (!opened.has(file)) return fsync(file, done);
      later(on(file, "sync"), (synced) => fsync(file, synced), done);
    },
    closeSync(file) {
      if (!opened.has(file)) return closeSync(file);
      now(on(file, "close"), () => forget(file));
    },
    link: (from, to, done) => later({ call: "link", path: to }, (linked) => link(from, to, linked), done),
    mkdir: (path, options, done) => later({ call: "mkdir", path }, (made) => mkdir(path, options, made), done),
    rename: (from, to, done) => later({ call: "rename", path: to }, (renamed) => rename(from, to, renamed), done),
    unlink: (path, done) => later({ call: "unlink", path }, (removed) => unlink(path, removed), done),
  });
  syncBuiltinESMExports();

  return () => {
    Object.assign(fs, { open, openSync, writeFile, fsync, closeSync, link, mkdir, rename, unlink });
    syncBuiltinESMExports();
  };
}
