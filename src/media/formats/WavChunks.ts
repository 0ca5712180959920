/** The chunks of WAV (RIFF). */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** What writers that cannot go back put in the place of a size. */
const unknown = 0xffffffff;

/**
 * Seconds of sound. Throws where a head says more than there is. A writer that cannot go back leaves its sizes unknown: such a file
 * ends where it ends.
 */
export const checkWav = (bytes: Buffer): number => {
  if (bytes.length < 12) throw MediaDamage.cutShort("wav");
  const size = bytes.readUInt32LE(4);
  const isStream = size === unknown;
  const to = isStream ? bytes.length : size + 8;
  if (to > bytes.length) throw MediaDamage.cutShort("wav");

  let bytesPerSecond = 0;
  let at = 12;
  while (to - at >= 8) {
    const name = textAt(bytes, at, 4);
    const length = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === "data") {
      if (bytesPerSecond === 0) throw MediaDamage.broken("wav");
      if (isStream && length === unknown) return (bytes.length - start) / bytesPerSecond;
      if (start + length > to) throw MediaDamage.cutShort("wav");
      if (length === 0) throw MediaDamage.nothingIn("wav");
      return length / bytesPerSecond;
    }
    if (start + length > to) throw MediaDamage.cutShort("wav");
    if (name === "fmt ") {
      if (length < 16) throw MediaDamage.broken("wav");
      bytesPerSecond = bytes.readUInt32LE(start + 8);
    }
    at = start + length + (length % 2);
  }
  throw MediaDamage.cutShort("wav");
};
