/** Hostile images. */
import sharp from "sharp";
import { deflateSync } from "node:zlib";
import {
  chunk,
  fullSize,
  hostile,
  latin,
  mutants,
  patched,
  repeated,
  u8,
  u16,
  u16le,
  u32,
  u32le,
} from "./HostileBytes.ts";

const pngStart = latin("\x89PNG\r\n\x1a\n");
const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes));

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
  const header = Buffer.concat([u32(width, height), u8(depth, colour, 0, 0, isInterlaced ? 1 : 0)]);
  const end = chunk("IEND", Buffer.alloc(0));
  return Buffer.concat([pngStart, chunk("IHDR", header), ...more, chunk("IDAT", pixels), end]);
};
const smallPixels = zeros(31 * 10);
const small = (...more: ReadonlyArray<Buffer>) => png(10, 10, { pixels: smallPixels, more });
const compressed = (name: string, bytes: number) =>
  chunk(name, Buffer.concat([latin(name === "iTXt" ? "x\0\x01\0\0\0" : "x\0\0"), zeros(bytes)]));

const pngs = [
  hostile("a PNG of 1 × 100,000,000 pixels", () => png(1, 100_000_000, { pixels: zeros(200_000_000) })),
  hostile("a PNG of 100,000,000 × 1 pixels", () => png(100_000_000, 1, { pixels: zeros(300_000_001) })),
  hostile("a PNG of 2^31 − 1 pixels square", () => png(2 ** 31 - 1, 2 ** 31 - 1)),
  hostile("a PNG of no pixels", () => png(0, 0)),
  hostile("a PNG of 10,000 × 10,001 pixels", () => png(10_000, 10_001)),
  ...[1, 2, 4, 8, 16].flatMap((depth) =>
    [0, 2, 6].map((colour) =>
      hostile(`an interlaced PNG of 100 megapixels, ${depth} bits, colour type ${colour}`, () =>
        png(10_000, 10_000, { depth, colour, isInterlaced: true }),
      ),
    ),
  ),
  hostile("a PNG of 100 megapixels without their data", () => png(10_000, 10_000, { depth: 16, colour: 6 })),
  hostile("an interlaced PNG of 100 megapixels, gray, with all data", () =>
    png(10_000, 10_000, { depth: 8, colour: 0, isInterlaced: true, pixels: zeros(100_020_000) }),
  ),
  hostile("a PNG of 1 × 65,535 pixels", () => png(1, 65_535, { pixels: zeros(4 * 65_535) })),
  ...["zTXt", "iTXt", "iCCP"].map((name) =>
    hostile(`a PNG whose ${name} unpacks to 100 MB`, () => small(compressed(name, 100_000_000))),
  ),
  hostile("a PNG with 2,000 texts that unpack to 2 MB each", () =>
    small(repeated(compressed("zTXt", 2_000_000), 2000 * compressed("zTXt", 2_000_000).length)),
  ),
  hostile("a PNG with a million texts", () => small(repeated(chunk("tEXt", latin("x\0hello"))))),
  hostile("a PNG with millions of empty pixel chunks", () => small(repeated(chunk("IDAT", Buffer.alloc(0))))),
  hostile("a PNG with 20 MB after its end", () => Buffer.concat([small(), Buffer.alloc(fullSize, 7)])),
  hostile("a PNG with too few pixels", () => png(300, 300, { pixels: zeros(901 * 150) })),
  hostile("a PNG with too many pixels", () => png(30, 30, { pixels: zeros(100_000_000) })),
  hostile("a PNG with an unknown filter", () =>
    png(30, 30, { pixels: deflateSync(Buffer.alloc(91 * 30, 9)) }),
  ),
  hostile("a PNG with pixels that are no stream", () => png(30, 30, { pixels: Buffer.alloc(5000, 85) })),
  hostile("a PNG with a palette image without a palette", () =>
    png(10, 10, { colour: 3, pixels: zeros(110) }),
  ),
  hostile("a PNG of an unknown colour type", () => png(10, 10, { colour: 5, pixels: smallPixels })),
  hostile("a PNG with an unknown critical chunk", () => small(chunk("EVIL", Buffer.alloc(5)))),
  hostile("a PNG whose first chunk is no header", () =>
    Buffer.concat([pngStart, chunk("IDAT", smallPixels)]),
  ),
  hostile("a PNG with two headers", () =>
    small(chunk("IHDR", Buffer.concat([u32(9, 9), u8(8, 2, 0, 0, 0)]))),
  ),
  hostile("a PNG with a chunk of 4 GB", () =>
    Buffer.concat([small().subarray(0, 33), u32(0xffffffff), latin("IDAT")]),
  ),
  hostile("a PNG with an orientation in a broken EXIF", () => small(chunk("eXIf", Buffer.alloc(60_000, 77)))),
];

const noise = (width: number, height: number) => {
  let state = 12;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  return sharp(Uint8Array.from({ length: width * height * 3 }, next), {
    raw: { width, height, channels: 3 },
  });
};
const photo = () => noise(64, 48).jpeg({ quality: 60 }).toBuffer();
const progressive = () => noise(64, 48).jpeg({ progressive: true }).toBuffer();
const frameOf = (bytes: Buffer) => {
  const at = [0xc0, 0xc2].map((marker) => bytes.indexOf(u8(0xff, marker))).find((found) => found !== -1);
  if (at === undefined) throw new Error("No frame");
  return at;
};
/** A photo whose header states another size: height, width. */
const falseSize = async (make: () => Promise<Buffer>, height: number, width: number) => {
  const bytes = await make();
  return patched(bytes, frameOf(bytes) + 5, u16(height, width));
};
const sizes = [
  [0, 0],
  [65_535, 65_535],
  [10_000, 10_000],
  [65_535, 1500],
  [5000, 5000],
  [49, 64],
] as const;
const scan = u8(0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0);

const jpegs = [
  ...sizes.flatMap(([height, width]) => [
    hostile(`a JPEG that states ${width} × ${height} pixels`, () => falseSize(photo, height, width)),
    hostile(`a progressive JPEG that states ${width} × ${height} pixels`, () =>
      falseSize(progressive, height, width),
    ),
  ]),
  hostile("a JPEG with half of its pixels", async () => {
    const bytes = await photo();
    return Buffer.concat([bytes.subarray(0, bytes.length / 2), u8(0xff, 0xd9)]);
  }),
  hostile("a progressive JPEG with half of its scans", async () => {
    const bytes = await progressive();
    return Buffer.concat([bytes.subarray(0, bytes.length / 2), u8(0xff, 0xd9)]);
  }),
  hostile("a progressive JPEG with 4,000 scans", async () => {
    const bytes = await progressive();
    return Buffer.concat([bytes.subarray(0, -2), repeated(scan, 40_000), u8(0xff, 0xd9)]);
  }),
  hostile("a progressive JPEG of 100 megapixels with 90 scans", async () => {
    const bytes = await falseSize(progressive, 10_000, 10_000);
    return Buffer.concat([bytes.subarray(0, -2), repeated(scan, 800), u8(0xff, 0xd9)]);
  }),
  hostile("a JPEG with two frames", async () => {
    const bytes = await photo();
    const at = frameOf(bytes);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + 19), bytes.subarray(at)]);
  }),
  hostile("a JPEG with no frame", () => Buffer.concat([u8(0xff, 0xd8), scan, u8(0xff, 0xd9)])),
  hostile("a JPEG without components", async () => {
    const bytes = await photo();
    return patched(bytes, frameOf(bytes) + 9, u8(0));
  }),
  hostile("a JPEG with a sampling of zero", async () => {
    const bytes = await photo();
    return patched(bytes, frameOf(bytes) + 11, u8(0));
  }),
  hostile("a JPEG of twelve bits", async () => {
    const bytes = await photo();
    return patched(bytes, frameOf(bytes) + 4, u8(12));
  }),
  hostile("a JPEG of arithmetic codes", async () => {
    const bytes = await photo();
    return patched(bytes, frameOf(bytes) + 1, u8(0xc9));
  }),
  hostile("a JPEG with millions of empty segments", async () => {
    const bytes = await photo();
    const [start, rest] = [bytes.subarray(0, 2), bytes.subarray(2)];
    return Buffer.concat([start, repeated(u8(0xff, 0xfe, 0, 2)), rest]);
  }),
  hostile("a JPEG with millions of escaped bytes", async () => {
    const bytes = await photo();
    return Buffer.concat([bytes.subarray(0, -2), repeated(u8(0xff, 0)), u8(0xff, 0xd9)]);
  }),
  hostile("a JPEG with millions of restart markers", async () => {
    const bytes = await photo();
    return Buffer.concat([bytes.subarray(0, -2), repeated(u8(0xff, 0xd0)), u8(0xff, 0xd9)]);
  }),
  hostile("a JPEG with millions of fill bytes", async () => {
    const bytes = await photo();
    return Buffer.concat([bytes.subarray(0, -2), Buffer.alloc(fullSize, 255), u8(0xd9)]);
  }),
  hostile("a JPEG with a segment of no length", () =>
    Buffer.concat([u8(0xff, 0xd8, 0xff, 0xe0, 0, 0), Buffer.alloc(50)]),
  ),
  hostile("a JPEG with 300 EXIF segments", async () => {
    const bytes = await photo();
    const exif = Buffer.concat([
      u8(0xff, 0xe1),
      u16(65_000),
      latin("Exif\0\0MM\0*"),
      Buffer.alloc(64_988, 1),
    ]);
    return Buffer.concat([bytes.subarray(0, 2), repeated(exif, 300 * exif.length), bytes.subarray(2)]);
  }),
];

const screen = (width: number, height: number) =>
  Buffer.concat([latin("GIF89a"), u16le(width, height), u8(0x80, 0, 0), Buffer.alloc(6)]);
/** One pixel: clear, colour 0, end. */
const onePixel = u8(2, 2, 0x44, 0x01, 0);
const gifFrame = (width: number, height: number, pixels = onePixel, left = 0, top = 0) =>
  Buffer.concat([u8(0x2c), u16le(left, top, width, height), u8(0), pixels]);
const gif = (width: number, height: number, ...blocks: ReadonlyArray<Buffer>) =>
  Buffer.concat([screen(width, height), ...blocks, u8(0x3b)]);
/** Codes of the longest strings of one colour: each stands for one pixel more than the one before. */
const longStrings = (codes: number): Buffer => {
  let [next, bits, held, heldBits] = [6, 3, 0, 0];
  const bytes: Array<number> = [];
  const write = (code: number): void => {
    held |= code << heldBits;
    for (heldBits += bits; heldBits >= 8; heldBits -= 8) {
      bytes.push(held & 255);
      held >>>= 8;
    }
  };
  write(4);
  write(0);
  for (let code = 1; code < codes; code += 1) {
    write(Math.min(next, 4095));
    if (next < 4096) next += 1;
    if (next === 1 << bits && bits < 12) bits += 1;
  }
  write(5);
  bytes.push(held & 255, 0);
  const blocks: Array<Buffer> = [u8(2)];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(u8(block.length, ...block));
  }
  return Buffer.concat([...blocks, u8(0)]);
};
const restore = u8(0x21, 0xf9, 4, 0x0c, 0, 0, 0, 0);

const gifs = [
  hostile("a GIF of one pixel with a screen of 65,535 × 65,535", () => gif(65_535, 65_535, gifFrame(1, 1))),
  hostile("a GIF of one pixel with a screen of 10,000 × 10,000", () => gif(10_000, 10_000, gifFrame(1, 1))),
  hostile("a GIF of one pixel with a screen of 5,000 × 5,000", () => gif(5000, 5000, gifFrame(1, 1))),
  hostile("a GIF of one pixel with a screen of 5,000 × 5,000 that is restored", () =>
    gif(5000, 5000, restore, gifFrame(1, 1)),
  ),
  hostile("a GIF with a frame of 65,535 × 65,535 and one pixel", () => gif(1, 1, gifFrame(65_535, 65_535))),
  hostile("a GIF with a frame of 3,000 × 3,000 and one pixel", () => gif(1, 1, gifFrame(3000, 3000))),
  hostile("a GIF with a frame far outside its screen", () =>
    gif(1, 1, gifFrame(1, 1, onePixel, 65_535, 65_535)),
  ),
  hostile("a GIF with millions of frames", () => gif(1, 1, repeated(gifFrame(1, 1)))),
  hostile("a GIF with 10,000 frames", () =>
    gif(1, 1, repeated(gifFrame(1, 1), 10_000 * gifFrame(1, 1).length)),
  ),
  hostile("a GIF of 25 megapixels in 20 kB", () =>
    gif(5000, 5000, gifFrame(5000, 5000, longStrings(10_000))),
  ),
  hostile("a GIF of 100 megapixels in 40 kB", () =>
    gif(10_000, 10_000, gifFrame(10_000, 10_000, longStrings(27_000))),
  ),
  hostile("a GIF with 1,000 frames of a megapixel", () =>
    gif(
      1000,
      1000,
      repeated(
        gifFrame(1000, 1000, longStrings(2000)),
        1000 * gifFrame(1000, 1000, longStrings(2000)).length,
      ),
    ),
  ),
  hostile("a GIF with millions of sub-blocks of one byte", () =>
    gif(1, 1, Buffer.concat([u8(0x21, 0xfe), repeated(u8(1, 65)), u8(0)]), gifFrame(1, 1)),
  ),
  hostile("a GIF with 25 million codes", () =>
    gif(
      8000,
      8000,
      gifFrame(
        8000,
        8000,
        Buffer.concat([
          u8(2),
          repeated(Buffer.concat([u8(255), Buffer.alloc(255, 0x24)]), 20_000_000),
          u8(0),
        ]),
      ),
    ),
  ),
  hostile("a GIF with codes of twelve bits", () => gif(1, 1, gifFrame(1, 1, u8(12, 1, 0, 0)))),
  hostile("a GIF with a code that is not there yet", () =>
    gif(9, 9, gifFrame(9, 9, u8(2, 3, 0xfc, 0xff, 0xff, 0))),
  ),
  hostile("a GIF without frames", () => gif(9, 9)),
  hostile("a GIF without a size", () => gif(0, 0, gifFrame(0, 0))),
  hostile("a GIF with 20 MB of empty blocks", () => gif(1, 1, Buffer.alloc(fullSize), gifFrame(1, 1))),
];

const riff = (...chunks: ReadonlyArray<Buffer>) => {
  const content = Buffer.concat([latin("WEBP"), ...chunks]);
  return Buffer.concat([latin("RIFF"), u32le(content.length), content]);
};
const webpChunk = (name: string, content: Buffer) =>
  Buffer.concat([latin(name), u32le(content.length), content, Buffer.alloc(content.length % 2)]);
const u24le = (value: number) => u32le(value).subarray(0, 3);
const canvas = (width: number, height: number, flags = 0) =>
  webpChunk("VP8X", Buffer.concat([u8(flags, 0, 0, 0), u24le(width - 1), u24le(height - 1)]));
const lossless = (width: number, height: number, more = Buffer.alloc(9)) =>
  webpChunk("VP8L", Buffer.concat([u8(0x2f), u32le((width - 1) | ((height - 1) << 14)), more]));
const lossy = (width: number, height: number) =>
  webpChunk("VP8 ", Buffer.concat([u8(0x50, 0, 0, 0x9d, 1, 0x2a), u16le(width, height), Buffer.alloc(40)]));
const frame = (content: Buffer, width = 10, height = 10) =>
  webpChunk(
    "ANMF",
    Buffer.concat([Buffer.alloc(6), u24le(width - 1), u24le(height - 1), Buffer.alloc(4), content]),
  );
const flat = (side: number) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "teal" } })
    .webp({ lossless: true, effort: 0 })
    .toBuffer();

const webps = [
  hostile("a WebP of 16,384 × 16,384 pixels in 38 bytes", () => riff(lossless(16_384, 16_384))),
  hostile("a lossless WebP of 10,000 × 10,000 pixels in 38 bytes", () => riff(lossless(10_000, 10_000))),
  hostile("a lossless WebP of 6,000 × 6,000 pixels in 38 bytes", () => riff(lossless(6000, 6000))),
  hostile("a lossless WebP of 9,000 × 9,000 pixels of one colour", () => flat(9000)),
  hostile("a lossless WebP of 6,000 × 6,000 pixels of one colour", () => flat(6000)),
  hostile("a WebP of 16,383 × 6,000 pixels without their data", () => riff(lossy(16_383, 6000))),
  hostile("a WebP with a canvas of 2^24 × 2^24", () => riff(canvas(2 ** 24, 2 ** 24), lossy(10, 10))),
  hostile("a WebP with a canvas of 9,000 × 9,000 and a picture of 10 × 10", () =>
    riff(canvas(9000, 9000), lossy(10, 10)),
  ),
  hostile("an animated WebP with a canvas of 9,000 × 9,000", () =>
    riff(canvas(9000, 9000, 2), frame(lossy(10, 10))),
  ),
  hostile("an animated WebP without frames", () =>
    riff(canvas(10, 10, 2), webpChunk("ANIM", Buffer.alloc(6))),
  ),
  hostile("an animated WebP with millions of frames", () =>
    riff(
      canvas(10, 10, 2),
      webpChunk("ANIM", Buffer.alloc(6)),
      repeated(frame(lossy(10, 10)), fullSize - 1000),
    ),
  ),
  hostile("an animated WebP with 5,000 frames", () =>
    riff(
      canvas(10, 10, 2),
      webpChunk("ANIM", Buffer.alloc(6)),
      repeated(frame(lossy(10, 10)), 5000 * frame(lossy(10, 10)).length),
    ),
  ),
  hostile("a WebP with millions of empty chunks", () =>
    riff(lossy(10, 10), repeated(webpChunk("JUNK", Buffer.alloc(0)), fullSize - 1000)),
  ),
  hostile("a WebP of frames nested a thousand deep", () => {
    let inner = lossy(10, 10);
    for (let depth = 0; depth < 1000; depth += 1) inner = frame(inner);
    return riff(canvas(10, 10, 2), inner);
  }),
  hostile("a WebP with a chunk of 4 GB", () => riff(lossy(10, 10), latin("EXIF"), u32le(0xffffffff))),
  hostile("a WebP without a picture", () => riff(webpChunk("EXIF", Buffer.alloc(100)))),
];

/** Seeded changes of whole files. */
const changedImages = [
  ...mutants("a JPEG", 8, 1, photo),
  ...mutants("a progressive JPEG", 8, 2, progressive),
  ...mutants("a PNG", 8, 3, () => noise(64, 48).png().toBuffer()),
  ...mutants("a GIF", 8, 4, () => noise(64, 48).gif().toBuffer()),
  ...mutants("a WebP", 8, 5, () => noise(64, 48).webp().toBuffer()),
];

export const hostileImages = [...pngs, ...jpegs, ...gifs, ...webps, ...changedImages];
