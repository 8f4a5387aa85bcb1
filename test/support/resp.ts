/** Cuts a stream of the Redis protocol (RESP2) into messages. */
export interface RespFraming {
  /** Takes more bytes; gives the messages that are complete by now. */
  push(chunk: Buffer): Buffer[];
}

export function createRespFraming(): RespFraming {
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Buffer[] = [];
      let start = 0;
      for (let end = endOf(rest, start); end !== undefined; end = endOf(rest, start)) {
        messages.push(rest.subarray(start, end));
        start = end;
      }
      rest = rest.subarray(start);
      return messages;
    },
  };
}

/** The words of a request. */
export function wordsOf(request: Buffer): string[] {
  const words: string[] = [];
  let at = request.indexOf("\r\n") + 2;
  while (at < request.length) {
    const text = request.indexOf("\r\n", at) + 2;
    const length = Number(request.toString("latin1", at + 1, text - 2));
    words.push(request.toString("utf8", text, text + length));
    at = text + length + 2;
  }
  return words;
}

/** Where the message that starts at `start` ends; undefined when it is not all there. */
function endOf(bytes: Buffer, start: number): number | undefined {
  const line = bytes.indexOf("\r\n", start);
  if (line === -1) return undefined;
  const type = String.fromCharCode(bytes[start]!);
  const after = line + 2;
  if (type === "+" || type === "-" || type === ":") return after;
  const length = Number(bytes.toString("latin1", start + 1, line));
  if (type === "$") {
    const end = length < 0 ? after : after + length + 2;
    return end > bytes.length ? undefined : end;
  }
  if (type !== "*") throw new Error(`This is no RESP2: ${JSON.stringify(bytes.toString("latin1", start, line))}`);
  let end: number | undefined = after;
  for (let item = 0; item < length && end !== undefined; item++) end = endOf(bytes, end);
  return end;
}
