/**
 * The three push providers in one process, at little cost: every complete request is accepted. FCM with its
 * tokens and Web Push use HTTP/1.1, APNs HTTP/2 with prior knowledge. Prints the addresses of both.
 */
import { createServer as createHttp2 } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";

const separator = "\r\n\r\n";
const response = (status: string, body: string): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}${separator}${body}`;
const token = response(
  "200 OK",
  JSON.stringify({ access_token: `ya29.${"t".repeat(200)}`, expires_in: 3599 }),
);
const accepted = response("200 OK", JSON.stringify({ name: "projects/bench/messages/0:1500415314455276" }));
const created = response("201 Created", "");

const converse = (socket: Socket): void => {
  let received = "";
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  socket.on("data", (chunk: string) => {
    received += chunk;
    let responses = "";
    while (true) {
      const end = received.indexOf(separator);
      if (end === -1) break;
      const head = received.slice(0, end);
      const length = end + separator.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < length) break;
      received = received.slice(length);
      responses += head.startsWith("POST /token")
        ? token
        : head.startsWith("POST /v1/projects/")
          ? accepted
          : created;
    }
    if (responses !== "") socket.write(responses, "latin1");
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
