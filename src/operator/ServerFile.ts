/** Where a running Waypost tells the command line on the same machine how to reach it. */
import { Effect, Option, Schema, type Scope } from "effect";
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const Content = Schema.fromJsonString(Schema.Struct({ url: Schema.String, pid: Schema.Int }));

const name = "server.json";

/** An address that can be called for one that can only be listened on. */
const callable = (url: string): string => {
  const address = new URL(url);
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1";
  if (address.hostname === "[::]") address.hostname = "[::1]";
  return address.origin;
};

/** Where a running Waypost says how it is reached. */
export const serverFile = (dataDir: string): string => join(dataDir, name);

/** Writes `server.json` into the data directory, with the address to call and the process id, until the scope closes. */
export const publishServer = (dataDir: string, url: string): Effect.Effect<void, never, Scope.Scope> => {
  const file = serverFile(dataDir);
  const text = JSON.stringify({ url: callable(url), pid: process.pid });
  return Effect.acquireRelease(
    Effect.promise(async () => {
      await writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 });
      await rename(`${file}.new`, file);
    }),
    () => Effect.promise(() => rm(file, { force: true })),
  );
};

/** The address of the Waypost that runs on this data directory, if one says that it does. */
export const publishedServer = (dataDir: string): Option.Option<string> => {
  try {
    const content = Schema.decodeUnknownOption(Content)(readFileSync(serverFile(dataDir), "utf8"));
    return Option.map(content, ({ url }) => url);
  } catch {
    return Option.none();
  }
};
