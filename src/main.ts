#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable";
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect, Exit } from "effect";
import { diskProblem } from "./backup/DiskProblem.ts";
import { runCommand } from "./cli/Cli.ts";
import { wantsColors } from "./cli/terminal/Colors.ts";

const parameters = process.argv.slice(2);
const columns = process.stdout.isTTY ? process.stdout.columns : null;
const colors = {
  stdout: wantsColors(process.env, process.stdout.isTTY),
  stderr: wantsColors(process.env, process.stderr.isTTY),
};
const terminal = process.stderr.isTTY
  ? { columns: process.stderr.columns, write: (text: string) => void process.stderr.write(text) }
  : null;

/** A signal is the normal end of `serve`. Any other command is interrupted by it. */
const isServing = parameters.find((each) => !each.startsWith("-")) === "serve";
const exitCodeWhenStopped = isServing ? 0 : 130;

// Output that cannot be written, because a disk is full, is a failure. A closed pipe (`| head`) is not.
let isOutputLost = false;
process.stdout.on("error", (error: Error & { readonly code?: string }) => {
  if (error.code === "EPIPE" || isOutputLost || isServing) return;
  isOutputLost = true;
  process.once("exit", () => void (process.exitCode = 1));
  process.stderr.write(`The output could not be written: ${diskProblem(error)}.\n`);
});
process.stderr.on("error", () => undefined);

runCommand(parameters, { environment: process.env, columns, terminal, colors }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, end) =>
      end(Exit.isSuccess(exit) ? (typeof exit.value === "number" ? exit.value : 1) : exitCodeWhenStopped),
  }),
);
