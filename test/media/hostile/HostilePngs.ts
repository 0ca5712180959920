/** Hostile PNG images. */
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import {
  chunk,
  fullSize,
  hostile,
  hostileFiles,
  joined,
  latin,
  mutants,
  repeated,
  times,
  u32,
  u8,
} from "./HostileBytes.ts";
import { noise } from "./HostileNoise.ts";

const pngStart = latin("\x89PNG\r\n\x1a\n");

const partSize = 1_000_000;
/** A million zeros as a part of a stream that refers to no part before it, so that it can be repeated. */
const part = deflateRawSync(Buffer.alloc(partSize), { finishFlush: constants.Z_FULL_FLUSH });

/** Compressed zeros. Compressing hundreds of megabytes at once would take seconds. */
const zeros = (bytes: number): Buffer =>
  joined(
    u8(0x78, 0x9c),
    ...Array.from({ length: Math.floor(bytes / partSize) }, () => part),
    deflateRawSync(Buffer.alloc(bytes % partSize)),
    // Adler-32 of zeros.
    u32(((bytes % 65_521) * 65_536 + 1) >>> 0),
  );

interface PngOptions {
  readonly depth?: number;
  readonly colour?: number;
  readonly isInterlaced?: boolean;
  readonly pixels?: Buffer;
  readonly more?: ReadonlyArray<Buffer>;
}

/** A PNG; without pixels it has a few bytes of them. */
const png = (width: number, height: number, options: PngOptions = {}): Buffer => {
  const { colour = 2, depth = 8, isInterlaced = false, more = [], pixels = zeros(10) } = options;
  const header = joined(u32(width, height), u8(depth, colour, 0, 0, isInterlaced ? 1 : 0));
  const end = chunk("IEND", Buffer.alloc(0));
  return joined(pngStart, chunk("IHDR", header), ...more, chunk("IDAT", pixels), end);
};
const smallPixels = zeros(31 * 10);
const small = (...more: ReadonlyArray<Buffer>) => png(10, 10, { pixels: smallPixels, more });
const compressed = (name: string, bytes: number) =>
  chunk(name, joined(latin(name === "iTXt" ? "x\0\x01\0\0\0" : "x\0\0"), zeros(bytes)));

export const pngs = [
  ...hostileFiles({
    "a PNG of 1 × 100,000,000 pixels": () => png(1, 100_000_000, { pixels: zeros(200_000_000) }),
    "a PNG of 100,000,000 × 1 pixels": () => png(100_000_000, 1, { pixels: zeros(300_000_001) }),
    "a PNG of 2^31 − 1 pixels square": () => png(2 ** 31 - 1, 2 ** 31 - 1),
    "a PNG of no pixels": () => png(0, 0),
    "a PNG of 10,000 × 10,001 pixels": () => png(10_000, 10_001),
  }),
  ...[1, 2, 4, 8, 16].flatMap((depth) =>
    [0, 2, 6].map((colour) =>
      hostile(`an interlaced PNG of 100 megapixels, ${depth} bits, colour type ${colour}`, () =>
        png(10_000, 10_000, { depth, colour, isInterlaced: true }),
      ),
    ),
  ),
  ...hostileFiles({
    "a PNG of 100 megapixels without their data": () => png(10_000, 10_000, { depth: 16, colour: 6 }),
    "an interlaced PNG of 100 megapixels, gray, with all data": () =>
      png(10_000, 10_000, { depth: 8, colour: 0, isInterlaced: true, pixels: zeros(100_020_000) }),
    "a PNG of 1 × 65,535 pixels": () => png(1, 65_535, { pixels: zeros(4 * 65_535) }),
  }),
  ...["zTXt", "iTXt", "iCCP"].map((name) =>
    hostile(`a PNG whose ${name} unpacks to 100 MB`, () => small(compressed(name, 100_000_000))),
  ),
  ...hostileFiles({
    "a PNG with 2,000 texts that unpack to 2 MB each": () =>
      small(times(2000, compressed("zTXt", 2_000_000))),
    "a PNG with a million texts": () => small(repeated(chunk("tEXt", latin("x\0hello")))),
    "a PNG with millions of empty pixel chunks": () => small(repeated(chunk("IDAT", Buffer.alloc(0)))),
    "a PNG with 20 MB after its end": () => joined(small(), Buffer.alloc(fullSize, 7)),
    "a PNG with too few pixels": () => png(300, 300, { pixels: zeros(901 * 150) }),
    "a PNG with too many pixels": () => png(30, 30, { pixels: zeros(100_000_000) }),
    "a PNG with an unknown filter": () => png(30, 30, { pixels: deflateSync(Buffer.alloc(91 * 30, 9)) }),
    "a PNG with pixels that are no stream": () => png(30, 30, { pixels: Buffer.alloc(5000, 85) }),
    "a PNG with a palette image without a palette": () => png(10, 10, { colour: 3, pixels: zeros(110) }),
    "a PNG of an unknown colour type": () => png(10, 10, { colour: 5, pixels: smallPixels }),
    "a PNG with an unknown critical chunk": () => small(chunk("EVIL", Buffer.alloc(5))),
    "a PNG whose first chunk is no header": () => joined(pngStart, chunk("IDAT", smallPixels)),
    "a PNG with two headers": () => small(chunk("IHDR", joined(u32(9, 9), u8(8, 2, 0, 0, 0)))),
    "a PNG with a chunk of 4 GB": () => joined(small().subarray(0, 33), u32(0xffffffff), latin("IDAT")),
    "a PNG with an orientation in a broken EXIF": () => small(chunk("eXIf", Buffer.alloc(60_000, 77))),
  }),
  ...mutants("a PNG", 8, 3, () => noise(64, 48).png().toBuffer()),
];
