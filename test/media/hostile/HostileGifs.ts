/** Hostile GIF images. */
import {
  fullSize,
  hostileFiles,
  joined,
  latin,
  mutants,
  repeated,
  times,
  u16le,
  u8,
} from "./HostileBytes.ts";
import { noise } from "./HostileNoise.ts";

const screen = (width: number, height: number) =>
  joined(latin("GIF89a"), u16le(width, height), u8(0x80, 0, 0), Buffer.alloc(6));
/** One pixel: clear, colour 0, end. */
const onePixel = u8(2, 2, 0x44, 0x01, 0);
const gifFrame = (width: number, height: number, pixels = onePixel, left = 0, top = 0) =>
  joined(u8(0x2c), u16le(left, top, width, height), u8(0), pixels);
const gif = (width: number, height: number, ...blocks: ReadonlyArray<Buffer>) =>
  joined(screen(width, height), ...blocks, u8(0x3b));
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
  return joined(...blocks, u8(0));
};
const restore = u8(0x21, 0xf9, 4, 0x0c, 0, 0, 0, 0);

const built = hostileFiles({
  "a GIF of one pixel with a screen of 65,535 × 65,535": () => gif(65_535, 65_535, gifFrame(1, 1)),
  "a GIF of one pixel with a screen of 10,000 × 10,000": () => gif(10_000, 10_000, gifFrame(1, 1)),
  "a GIF of one pixel with a screen of 5,000 × 5,000": () => gif(5000, 5000, gifFrame(1, 1)),
  "a GIF of one pixel with a screen of 5,000 × 5,000 that is restored": () =>
    gif(5000, 5000, restore, gifFrame(1, 1)),
  "a GIF with a frame of 65,535 × 65,535 and one pixel": () => gif(1, 1, gifFrame(65_535, 65_535)),
  "a GIF with a frame of 3,000 × 3,000 and one pixel": () => gif(1, 1, gifFrame(3000, 3000)),
  "a GIF with a frame far outside its screen": () => gif(1, 1, gifFrame(1, 1, onePixel, 65_535, 65_535)),
  "a GIF with millions of frames": () => gif(1, 1, repeated(gifFrame(1, 1))),
  "a GIF with 10,000 frames": () => gif(1, 1, times(10_000, gifFrame(1, 1))),
  "a GIF of 25 megapixels in 20 kB": () => gif(5000, 5000, gifFrame(5000, 5000, longStrings(10_000))),
  "a GIF of 100 megapixels in 40 kB": () =>
    gif(10_000, 10_000, gifFrame(10_000, 10_000, longStrings(27_000))),
  "a GIF with 1,000 frames of a megapixel": () =>
    gif(1000, 1000, times(1000, gifFrame(1000, 1000, longStrings(2000)))),
  "a GIF with millions of sub-blocks of one byte": () =>
    gif(1, 1, joined(u8(0x21, 0xfe), repeated(u8(1, 65)), u8(0)), gifFrame(1, 1)),
  "a GIF with 25 million codes": () =>
    gif(
      8000,
      8000,
      gifFrame(
        8000,
        8000,
        joined(u8(2), repeated(joined(u8(255), Buffer.alloc(255, 0x24)), 20_000_000), u8(0)),
      ),
    ),
  "a GIF with codes of twelve bits": () => gif(1, 1, gifFrame(1, 1, u8(12, 1, 0, 0))),
  "a GIF with a code that is not there yet": () => gif(9, 9, gifFrame(9, 9, u8(2, 3, 0xfc, 0xff, 0xff, 0))),
  "a GIF without frames": () => gif(9, 9),
  "a GIF without a size": () => gif(0, 0, gifFrame(0, 0)),
  "a GIF with 20 MB of empty blocks": () => gif(1, 1, Buffer.alloc(fullSize), gifFrame(1, 1)),
});

export const gifs = [...built, ...mutants("a GIF", 8, 4, () => noise(64, 48).gif().toBuffer())];
