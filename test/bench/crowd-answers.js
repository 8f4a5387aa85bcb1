// Loaded into the daemon of `crowd.js`: how long questions took there, ms, from the acceptance of their connection, or on a
// kept one from their arrival, to the end of the answer. What a client sees besides is the queue of connections that the
// kernel holds, and its own delay.
import { EventEmitter } from "node:events";
import { Server } from "node:http";

const seen = { accepted: [], refused: [] };
Server.prototype.emit = function (event, ...args) {
  if (event === "connection") args[0].acceptedAt = performance.now();
  if (event === "request" && args[0].method === "POST") {
    const [{ socket }, response] = args;
    const since = socket.acceptedAt ?? performance.now();
    socket.acceptedAt = undefined;
    response.once("finish", () => {
      const { statusCode } = response;
      if (statusCode === 408) return;
      seen[statusCode === 429 ? "refused" : "accepted"].push(performance.now() - since);
    });
  }
  return EventEmitter.prototype.emit.call(this, event, ...args);
};
process.on("message", () => {
  process.send({ type: "answers", ...seen });
  Object.assign(seen, { accepted: [], refused: [] });
});
process.channel.unref();
