/** Checks the parts of image files: a decoder accepts a truncated file once it has all pixels. */
import { crc32 } from "node:zlib";
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** Whether a JPEG marker has no segment: TEM, RST0 to RST7 and SOI. */
const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/**
 * Walks the markers from SOI to EOI (ITU-T T.81, annex B). It skips coded pixels, in which every 0xFF is
 * followed by a zero or by a restart number.
 */
const checkJpeg = (bytes: Buffer): void => {
  let at = 2;
  while (true) {
    at = bytes.indexOf(0xff, at);
    const marker = at === -1 ? undefined : bytes[at + 1];
    if (marker === undefined) throw MediaDamage.truncated("jpeg");
    if (marker === 0xd9) return;
    if (marker === 0xff) at += 1;
    else if (marker === 0 || isStandalone(marker)) at += 2;
    else if (at + 4 > bytes.length) throw MediaDamage.truncated("jpeg");
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
};

/** Walks the chunks from IHDR to IEND, and checks the checksums of critical ones (PNG, third edition, 5). */
const checkPng = (bytes: Buffer): void => {
  let at = 8;
  while (true) {
    if (at + 12 > bytes.length) throw MediaDamage.truncated("png");
    const length = bytes.readUInt32BE(at);
    const name = textAt(bytes, at + 4, 4);
    const end = at + 12 + length;
    if (!/^[A-Za-z]{4}$/.test(name)) throw MediaDamage.broken("png");
    if (end > bytes.length) throw MediaDamage.truncated("png");
    const isCritical = /^[A-Z]/.test(name);
    if (isCritical && crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      throw MediaDamage.broken("png");
    }
    if (name === "IEND") return;
    at = end;
  }
};

/** The offset after a series of sub-blocks and the empty one that ends it (GIF89a, 15). */
const subBlocksEnd = (bytes: Buffer, from: number): number => {
  let at = from;
  while (true) {
    const length = bytes[at];
    if (length === undefined) throw MediaDamage.truncated("gif");
    at += 1 + length;
    if (length === 0) return at;
  }
};

/** The size of a colour table in bytes. */
const colourTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** Walks the blocks up to the trailer. */
const checkGif = (bytes: Buffer): void => {
  let at = 13 + colourTableBytes(bytes[10] ?? 0);
  let frames = 0;
  while (true) {
    const block = bytes[at];
    if (block === undefined) throw MediaDamage.truncated("gif");
    if (block === 0x3b) break;
    if (block === 0x2c) {
      frames += 1;
      at = subBlocksEnd(bytes, at + 11 + colourTableBytes(bytes[at + 9] ?? 0));
    } else if (block === 0x21) at = subBlocksEnd(bytes, at + 2);
    // Some encoders write a second empty sub-block.
    else if (block === 0) at += 1;
    else throw MediaDamage.broken("gif");
  }
  if (frames === 0) throw MediaDamage.empty("gif");
};

/** Walks the chunks up to the size in the header (RFC 9649). */
const checkWebp = (bytes: Buffer): void => {
  const to = bytes.readUInt32LE(4) + 8;
  if (bytes.length < 20 || to > bytes.length) throw MediaDamage.truncated("webp");
  let at = 12;
  while (at + 8 <= to) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > to) throw MediaDamage.truncated("webp");
    at += 8 + length + (length % 2);
  }
  if (at < to) throw MediaDamage.truncated("webp");
};

/** The check of each format. Throws a `MediaDamage` if a part is missing or invalid. */
export const checkImageParts = { jpeg: checkJpeg, png: checkPng, gif: checkGif, webp: checkWebp } as const;
