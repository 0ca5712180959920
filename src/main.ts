#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable";
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect, Exit } from "effect";
import { runCommand } from "./cli/Cli.ts";
import { diskTrouble } from "./backup/DiskFailure.ts";
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

/** Being stopped is how `serve` ends well; any other command was cut short. */
const isServing = parameters.find((each) => !each.startsWith("-")) === "serve";
const whenStopped = isServing ? 0 : 130;

// A report that did not reach its file is no success; a reader that has seen enough, such as `head`, is none of our business.
let isLost = false;
process.stdout.on("error", (error: Error & { readonly code?: string }) => {
  if (error.code === "EPIPE" || isLost || isServing) return;
  isLost = true;
  process.once("exit", () => void (process.exitCode = 1));
  process.stderr.write(`The answer could not be written: ${diskTrouble(error)}. It is lost.\n`);
});
process.stderr.on("error", () => undefined);

runCommand(parameters, { environment: process.env, columns, terminal, colors }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, end) =>
      end(Exit.isSuccess(exit) ? (typeof exit.value === "number" ? exit.value : 1) : whenStopped),
  }),
);
