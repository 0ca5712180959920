/** Checks the chunks of WebP (RFC 9649). */
import type { ImageParts } from "./ImageParts.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

const maxChunks = 100_000;

/** The decoder's bytes for a pixel: of a lossless image, and of the canvas of an animation. */
const losslessBytes = 4;
const animationBytes = 8;

interface Canvas {
  width: number;
  height: number;
  decoderBytes: number;
  chunks: number;
}

const extend = (canvas: Canvas, width: number, height: number, pixelBytes: number): void => {
  canvas.width = Math.max(canvas.width, width);
  canvas.height = Math.max(canvas.height, height);
  canvas.decoderBytes = Math.max(canvas.decoderBytes, width * height * pixelBytes);
};

/** Walks the chunks of a part of the file: the whole file, with those of its frames, or one frame. */
const walk = (bytes: Buffer, from: number, to: number, canvas: Canvas, isFrame: boolean): void => {
  let at = from;
  while (at + 8 <= to) {
    if (++canvas.chunks > maxChunks) throw MediaDamage.tooComplex("webp");
    const name = textAt(bytes, at, 4);
    const start = at + 8;
    const length = bytes.readUInt32LE(at + 4);
    if (start + length > to) throw MediaDamage.truncated("webp");
    if (name === "VP8X" && length >= 10) {
      const pixelBytes = ((bytes[start] ?? 0) & 2) === 0 ? 0 : animationBytes;
      extend(canvas, bytes.readUIntLE(start + 4, 3) + 1, bytes.readUIntLE(start + 7, 3) + 1, pixelBytes);
    } else if (name === "VP8 " && length >= 10)
      extend(canvas, bytes.readUInt16LE(start + 6) & 0x3fff, bytes.readUInt16LE(start + 8) & 0x3fff, 0);
    else if (name === "VP8L" && length >= 5) {
      const size = bytes.readUInt32LE(start + 1);
      extend(canvas, (size & 0x3fff) + 1, ((size >> 14) & 0x3fff) + 1, losslessBytes);
    } else if (name === "ANMF" && length >= 16 && !isFrame) {
      const [left, top] = [bytes.readUIntLE(start, 3) * 2, bytes.readUIntLE(start + 3, 3) * 2];
      const [width, height] = [bytes.readUIntLE(start + 6, 3) + 1, bytes.readUIntLE(start + 9, 3) + 1];
      extend(canvas, left + width, top + height, animationBytes);
      walk(bytes, start + 16, start + length, canvas, true);
    }
    at = start + length + (length % 2);
  }
  if (at < to) throw MediaDamage.truncated("webp");
};

/** Walks the chunks up to the size in the header. */
export const webpParts = (bytes: Buffer): ImageParts => {
  const to = bytes.length < 20 ? Infinity : bytes.readUInt32LE(4) + 8;
  if (to > bytes.length) throw MediaDamage.truncated("webp");
  const canvas: Canvas = { width: 0, height: 0, decoderBytes: 0, chunks: 0 };
  walk(bytes, 12, to, canvas, false);
  if (canvas.width === 0 || canvas.height === 0) throw MediaDamage.broken("webp");
  const { decoderBytes, height, width } = canvas;
  return { width, height, decoderBytes, shown: bytes };
};
