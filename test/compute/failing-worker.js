// A worker that never gets ready. It is started by worker-runner.test.ts.
throw new Error("no jobs");
