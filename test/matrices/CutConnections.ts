import { Effect } from "effect";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import { listening, scopedFolder } from "../Listening.ts";

/** When a connection to the database is cut: before its n-th statement, or around a COMMIT. */
export type Cut =
  | { readonly at: "statement"; readonly number: number }
  | { readonly at: "before commit" }
  | { readonly at: "after commit" };

/** The parameters of a Bind message, as latin1; a null is empty. */
const parametersOf = (message: Buffer): ReadonlyArray<string> => {
  let at = message.indexOf(0, message.indexOf(0, 5) + 1) + 1;
  at += 2 + 2 * message.readInt16BE(at);
  const count = message.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, () => {
    const length = Math.max(0, message.readInt32BE(at));
    at += 4 + length;
    return message.toString("latin1", at - length, at);
  });
};

/** Parses the messages that a client sends to PostgreSQL. */
class FrontendMessages {
  #rest = Buffer.alloc(0);
  #isStarted = false;
  readonly #statements = new Map<string, string>();
  readonly #shardStatements: Set<string>;

  /** Adds the statements that go to shards to a set. */
  constructor(shardStatements: Set<string>) {
    this.#shardStatements = shardStatements;
  }

  /** The statements whose messages end in these bytes. */
  read(bytes: Buffer): ReadonlyArray<string> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const found: Array<string> = [];
    while (this.#rest.length >= 5) {
      const head = this.#isStarted ? 1 : 0;
      const length = this.#rest.readInt32BE(head) + head;
      if (this.#rest.length < length) break;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      if (this.#isStarted) found.push(...this.#statementOf(message));
      this.#isStarted = true;
    }
    return found;
  }

  #statementOf(message: Buffer): ReadonlyArray<string> {
    const [first = "", second = ""] = message.subarray(5).toString("latin1").split("\0", 2);
    switch (String.fromCharCode(message[0] ?? 0)) {
      case "P":
        this.#statements.set(first, second);
        return [];
      case "B": {
        const statement = this.#statements.get(second) ?? "";
        if (statement.includes("run_on_shard(")) this.#shardStatements.add(parametersOf(message)[3] ?? "");
        return [statement];
      }
      case "Q":
        return [first];
      default:
        return [];
    }
  }
}

/**
 * A proxy in front of the PostgreSQL of the test run that closes connections at a chosen statement, as a
 * crash of either side does.
 */
export class CutConnections {
  #armed: Cut | null = null;
  #statementCount = 0;
  readonly path: string;
  /** The texts of all statements so far. */
  readonly statements = new Set<string>();
  /** Statements among them that ran outside a transaction. */
  readonly singleStatements = new Set<string>();
  /** Statements that were given to `run_on_shard`. */
  readonly shardStatements = new Set<string>();

  private constructor(path: string) {
    this.path = path;
  }

  /** Cuts one connection, once. `isDone` is whether that has happened. */
  arm(cut: Cut): { readonly isDone: () => boolean } {
    this.#armed = cut;
    this.#statementCount = 0;
    return { isDone: () => this.#armed !== cut };
  }

  disarm(): void {
    this.#armed = null;
  }

  #join(client: Socket, server: Socket): void {
    const frontend = new FrontendMessages(this.shardStatements);
    let isAnswerWithheld = false;
    let isInTransaction = false;
    const cut = () => {
      this.#armed = null;
      client.destroy();
      server.destroy();
    };
    client.on("data", (bytes: Buffer) => {
      for (const statement of frontend.read(bytes)) {
        this.statements.add(statement);
        const isCommit = statement === "COMMIT";
        if (statement === "BEGIN") isInTransaction = true;
        else if (isCommit || statement === "ROLLBACK") isInTransaction = false;
        else if (!isInTransaction) this.singleStatements.add(statement);
        if (this.#armed?.at === "statement" && ++this.#statementCount === this.#armed.number) return cut();
        if (this.#armed?.at === "before commit" && isCommit) return cut();
        if (this.#armed?.at === "after commit" && isCommit) isAnswerWithheld = true;
      }
      server.write(bytes);
    });
    server.on("data", (bytes: Buffer) => {
      if (!isAnswerWithheld) return void client.write(bytes);
      if (bytes.includes("COMMIT\0")) cut();
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  }

  static readonly make = Effect.gen(function* () {
    const { socketPath } = inject("testServer");
    const connections = new CutConnections(join(yield* scopedFolder("cut"), ".s.PGSQL.5432"));
    const server = createServer((client) => connections.#join(client, createConnection(socketPath)));
    yield* listening(server, connections.path);
    return connections;
  });
}
