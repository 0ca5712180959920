import { assert } from "@effect/vitest";
import { type ImportEntry, ImportFileBroken } from "../../../src/client/location-files/ImportEntry.ts";
import { readLocationFile } from "../../../src/client/location-files/LocationFile.ts";

/** The pieces of a file, of these lengths, and the rest. */
export const piecesOf = (bytes: Buffer, lengths: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  let start = 0;
  return [...lengths, bytes.length].map((length) => bytes.subarray(start, (start += length)));
};

/** The entries of a file of a name, as a program reads it. */
export const readFile = async (
  name: string,
  text: string | Buffer,
  lengths: ReadonlyArray<number> = [],
): Promise<ReadonlyArray<ImportEntry>> => {
  const entries: Array<ImportEntry> = [];
  const pieces = ReadableStream.from(piecesOf(Buffer.from(text), lengths));
  for await (const batch of readLocationFile(pieces, { name })) entries.push(...batch);
  return entries;
};

/** The features of entries; for those that are none, the reasons. */
export const features = (entries: ReadonlyArray<ImportEntry>): ReadonlyArray<unknown> =>
  entries.map((entry) => (entry._tag === "Feature" ? entry.feature : entry.reasons));

/** Asserts that a file is refused as a whole, with a message. */
export const assertBroken = async (reading: Promise<unknown>, message: RegExp): Promise<void> => {
  const error: unknown = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.instanceOf(error, ImportFileBroken);
  assert.match((error as Error).message, message);
};
