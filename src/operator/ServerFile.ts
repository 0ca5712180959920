/** `server.json`, by which the command line finds the Waypost that runs on the same data directory. */
import { Effect, Option, Schema, type Scope } from "effect";
import { readFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const Content = Schema.fromJsonString(Schema.Struct({ url: Schema.String, pid: Schema.Int }));

const name = "server.json";

/** Replaces a wildcard address, which only listens, by the loopback address. */
const callable = (url: string): string => {
  const address = new URL(url);
  if (address.hostname === "0.0.0.0") address.hostname = "127.0.0.1";
  if (address.hostname === "[::]") address.hostname = "[::1]";
  return address.origin;
};

/** The path of the file in a data directory. */
export const serverFile = (dataDir: string): string => join(dataDir, name);

/** Writes the file with the address to call and the process id; removes it when the scope closes. */
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

/** The address of the Waypost that runs on this data directory, by its file. */
export const publishedServer = (dataDir: string): Option.Option<string> => {
  try {
    const content = Schema.decodeUnknownOption(Content)(readFileSync(serverFile(dataDir), "utf8"));
    return Option.map(content, ({ url }) => url);
  } catch {
    return Option.none();
  }
};
