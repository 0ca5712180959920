/** Hostile WebP images. */
import sharp from "sharp";
import {
  fullSize,
  hostileFiles,
  joined,
  latin,
  mutants,
  repeated,
  times,
  u16le,
  u32le,
  u8,
} from "./HostileBytes.ts";
import { noise } from "./HostileNoise.ts";

const riff = (...chunks: ReadonlyArray<Buffer>) => {
  const content = joined(latin("WEBP"), ...chunks);
  return joined(latin("RIFF"), u32le(content.length), content);
};
const webpChunk = (name: string, content: Buffer) =>
  joined(latin(name), u32le(content.length), content, Buffer.alloc(content.length % 2));
const u24le = (value: number) => u32le(value).subarray(0, 3);
const canvas = (width: number, height: number, flags = 0) =>
  webpChunk("VP8X", joined(u8(flags, 0, 0, 0), u24le(width - 1), u24le(height - 1)));
const lossless = (width: number, height: number, more = Buffer.alloc(9)) =>
  webpChunk("VP8L", joined(u8(0x2f), u32le((width - 1) | ((height - 1) << 14)), more));
const lossy = (width: number, height: number) =>
  webpChunk("VP8 ", joined(u8(0x50, 0, 0, 0x9d, 1, 0x2a), u16le(width, height), Buffer.alloc(40)));
const frame = (content: Buffer, width = 10, height = 10) =>
  webpChunk("ANMF", joined(Buffer.alloc(6), u24le(width - 1), u24le(height - 1), Buffer.alloc(4), content));
const flat = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "teal" } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer();

const built = hostileFiles({
  "a WebP of 16,384 × 16,384 pixels in 38 bytes": () => riff(lossless(16_384, 16_384)),
  "a lossless WebP of 10,000 × 10,000 pixels in 38 bytes": () => riff(lossless(10_000, 10_000)),
  "a lossless WebP of 6,000 × 6,000 pixels in 38 bytes": () => riff(lossless(6000, 6000)),
  "a lossless WebP of 9,000 × 9,000 pixels of one colour": () => flat(9000),
  "a lossless WebP of 6,000 × 6,000 pixels of one colour": () => flat(6000),
  "a WebP of 16,383 × 6,000 pixels without their data": () => riff(lossy(16_383, 6000)),
  "a WebP with a canvas of 2^24 × 2^24": () => riff(canvas(2 ** 24, 2 ** 24), lossy(10, 10)),
  "a WebP with a canvas of 9,000 × 9,000 and a picture of 10 × 10": () =>
    riff(canvas(9000, 9000), lossy(10, 10)),
  "an animated WebP with a canvas of 9,000 × 9,000": () => riff(canvas(9000, 9000, 2), frame(lossy(10, 10))),
  "an animated WebP without frames": () => riff(canvas(10, 10, 2), webpChunk("ANIM", Buffer.alloc(6))),
  "an animated WebP with millions of frames": () =>
    riff(
      canvas(10, 10, 2),
      webpChunk("ANIM", Buffer.alloc(6)),
      repeated(frame(lossy(10, 10)), fullSize - 1000),
    ),
  "an animated WebP with 5,000 frames": () =>
    riff(canvas(10, 10, 2), webpChunk("ANIM", Buffer.alloc(6)), times(5000, frame(lossy(10, 10)))),
  "a WebP with millions of empty chunks": () =>
    riff(lossy(10, 10), repeated(webpChunk("JUNK", Buffer.alloc(0)), fullSize - 1000)),
  "a WebP of frames nested a thousand deep": () => {
    let inner = lossy(10, 10);
    for (let depth = 0; depth < 1000; depth += 1) inner = frame(inner);
    return riff(canvas(10, 10, 2), inner);
  },
  "a WebP with a chunk of 4 GB": () => riff(lossy(10, 10), latin("EXIF"), u32le(0xffffffff)),
  "a WebP without a picture": () => riff(webpChunk("EXIF", Buffer.alloc(100))),
});

export const webps = [...built, ...mutants("a WebP", 8, 5, () => noise(64, 48).webp().toBuffer())];
