/** An installation of Waypost on a server of its own, and the commands that work on it. */
import { Effect } from "effect";
import type { SqlClient } from "effect/sql";
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import process from "node:process";
import { onNode } from "../../test/database/CitusCluster.ts";
import { mebibytesOf, started } from "../bench/BenchChild.ts";
import { waypostSettings } from "../bench/BenchWorld.ts";

const launcher = new URL("../../bin/waypost.js", import.meta.url).pathname;

/** A database, and the data directory of a Waypost on it. */
export interface Installation {
  readonly port: number | undefined;
  readonly database: string;
  readonly dataDir: string;
}

const environmentOf = ({ dataDir, database, port }: Installation) => ({
  PATH: process.env["PATH"] ?? "",
  NODE_ENV: "production",
  ...waypostSettings(dataDir, `postgresql://waypost@127.0.0.1:${port}/${database}`),
});

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** Runs a command of Waypost, and prints its duration and its peak of memory. Returns its output. */
export const command = (installation: Installation, ...parameters: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number | null; readonly output: string }>((resolve) => {
        const began = performance.now();
        const child = spawn(process.execPath, [launcher, ...parameters], {
          env: environmentOf(installation),
          stdio: ["ignore", "pipe", "inherit"],
        });
        let output = "";
        let peak = 0;
        const poll = setInterval(
          () => (peak = Math.max(peak, mebibytesOf(child.pid ?? 0, "VmHWM") * 1_048_576)),
          100,
        );
        child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
        child.once("close", (code) => {
          clearInterval(poll);
          const seconds = ((performance.now() - began) / 1000).toFixed(1);
          const name = parameters.join(" ").replace(`${dirname(installation.dataDir)}/`, "");
          console.log(`waypost ${name}: ${seconds} s, ${megabytes(peak)} of memory at most`);
          resolve({ code, output });
        });
      }),
  );

/** Runs a command that must succeed. */
export const run = (installation: Installation, ...parameters: ReadonlyArray<string>) =>
  Effect.flatMap(command(installation, ...parameters), ({ code, output }) =>
    code === 0 ? Effect.succeed(output) : Effect.die(new Error(`${parameters.join(" ")}: exit code ${code}`)),
  );

/** Runs an effect beside a Waypost with every role. */
export const beside = <A, E, R>(
  installation: Installation,
  effect: (origin: string) => Effect.Effect<A, E, R>,
) =>
  Effect.scoped(
    Effect.flatMap(
      started([launcher, "serve"], environmentOf(installation), `${installation.dataDir}.log`),
      ({ origin }) => effect(origin),
    ),
  );

export const inDatabase = <A, E>(
  { database, port }: Installation,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>,
) => Effect.provide(effect, onNode(port, database, 1));
