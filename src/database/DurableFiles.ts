/** File operations that survive a power failure, and the errors of the file system. */
import { open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export const errorCode = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/** The message of an error, or any other thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The result of a file operation, or undefined if it fails because the file does not exist. */
export const unlessMissing = <A>(operation: Promise<A>): Promise<A | undefined> =>
  operation.catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });

/** Whether this account can find the path. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Writes a file's content, or a folder's entries, to the disk. */
export const syncToDisk = async (path: string): Promise<void> => {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Writes a file of mode 0600 through a temporary one: a crash leaves no file or the whole text. */
export const writeDurably = async (path: string, text: string): Promise<void> => {
  const temporary = join(dirname(path), `.${basename(path)}.new`);
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncToDisk(dirname(path));
};
