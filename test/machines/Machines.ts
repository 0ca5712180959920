import { Effect, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { dirname } from "node:path";
import { inject } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { type Answer, asker } from "../TestWaypost.ts";
import { partedNetwork } from "./PartedNetwork.ts";

/** What all processes of one installation are told alike. */
export const operatorKey = "operator-key-of-several-processes";
const shared = {
  WAYPOST_OPERATOR_KEY: operatorKey,
  WAYPOST_SECRET_KEY: "secret-key-of-several-processes",
  WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
};

/** A process of Waypost that listens. */
export type Machine = Awaited<ReturnType<CliProcess["serve"]>>;

/** Looks every 50 ms until it holds, for at most two minutes. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, holds: (found: A) => boolean) =>
  Effect.flatMap(look, (found) =>
    holds(found) ? Effect.succeed(found) : Effect.fail(new Error(`It is ${JSON.stringify(found)}`)),
  ).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 2_400 }), Effect.orDie);

/** What a request that must succeed gave. */
export const ok = ({ body, status }: Answer): any => {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
};

/** The operator interface of a process. */
export const operatorOf = ({ origin }: Machine) => asker(`${origin}/operator/v1`, operatorKey);

/** Whether a process says that it can work: the status of `/health/ready`. */
export const readiness = ({ origin }: Machine) =>
  Effect.promise(() => fetch(`${origin}/health/ready`).then(({ status }) => status));

/** Has a process end by a signal, and gives its exit code and what it said. */
export const end = (machine: Machine, signal: "SIGKILL" | "SIGTERM") =>
  Effect.promise(() => machine.ends(signal));

/** Processes on the database of the test, which end with its scope. */
export const machines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [{ name } = { name: "" }] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
  const { socketPath, username } = inject("testServer");
  const network = yield* partedNetwork(socketPath);
  const direct = `postgresql://${username}@localhost/${name}?host=${encodeURIComponent(dirname(socketPath))}`;
  const settings = (roles: string, url: string) => ({ ...shared, WAYPOST_ROLES: roles, DATABASE_URL: url });
  const made = (launcher?: string) =>
    Effect.acquireRelease(
      Effect.promise(() => CliProcess.make(launcher)),
      (cli) => Effect.promise(cli.dispose),
    );
  const serve = (roles: string, url: string, launcher?: string) =>
    Effect.flatMap(made(launcher), (cli) => Effect.promise(() => cli.serve(settings(roles, url))));
  return {
    network,
    /** Starts a process with these roles, of this version of the program or of the one with this launcher. */
    start: (roles: string, launcher?: string) => serve(roles, direct, launcher),
    /** One that reaches the database over the network that can be parted. */
    startFar: (roles: string) => serve(roles, `postgresql://${username}@127.0.0.1:${network.port}/${name}`),
    /** A start that is expected to fail: its exit code and what it said. */
    startInVain: (roles: string) =>
      Effect.flatMap(made(), (cli) => Effect.promise(() => cli.run(["serve"], settings(roles, direct)))),
  };
});
