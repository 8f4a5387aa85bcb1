// The baseline: node:http alone, sending bytes that are ready.
import { createServer } from "node:http";

const answers = JSON.parse(process.argv[2]);
const server = createServer((request, response) => {
  const { headers, body } = answers[request.url];
  response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`raw listens on http://127.0.0.1:${server.address().port}\n`);
});
