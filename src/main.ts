#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable";
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect, Exit } from "effect";
import { runCommand } from "./Cli.ts";

const parameters = process.argv.slice(2);
const columns = process.stdout.isTTY ? process.stdout.columns : null;
const terminal = process.stderr.isTTY
  ? { columns: process.stderr.columns, write: (text: string) => void process.stderr.write(text) }
  : null;

/** Being stopped is how `serve` ends well; any other command was cut short. */
const whenStopped = parameters.includes("serve") ? 0 : 130;

runCommand(parameters, { environment: process.env, columns, terminal }).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, end) =>
      end(Exit.isSuccess(exit) ? (typeof exit.value === "number" ? exit.value : 1) : whenStopped),
  }),
);
