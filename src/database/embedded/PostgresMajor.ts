/** Whether the embedded PostgreSQL can read the files that are there: only those of its own major version. */
import { Effect } from "effect";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EmbeddedPostgresUnusable } from "./PostgresAccount.ts";
import { fileWork } from "./PostgresFiles.ts";

/** The major version of the programs, from the first line of what they make a database from: `# PostgreSQL 18`. */
const majorOfPrograms = async (binaries: string): Promise<number> => {
  const file = await open(join(binaries, "share/postgresql/postgres.bki"), "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return Number(/^# PostgreSQL (\d+)$/m.exec(buffer.toString("utf8", 0, bytesRead))?.[1]);
  } finally {
    await file.close();
  }
};

/** The major version that the files are of; not a number where there is nothing to tell it, which PostgreSQL itself then says. */
const majorOfFiles = (folder: string): Promise<number> =>
  readFile(join(folder, "PG_VERSION"), "utf8").then(Number, () => NaN);

/** Refuses a database folder of another major version before anything of it is touched, and says what to do. */
export const checkMajor = Effect.fnUntraced(function* (folder: string, binaries: string) {
  const [files, programs] = yield* fileWork(() =>
    Promise.all([majorOfFiles(folder), majorOfPrograms(binaries)]),
  );
  if (Number.isNaN(files) || Number.isNaN(programs) || files === programs) return;
  const made = `its files in ${folder} were made by PostgreSQL ${files}, and this Waypost brings PostgreSQL ${programs}. `;
  return yield* new EmbeddedPostgresUnusable({
    problem:
      made +
      (files < programs
        ? "Nothing was changed. With the Waypost that ran here before write a backup (waypost backup FILE), move the data " +
          "directory away, and bring it back with this one (waypost restore FILE)."
        : "Start the version of Waypost that ran here before, or a later one."),
  });
});
