import { Console, Effect } from "effect";
import { isSea } from "node:sea";
import type { SettingsRecord } from "../config/Settings.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { publishServer } from "../operator/ServerFile.ts";
import { notifyReady } from "./SystemdUnit.ts";

/** What a person does next, on a new installation and on any other. */
const nextStep = (address: string): string => {
  const program = isSea() ? "waypost" : "npx waypost";
  return (
    `Next, in another terminal: ${program} console gives an address that opens the console in a browser. ` +
    `The API documentation is at ${address}/docs`
  );
};

/**
 * Announces the address on which Waypost listens: on stdout, in the data directory for the command line, and
 * to systemd.
 */
export const announce = Effect.fnUntraced(function* (record: SettingsRecord, address: string) {
  const { path } = yield* DataDirectory;
  yield* publishServer(path, address);
  yield* Console.log(`Waypost is listening on ${address}`);
  yield* Effect.logInfo(nextStep(address));
  yield* notifyReady(record);
});
