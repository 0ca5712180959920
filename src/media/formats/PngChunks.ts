/** Checks the chunks of PNG (third edition, 5). */
import { crc32, inflateSync } from "node:zlib";
import type { ImageParts } from "./ImageParts.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** Encoders write one chunk for some 8 KB of pixels or more. */
const maxChunks = 100_000;

/** Small chunks that decide how an image shows. All but these and the critical ones are left out. */
const shownChunks = new Set(["tRNS", "gAMA", "cHRM", "sRGB", "sBIT", "eXIf", "iCCP"]);
const maxShownBytes = 1_000_000;
const maxProfileBytes = 4_000_000;

/** Samples of a pixel by colour type. */
const samples: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Whether the compressed colour profile of a chunk has a reasonable size. */
const isFineProfile = (bytes: Buffer, start: number, end: number): boolean => {
  const name = bytes.indexOf(0, start);
  if (name === -1 || name + 2 > end) return false;
  try {
    inflateSync(bytes.subarray(name + 2, end), { maxOutputLength: maxProfileBytes });
    return true;
  } catch {
    return false;
  }
};

const isShown = (bytes: Buffer, name: string, start: number, end: number): boolean => {
  if (/^[A-Z]/.test(name)) return true;
  if (!shownChunks.has(name) || end - start > maxShownBytes) return false;
  return name !== "iCCP" || isFineProfile(bytes, start, end);
};

const headerOf = (bytes: Buffer) => {
  if (textAt(bytes, 8, 8) !== "\0\0\0\x0dIHDR") throw MediaDamage.broken("png");
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  const pixelBits = (bytes[24] ?? 0) * (samples[bytes[25] ?? 0] ?? 0);
  if (width === 0 || height === 0 || pixelBits === 0) throw MediaDamage.broken("png");
  // An interlaced image is decoded in passes over a buffer of all pixels.
  const decoderBytes = bytes[28] === 0 ? 0 : height * Math.ceil((width * pixelBits) / 8);
  return { width, height, decoderBytes };
};

/** Walks the chunks from IHDR to IEND, and checks the checksums of critical ones. */
export const pngParts = (bytes: Buffer): ImageParts => {
  if (bytes.length < 33) throw MediaDamage.truncated("png");
  const header = headerOf(bytes);
  const pieces: Array<Buffer> = [];
  let chunks = 0;
  let shownFrom = 0;
  let at = 8;
  while (true) {
    if (at + 12 > bytes.length) throw MediaDamage.truncated("png");
    const length = bytes.readUInt32BE(at);
    const name = textAt(bytes, at + 4, 4);
    const end = at + 12 + length;
    if (!/^[A-Za-z]{4}$/.test(name)) throw MediaDamage.broken("png");
    if (end > bytes.length) throw MediaDamage.truncated("png");
    if (++chunks > maxChunks) throw MediaDamage.tooComplex("png");
    const isCritical = /^[A-Z]/.test(name);
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      throw MediaDamage.broken("png");
    }
    if (!isShown(bytes, name, at + 8, end - 4)) {
      if (at > shownFrom) pieces.push(bytes.subarray(shownFrom, at));
      shownFrom = end;
    }
    at = end;
    if (name === "IEND") break;
  }
  if (pieces.length === 0) return { ...header, shown: bytes };
  return { ...header, shown: Buffer.concat([...pieces, bytes.subarray(shownFrom, at)]) };
};
