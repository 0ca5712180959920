import { Effect, Schedule } from "effect";
import { SqlClient } from "effect/sql";
import { dirname } from "node:path";
import { inject } from "vitest";
import { CliProcess } from "../cli/CliProcess.ts";
import { operatorAsker } from "../TestWaypost.ts";
import { networkPartition } from "./NetworkPartition.ts";

/** The keys of every process. */
export const secretKey = "secret-key-of-several-processes-0123";
export const operatorKey = "operator-key-of-several-processes";
const shared = {
  WAYPOST_OPERATOR_KEY: operatorKey,
  WAYPOST_SECRET_KEY: secretKey,
  WAYPOST_ALLOW_PRIVATE_ADDRESSES: "true",
};

type Variables = Readonly<Record<string, string>>;

/** A running process of Waypost. */
export type Machine = Awaited<ReturnType<CliProcess["serve"]>>;

/** Polls every 50 ms until the condition holds, for at most two minutes. */
export const until = <A, E, R>(poll: Effect.Effect<A, E, R>, condition: (value: A) => boolean) =>
  Effect.flatMap(poll, (value) =>
    condition(value) ? Effect.succeed(value) : Effect.fail(new Error(`It is ${JSON.stringify(value)}`)),
  ).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 2_400 }), Effect.orDie);

/** The operator interface of a process. */
export const operatorOf = ({ origin }: Machine) => operatorAsker(origin, operatorKey);

/** The status of `/health/ready` of a process. */
export const readiness = ({ origin }: Machine) =>
  Effect.promise(() => fetch(`${origin}/health/ready`).then(({ status }) => status));

/** Ends a process with a signal. Returns its exit code and its output. */
export const end = (machine: Machine, signal: "SIGKILL" | "SIGTERM") =>
  Effect.promise(() => machine.ends(signal));

/** The Node options of a process whose clock is ahead. Its monotonic clock is right. */
const clockAhead = (millis: number): string => {
  const script = `globalThis.Date=class extends Date{
    constructor(...a){if(a.length)super(...a);else super(Date.now())}
    static now(){return super.now()+${millis}}}`;
  return `--import=data:text/javascript;base64,${Buffer.from(script).toString("base64")}`;
};

/** Starts processes on the database of the test. They end with the scope. */
export const machines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  const [{ name } = { name: "" }] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`;
  const { socketPath, username } = inject("testServer");
  const network = yield* networkPartition(socketPath);
  const direct = `postgresql://${username}@localhost/${name}?host=${encodeURIComponent(dirname(socketPath))}`;
  const settings = (roles: string, url: string) => ({ ...shared, WAYPOST_ROLES: roles, DATABASE_URL: url });
  const make = (launcher?: string) =>
    Effect.acquireRelease(
      Effect.promise(() => CliProcess.make(launcher)),
      (cli) => Effect.promise(cli.dispose),
    );
  const serve = (roles: string, url: string, launcher?: string, variables: Variables = {}) =>
    Effect.flatMap(make(launcher), (cli) =>
      Effect.promise(() => cli.serve({ ...settings(roles, url), ...variables })),
    );
  return {
    network,
    /** Starts a process with these roles, of this version of the program or of the launcher's. */
    start: (roles: string, launcher?: string, variables?: Variables) =>
      serve(roles, direct, launcher, variables),
    /** Starts a process on a machine whose clock is ahead by so many milliseconds. */
    startAhead: (roles: string, millis: number) =>
      serve(roles, direct, undefined, { NODE_OPTIONS: clockAhead(millis) }),
    /** Starts a process with another operator key. */
    startWithKey: (roles: string, key: string) =>
      serve(roles, direct, undefined, { WAYPOST_OPERATOR_KEY: key }),
    /** Starts a process whose database connections go through `network`. */
    startFar: (roles: string) => serve(roles, `postgresql://${username}@127.0.0.1:${network.port}/${name}`),
    /** A start that is expected to fail. Returns the exit code and the output. */
    failToStart: (roles: string, launcher?: string) =>
      Effect.flatMap(make(launcher), (cli) =>
        Effect.promise(() => cli.run(["serve"], settings(roles, direct))),
      ),
  };
});
