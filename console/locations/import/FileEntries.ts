/** Entries of a file of locations, read piece by piece: a file of any size takes little memory. */

/** A feature to send, or why an entry is none. `number` is its position in the file, from 1. */
export interface FileEntry {
  readonly number: number;
  readonly feature: unknown;
  readonly reason: string | null;
  /** Its approximate size in a request. */
  readonly size: number;
}

/** The file as a whole cannot be read. The message says why. */
export class FileBroken extends Error {
  override readonly name = "FileBroken";
}

/** Reads entries from the pieces of a text. */
export type EntryReader = (pieces: AsyncIterable<string>) => AsyncGenerator<FileEntry>;

/** The text of a file, piece by piece. @throws FileBroken if it is not UTF-8 */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield decoder.decode(value, { stream: !done });
      if (done) return;
    }
  } catch (error) {
    if (error instanceof TypeError) throw new FileBroken("The file is not UTF-8. Save it as UTF-8.");
    throw error;
  } finally {
    reader.releaseLock();
  }
}

const maxEntryChars = 16 * 1_048_576;

/** Fails for an entry that grows without an end. @throws FileBroken */
export const checkSize = (chars: number, number: number): void => {
  if (chars > maxEntryChars) throw new FileBroken(`Entry ${number} of the file is larger than 16 MiB.`);
};

/** The entry of the text of one feature. */
export const entryOf = (text: string, number: number): FileEntry => {
  try {
    return { number, feature: JSON.parse(text), reason: null, size: text.length };
  } catch {
    return { number, feature: null, reason: "This is not valid JSON.", size: 0 };
  }
};

/** A line without the separator that RFC 8142 puts before each feature. */
const lineText = (line: string): string => (line.startsWith("\x1e") ? line.slice(1) : line).trim();

/** A feature on each line, also with the separators of RFC 8142. */
export const readLines: EntryReader = async function* (pieces) {
  let rest = "";
  let number = 0;
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    checkSize(rest.length, number + 1);
    for (const line of lines) {
      const text = lineText(line);
      if (text !== "") yield entryOf(text, ++number);
    }
  }
  const last = lineText(rest);
  if (last !== "") yield entryOf(last, ++number);
};
