/** Checks the chunks of WAV (RIFF). */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** The size that encoders write to a pipe, where they cannot go back to fill it in. */
const unknownSize = 0xffffffff;

/** Files have a handful of chunks. */
const maxChunks = 10_000;

/** Seconds of sound. Throws if a chunk is larger than the file. With unknown sizes any end is valid. */
export const checkWav = (bytes: Buffer): number => {
  if (bytes.length < 12) throw MediaDamage.truncated("wav");
  const size = bytes.readUInt32LE(4);
  const isStream = size === unknownSize;
  const to = isStream ? bytes.length : size + 8;
  if (to > bytes.length) throw MediaDamage.truncated("wav");

  let bytesPerSecond = 0;
  let chunks = 0;
  let at = 12;
  while (to - at >= 8) {
    if (++chunks > maxChunks) throw MediaDamage.tooComplex("wav");
    const name = textAt(bytes, at, 4);
    const length = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === "data") {
      if (bytesPerSecond === 0) throw MediaDamage.broken("wav");
      if (isStream && length === unknownSize) return (bytes.length - start) / bytesPerSecond;
      if (start + length > to) throw MediaDamage.truncated("wav");
      if (length === 0) throw MediaDamage.empty("wav");
      return length / bytesPerSecond;
    }
    if (start + length > to) throw MediaDamage.truncated("wav");
    if (name === "fmt ") {
      if (length < 16) throw MediaDamage.broken("wav");
      bytesPerSecond = bytes.readUInt32LE(start + 8);
    }
    at = start + length + (length % 2);
  }
  throw MediaDamage.truncated("wav");
};
