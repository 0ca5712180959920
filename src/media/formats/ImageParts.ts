/** The parts of image files: are they all there? A decoder alone takes a file for whole once it has its pixels. */
import { crc32 } from "node:zlib";
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** Whether a marker of a JPEG stands alone, with no length and nothing of its own: TEM, RST0 to RST7 and SOI. */
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * Markers from SOI to EOI (ITU-T T.81, annex B). What lies between two of them, such as the coded pixels, is skipped: in it
 * every 0xFF is followed by a zero or by the number of a restart.
 */
const checkJpeg = (bytes: Buffer): void => {
  let at = 2;
  while (true) {
    at = bytes.indexOf(0xff, at);
    const marker = at === -1 ? undefined : bytes[at + 1];
    if (marker === undefined) throw MediaDamage.cutShort("jpeg");
    if (marker === 0xd9) return;
    if (marker === 0xff) at += 1;
    else if (marker === 0 || standsAlone(marker)) at += 2;
    else if (at + 4 > bytes.length) throw MediaDamage.cutShort("jpeg");
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
};

/** Chunks from IHDR to IEND, the checksums of those that matter (PNG, third edition, 5). */
const checkPng = (bytes: Buffer): void => {
  let at = 8;
  while (true) {
    if (at + 12 > bytes.length) throw MediaDamage.cutShort("png");
    const length = bytes.readUInt32BE(at);
    const name = textAt(bytes, at + 4, 4);
    const end = at + 12 + length;
    if (!/^[A-Za-z]{4}$/.test(name)) throw MediaDamage.broken("png");
    if (end > bytes.length) throw MediaDamage.cutShort("png");
    const isCritical = /^[A-Z]/.test(name);
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      throw MediaDamage.broken("png");
    }
    if (name === "IEND") return;
    at = end;
  }
};

/** The end of a row of sub-blocks, behind the empty one that ends it (GIF89a, 15). */
const subBlocksEnd = (bytes: Buffer, from: number): number => {
  let at = from;
  while (true) {
    const length = bytes[at];
    if (length === undefined) throw MediaDamage.cutShort("gif");
    at += 1 + length;
    if (length === 0) return at;
  }
};

const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Blocks up to the trailer. */
const checkGif = (bytes: Buffer): void => {
  let at = 13 + colours(bytes[10] ?? 0);
  let frames = 0;
  while (true) {
    const block = bytes[at];
    if (block === undefined) throw MediaDamage.cutShort("gif");
    if (block === 0x3b) break;
    if (block === 0x2c) {
      frames += 1;
      at = subBlocksEnd(bytes, at + 11 + colours(bytes[at + 9] ?? 0));
    } else if (block === 0x21) at = subBlocksEnd(bytes, at + 2);
    // Some writers leave an empty sub-block too many.
    else if (block === 0) at += 1;
    else throw MediaDamage.broken("gif");
  }
  if (frames === 0) throw MediaDamage.nothingIn("gif");
};

/** Chunks of the size that the head says (RFC 9649). */
const checkWebp = (bytes: Buffer): void => {
  const to = bytes.readUInt32LE(4) + 8;
  if (bytes.length < 20 || to > bytes.length) throw MediaDamage.cutShort("webp");
  let at = 12;
  while (at + 8 <= to) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > to) throw MediaDamage.cutShort("webp");
    at += 8 + length + (length % 2);
  }
  if (at < to) throw MediaDamage.cutShort("webp");
};

/** For each format: throws a `MediaDamage` where parts are missing or are none. */
export const checkImageParts = {
  jpeg: checkJpeg,
  png: checkPng,
  gif: checkGif,
  webp: checkWebp,
} as const;
