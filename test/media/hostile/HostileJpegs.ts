/** Hostile JPEG images. */
import {
  fullSize,
  hostile,
  hostileFiles,
  joined,
  latin,
  mutants,
  patched,
  repeated,
  times,
  u16,
  u8,
} from "./HostileBytes.ts";
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
const end = u8(0xff, 0xd9);
const halved = async (make: () => Promise<Buffer>) => {
  const bytes = await make();
  return joined(bytes.subarray(0, bytes.length / 2), end);
};
/** A picture with more before its end. */
const longer = async (picture: Promise<Buffer>, more: Buffer) =>
  joined((await picture).subarray(0, -2), more, end);
/** A photo with another byte in its frame. */
const framed = async (at: number, value: number) => {
  const bytes = await photo();
  return patched(bytes, frameOf(bytes) + at, u8(value));
};

const sized = sizes.flatMap(([height, width]) => [
  hostile(`a JPEG that states ${width} × ${height} pixels`, () => falseSize(photo, height, width)),
  hostile(`a progressive JPEG that states ${width} × ${height} pixels`, () =>
    falseSize(progressive, height, width),
  ),
]);
const built = hostileFiles({
  "a JPEG with half of its pixels": () => halved(photo),
  "a progressive JPEG with half of its scans": () => halved(progressive),
  "a progressive JPEG with 4,000 scans": () => longer(progressive(), repeated(scan, 40_000)),
  "a progressive JPEG of 100 megapixels with 90 scans": () =>
    longer(falseSize(progressive, 10_000, 10_000), repeated(scan, 800)),
  "a JPEG with two frames": async () => {
    const bytes = await photo();
    const at = frameOf(bytes);
    return joined(bytes.subarray(0, at), bytes.subarray(at, at + 19), bytes.subarray(at));
  },
  "a JPEG with no frame": () => joined(u8(0xff, 0xd8), scan, end),
  "a JPEG without components": () => framed(9, 0),
  "a JPEG with a sampling of zero": () => framed(11, 0),
  "a JPEG of twelve bits": () => framed(4, 12),
  "a JPEG of arithmetic codes": () => framed(1, 0xc9),
  "a JPEG with millions of empty segments": async () => {
    const bytes = await photo();
    const [start, rest] = [bytes.subarray(0, 2), bytes.subarray(2)];
    return joined(start, repeated(u8(0xff, 0xfe, 0, 2)), rest);
  },
  "a JPEG with millions of escaped bytes": () => longer(photo(), repeated(u8(0xff, 0))),
  "a JPEG with millions of restart markers": () => longer(photo(), repeated(u8(0xff, 0xd0))),
  "a JPEG with millions of fill bytes": async () => {
    const bytes = await photo();
    return joined(bytes.subarray(0, -2), Buffer.alloc(fullSize, 255), u8(0xd9));
  },
  "a JPEG with a segment of no length": () => joined(u8(0xff, 0xd8, 0xff, 0xe0, 0, 0), Buffer.alloc(50)),
  "a JPEG with 300 EXIF segments": async () => {
    const bytes = await photo();
    const exif = joined(u8(0xff, 0xe1), u16(65_000), latin("Exif\0\0MM\0*"), Buffer.alloc(64_988, 1));
    return joined(bytes.subarray(0, 2), times(300, exif), bytes.subarray(2));
  },
});

export const jpegs = [
  ...sized,
  ...built,
  ...mutants("a JPEG", 8, 1, photo),
  ...mutants("a progressive JPEG", 8, 2, progressive),
];
