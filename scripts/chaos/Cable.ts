import { Effect } from "effect";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";

/** The cable between processes and their database: cut, all connections are gone at once, and new ones fail until it is mended. */
export class Cable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor(far: { readonly path: string } | { readonly host: string; readonly port: number }) {
    this.#server = createServer({ noDelay: true }, (near) => {
      if (this.#isCut) return void near.destroy();
      const socket = connect(far);
      for (const [one, other] of [
        [near, socket],
        [socket, near],
      ] as const) {
        this.#sockets.add(one);
        one.on("error", () => other.destroy());
        one.once("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
      near.pipe(socket).pipe(near);
    });
  }

  /** Laid for as long as the scope is open. */
  static readonly to = (far: ConstructorParameters<typeof Cable>[0]) =>
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<Cable>((resolve) => {
            const cable = new Cable(far);
            cable.#server.listen(0, "127.0.0.1", () => resolve(cable));
          }),
      ),
      (cable) =>
        Effect.sync(() => {
          cable.cut();
          cable.#server.close();
        }),
    );

  /** Where its near end is. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }
}
