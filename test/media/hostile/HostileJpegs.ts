/** Hostile JPEG images. */
import { fullSize, hostile, latin, mutants, patched, repeated, u16, u8 } from "./HostileBytes.ts";
import { noise } from "./HostileNoise.ts";

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

export const jpegs = [
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
  ...mutants("a JPEG", 8, 1, photo),
  ...mutants("a progressive JPEG", 8, 2, progressive),
];
