/** File operations that survive a power failure, and the errors of the file system. */
import { open, stat } from "node:fs/promises";

/** The code of a system error, such as `ENOENT`; undefined for any other value. */
export const errorCode = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/** The message of an error, or any other thrown value as text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether something exists at the path and can be reached by this account. */
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
