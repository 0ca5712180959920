import { Clock, Context, Effect, Layer, Schedule } from "effect";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import { listening, scopedFolder } from "../Listening.ts";
import type { Dice } from "../sending/Dice.ts";

/** The network's effect on a connection. All times are in milliseconds. */
interface Faults {
  /** Nothing passes, and neither side notices. */
  readonly isMuted: boolean;
  /** Delay in each direction, in steps of 10 milliseconds. */
  readonly delay: number;
  /** Bytes that pass in each direction per tenth of a second; null for no limit. */
  readonly trickle: number | null;
}

const healthy: Faults = { isMuted: false, delay: 0, trickle: null };

/** How often delayed bytes are passed on, in milliseconds. */
const tickMillis = 10;
const ticksPerTrickle = 100 / tickMillis;

/** The bytes on their way to a socket, in order, each with the tick at which it may arrive. */
class Direction {
  readonly #to: Socket;
  #waiting: Array<{ readonly bytes: Buffer; readonly dueAt: number }> = [];

  constructor(to: Socket) {
    this.#to = to;
  }

  send(bytes: Buffer, { delay, isMuted, trickle }: Faults, tick: number): void {
    if (isMuted) return;
    if (delay === 0 && trickle === null && this.#waiting.length === 0) return this.#write(bytes);
    this.#waiting.push({ bytes, dueAt: tick + Math.ceil(delay / tickMillis) });
  }

  /** Passes on what may arrive by this tick. */
  pass({ isMuted, trickle }: Faults, tick: number): void {
    if (trickle !== null && tick % ticksPerTrickle !== 0) return;
    const due = this.#waiting.filter(({ dueAt }) => dueAt <= tick);
    if (due.length === 0) return;
    const bytes = Buffer.concat(due.map((each) => each.bytes));
    const rest = bytes.subarray(trickle ?? bytes.length);
    const later = this.#waiting.slice(due.length);
    this.#waiting = rest.length === 0 ? later : [{ bytes: rest, dueAt: tick }, ...later];
    if (!isMuted) this.#write(bytes.subarray(0, bytes.length - rest.length));
  }

  #write(bytes: Buffer): void {
    if (!this.#to.destroyed) this.#to.write(bytes);
  }
}

class Line {
  faults = healthy;
  readonly client: Socket;
  readonly server: Socket;
  readonly toClient: Direction;
  readonly toServer: Direction;

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    this.toClient = new Direction(client);
    this.toServer = new Direction(server);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => undefined);
      from.on("close", () => to.destroy());
    }
  }

  pass(tick: number): void {
    this.toServer.pass(this.faults, tick);
    this.toClient.pass(this.faults, tick);
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
    let tick = 0;

    // Latency is what this network simulates, in real time: no test waits for it, and TestClock does not
    // control PostgreSQL.
    yield* Effect.sync(() => {
      tick += 1;
      for (const line of lines) line.pass(tick);
    }).pipe(
      Effect.repeat(Schedule.fixed(tickMillis)),
      Effect.provideService(Clock.Clock, Context.get(Context.empty(), Clock.Clock)),
      Effect.forkScoped,
    );

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
        line.toServer.send(bytes, line.faults, tick);
      });
      line.server.on("data", (bytes: Buffer) => {
        isAnswered = true;
        line.toClient.send(bytes, line.faults, tick);
      });
    };

    const path = join(yield* scopedFolder("network"), ".s.PGSQL.5432");
    yield* listening(createServer(connect), path);

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
