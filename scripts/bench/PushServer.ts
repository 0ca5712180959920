/**
 * The three push services in one process, at as little cost as possible: whatever comes in whole is accepted. FCM with its tokens and Web Push over
 * HTTP/1.1, APNs over HTTP/2 with prior knowledge. It says where both listen.
 */
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";

const separator = "\r\n\r\n";
const answer = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${separator}${body}`;
const token = answer("200 OK", JSON.stringify({ access_token: `ya29.${"t".repeat(200)}`, expires_in: 3599 }));
const taken = answer("200 OK", JSON.stringify({ name: "projects/bench/messages/0:1500415314455276" }));
const created = answer("201 Created", "");

const converse = (socket: Socket): void => {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("data", (chunk: string) => {
    received += chunk;
    let answers = "";
    while (true) {
      const end = received.indexOf(separator);
      if (end === -1) break;
      const head = received.slice(0, end);
      const length = end + separator.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < length) break;
      received = received.slice(length);
      answers += head.startsWith("POST /token")
        ? token
        : head.startsWith("POST /v1/projects/")
          ? taken
          : created;
    }
    if (answers !== "") socket.write(answers, "latin1");
  });
};

const plain = createServer({ noDelay: true }, converse);
const apns = createHttp2({ settings: { maxConcurrentStreams: 1_000 } });
apns.on("stream", (stream) => {
  stream.on("error", () => {});
  stream.resume();
  stream.on("end", () => stream.respond({ ":status": 200 }, { endStream: true }));
});

const portOf = (server: { address: () => unknown }): number => (server.address() as AddressInfo).port;
plain.listen(0, "127.0.0.1", () => {
  apns.listen(0, "127.0.0.1", () => {
    console.log(
      `Services are listening on http://127.0.0.1:${portOf(plain)},http://127.0.0.1:${portOf(apns)}`,
    );
  });
});
process.on("SIGTERM", () => process.exit(0));
