/** Checks the blocks of GIF (GIF89a). */
import type { ImageParts } from "./ImageParts.ts";
import { MediaDamage } from "./MediaDamage.ts";

const maxFrames = 10_000;

/** The decoder's bytes for a pixel of the canvas, and more if a frame restores what it covered. */
const canvasBytes = 5;
const restoredBytes = 4;
const restorePrevious = 3;

const colourTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** The offset after a series of sub-blocks and the empty one that ends it. */
const subBlocksEnd = (bytes: Buffer, from: number): number => {
  let at = from;
  while (true) {
    const length = bytes[at];
    if (length === undefined) throw MediaDamage.truncated("gif");
    at += 1 + length;
    if (length === 0) return at;
  }
};

/** The number of pixels of each code. */
const lengths = new Uint16Array(4096);

/**
 * Whether the LZW codes from this offset stand for at least `pixels` pixels. It adds up the lengths of the
 * codes and writes no pixel, so it takes time in proportion to the codes, not to the pixels.
 */
const hasPixels = (bytes: Buffer, from: number, to: number, pixels: number): boolean => {
  const codeBits = bytes[from] ?? 0;
  if (codeBits < 1 || codeBits > 11) throw MediaDamage.broken("gif");
  const clear = 1 << codeBits;
  lengths.fill(1, 0, clear);
  let [next, bits, previous, left] = [clear + 2, codeBits + 1, -1, pixels];
  let [held, heldBits] = [0, 0];
  let at = from + 1;
  let blockEnd = at;
  while (left > 0) {
    while (heldBits < bits) {
      // A sub-block starts with its length.
      if (at === blockEnd) blockEnd = at + 1 + (bytes[at++] ?? 0);
      if (at === blockEnd || at >= to) return false;
      held |= (bytes[at++] ?? 0) << heldBits;
      heldBits += 8;
    }
    const code = held & ((1 << bits) - 1);
    held >>>= bits;
    heldBits -= bits;
    if (code === clear) {
      [next, bits, previous] = [clear + 2, codeBits + 1, -1];
      continue;
    }
    if (code === clear + 1) return false;
    if (code > next || (code === next && previous === -1) || (previous === -1 && code > clear))
      throw MediaDamage.broken("gif");
    const repeated = previous === -1 ? 0 : (lengths[previous] ?? 0) + 1;
    if (previous !== -1 && next < 4096) {
      lengths[next] = repeated;
      next += 1;
      if (next === 1 << bits && bits < 12) bits += 1;
    }
    left -= lengths[code] ?? 0;
    previous = code;
  }
  return true;
};

/** Walks the blocks up to the trailer. The canvas is the logical screen with all frames on it. */
export const gifParts = (bytes: Buffer): ImageParts => {
  if (bytes.length < 13) throw MediaDamage.truncated("gif");
  const canvas = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + colourTableBytes(bytes[10] ?? 0);
  let frames = 0;
  let isRestored = false;
  while (true) {
    const block = bytes[at];
    if (block === undefined) throw MediaDamage.truncated("gif");
    if (block === 0x3b) break;
    if (block === 0x2c) {
      if (at + 11 > bytes.length) throw MediaDamage.truncated("gif");
      if (++frames > maxFrames) throw MediaDamage.tooComplex("gif");
      const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
      const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
      canvas.width = Math.max(canvas.width, left + width);
      canvas.height = Math.max(canvas.height, top + height);
      const data = at + 10 + colourTableBytes(bytes[at + 9] ?? 0);
      at = subBlocksEnd(bytes, data + 1);
      if (!hasPixels(bytes, data, at, width * height)) throw MediaDamage.truncated("gif");
    } else if (block === 0x21) {
      // The graphic control of the next frame.
      isRestored ||= bytes[at + 1] === 0xf9 && (((bytes[at + 3] ?? 0) >> 2) & 7) === restorePrevious;
      at = subBlocksEnd(bytes, at + 2);
    }
    // Some encoders write a second empty sub-block.
    else if (block === 0) at += 1;
    else throw MediaDamage.broken("gif");
  }
  if (frames === 0) throw MediaDamage.empty("gif");
  if (canvas.width === 0 || canvas.height === 0) throw MediaDamage.broken("gif");
  const pixelBytes = canvasBytes + (isRestored ? restoredBytes : 0);
  return { ...canvas, decoderBytes: canvas.width * canvas.height * pixelBytes, shown: bytes };
};
