import { Console, Effect } from "effect";
import { isSea } from "node:sea";
import type { SettingsRecord } from "../config/Settings.ts";
import { DataDirectory } from "../database/DataDirectory.ts";
import { publishServer } from "../operator/ServerFile.ts";
import { notifyReady } from "./SystemdUnit.ts";

/** The next step of a person, on a new installation and on any other. */
const nextStep = (address: string, data: string): string => {
  const program = isSea() ? "waypost" : "npx waypost";
  return (
    `Next, in another terminal: ${program} console gives an address that opens the console in a browser. ` +
    `The API documentation is at ${address}/docs, the data in ${data}`
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
  yield* Effect.logInfo(nextStep(address, path));
  yield* notifyReady(record);
});
