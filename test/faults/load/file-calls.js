// Stands between a program and node:fs/promises, so that a test can count, stop or fail what is done to files.
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/**
 * Sends the calls that the files driver makes through `around({ call, path, data }, run)`; `run(data)` does the call.
 * Returns the way back.
 */
export function interceptFileCalls(around) {
  const { open, link, mkdir, rename, unlink } = promises;

  Object.assign(promises, {
    async open(path, flags, mode) {
      const of = flags === "r" ? "folder" : "file";
      const handle = await around({ call: `open ${of}`, path }, () => open(path, flags, mode));
      const { writeFile, sync, close } = handle;
      return Object.assign(handle, {
        writeFile: (data, options) =>
          around({ call: `write ${of}`, path, data }, (changed = data) => writeFile.call(handle, changed, options)),
        sync: () => around({ call: `sync ${of}`, path }, () => sync.call(handle)),
        close: () => around({ call: `close ${of}`, path }, () => close.call(handle)),
      });
    },
    link: (from, to) => around({ call: "link", path: to }, () => link(from, to)),
    mkdir: (path, options) => around({ call: "mkdir", path }, () => mkdir(path, options)),
    rename: (from, to) => around({ call: "rename", path: to }, () => rename(from, to)),
    unlink: (path) => around({ call: "unlink", path }, () => unlink(path)),
  });
  syncBuiltinESMExports();

  return () => {
    Object.assign(promises, { open, link, mkdir, rename, unlink });
    syncBuiltinESMExports();
  };
}
