import { Context, Effect, Layer } from "effect";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { Dice } from "../sending/Dice.ts";

/** What the network does with a connection. All times are in milliseconds. */
interface Faults {
  /** Nothing passes, and neither side notices. */
  readonly isMuted: boolean;
  /** Delay in each direction. */
  readonly delay: number;
  /** Bytes that pass in each direction per tenth of a second; null for no limit. */
  readonly trickle: number | null;
}

const healthy: Faults = { isMuted: false, delay: 0, trickle: null };

class Line {
  faults = healthy;
  /** Bytes that trickle to a socket. */
  readonly #waiting = new Map<Socket, Array<Buffer>>();
  readonly client: Socket;
  readonly server: Socket;

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
    }
  }

  /**
   * Passes bytes on, after the delay and at the rate of the connection. Both are real time, as in a network.
   */
  pass(bytes: Buffer, to: Socket): void {
    const { delay, isMuted, trickle } = this.faults;
    if (isMuted) return;
    const waiting = this.#waiting.get(to);
    if (waiting !== undefined) waiting.push(bytes);
    else if (trickle !== null) this.#trickle([bytes], to, trickle);
    else if (delay > 0) globalThis.setTimeout(() => this.#write(bytes, to), delay);
    else this.#write(bytes, to);
  }

  #write(bytes: Buffer, to: Socket): void {
    if (!this.faults.isMuted && !to.destroyed) to.write(bytes);
  }

  /** Passes some bytes every tenth of a second, until none wait. */
  #trickle(chunks: Array<Buffer>, to: Socket, count: number): void {
    const bytes = Buffer.concat(chunks);
    if (bytes.length === 0 || to.destroyed) return void this.#waiting.delete(to);
    this.#write(bytes.subarray(0, count), to);
    const rest = [bytes.subarray(count)];
    this.#waiting.set(to, rest);
    globalThis.setTimeout(() => this.#trickle(rest, to, count), 100);
  }

  /** Resets the connection on both sides. */
  reset(): void {
    this.client.destroy();
    this.server.destroy();
  }
}

/** A network in front of PostgreSQL, on a Unix socket, whose faults a test sets. */
export class FaultyNetwork extends Context.Service<FaultyNetwork>()("waypost/test/FaultyNetwork", {
  make: Effect.gen(function* () {
    const { socketPath } = inject("testServer");
    const lines = new Set<Line>();
    let faults = healthy;
    let refuses = false;
    let resets: { readonly dice: Dice; readonly share: number } | null = null;
    let roundTrips = 0;
    let isAnswered = true;

    const connect = (client: Socket): void => {
      if (refuses) return void client.on("error", () => undefined).resume();
      const line = new Line(client, createConnection(socketPath));
      line.faults = faults;
      lines.add(line);
      client.on("close", () => lines.delete(line));
      client.on("data", (bytes: Buffer) => {
        if (isAnswered) roundTrips += 1;
        isAnswered = false;
        if (resets !== null && resets.dice.chance(resets.share)) return line.reset();
        line.pass(bytes, line.server);
      });
      line.server.on("data", (bytes: Buffer) => {
        isAnswered = true;
        line.pass(bytes, client);
      });
    };

    const { path } = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = await mkdtemp(join(tmpdir(), "waypost-network-"));
        const server = createServer(connect).listen(join(folder, ".s.PGSQL.5432"));
        await once(server, "listening");
        return { folder, server, path: join(folder, ".s.PGSQL.5432") };
      }),
      ({ folder, server }) =>
        Effect.promise(async () => {
          server.close();
          for (const line of lines) line.reset();
          await rm(folder, { recursive: true, force: true });
        }),
    );

    return {
      /** The socket of the database, through this network. */
      path,
      /** The number of open connections. */
      connections: () => lines.size,
      /** Sets the faults of all connections, and of those that are opened later. */
      set: (changed: Partial<Faults>): void => {
        faults = { ...healthy, ...changed };
        for (const line of lines) line.faults = faults;
      },
      /** Mutes the open connections. New ones work. */
      muteOpen: (): void => {
        for (const line of lines) line.faults = { ...line.faults, isMuted: true };
      },
      /** Whether new connections get no answer. */
      refuse: (value: boolean): void => {
        refuses = value;
      },
      /** Resets a share of the connections at each message of a client; null for none. */
      reset: (value: typeof resets): void => {
        resets = value;
      },
      /**
       * Counts the times that clients sent messages after an answer. Needs a delay, so that answers are not
       * early.
       */
      countRoundTrips: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          roundTrips = 0;
          isAnswered = true;
          yield* effect;
          return roundTrips;
        }),
    };
  }),
}) {
  static readonly layer = Layer.effect(FaultyNetwork, FaultyNetwork.make);
}
