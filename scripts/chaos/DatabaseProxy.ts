import { Effect } from "effect";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy between processes and their database that can be cut: connections break, and new ones fail. */
export class DatabaseProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor(target: { readonly path: string } | { readonly host: string; readonly port: number }) {
    this.#server = createServer({ noDelay: true }, (client) => {
      if (this.#isCut) return void client.destroy();
      const upstream = connect(target);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.once("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
      client.pipe(upstream).pipe(client);
    });
  }

  /** Listens until the scope closes. */
  static readonly to = (target: ConstructorParameters<typeof DatabaseProxy>[0]) =>
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<DatabaseProxy>((resolve) => {
            const proxy = new DatabaseProxy(target);
            proxy.#server.listen(0, "127.0.0.1", () => resolve(proxy));
          }),
      ),
      (proxy) =>
        Effect.sync(() => {
          proxy.cut();
          proxy.#server.close();
        }),
    );

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }
}
