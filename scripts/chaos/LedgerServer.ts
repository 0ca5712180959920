import { Effect } from "effect";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback that records what arrives. The request of a killed process ends early. */
export abstract class LedgerServer {
  readonly #server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    void textOf(request).then(
      (text) => this.answer(request, text, response),
      () => undefined,
    );
  });

  protected abstract answer(
    request: IncomingMessage,
    text: string,
    response: ServerResponse,
  ): void | Promise<void>;

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Listens until the scope closes. */
  static readonly listening = <A extends LedgerServer>(ledger: A) =>
    Effect.acquireRelease(
      Effect.promise(
        () => new Promise<A>((resolve) => ledger.#server.listen(0, "127.0.0.1", () => resolve(ledger))),
      ),
      () =>
        Effect.sync(() => {
          ledger.#server.close();
          ledger.#server.closeAllConnections();
        }),
    );
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};
