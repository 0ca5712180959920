import { assert, describe, it, vi } from "@effect/vitest";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import sharp from "sharp";
import { beforeAll } from "vitest";
import { MediaDamage } from "../../../src/media/formats/MediaDamage.ts";
import type { MediaContent } from "../../../src/media/formats/MediaFormat.ts";
import { inspectMedia, thumbnailOf } from "../../../src/media/formats/MediaInspection.ts";
import { cases } from "../../FixedSeed.ts";

/** A fixture made by ffmpeg: see fixtures/README.md. */
const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

/** The same noise in every run: the result for a truncated file depends on its last bits. */
const noise = (width = 40, height = 30) => {
  let state = 20261121;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24;
  return sharp(Uint8Array.from({ length: width * height * 3 }, next), {
    raw: { width, height, channels: 3 },
  });
};

/** An image of two frames. */
const animation = () =>
  sharp(Buffer.alloc(40 * 60 * 3, 7).fill(200, 3600), {
    raw: { width: 40, height: 60, channels: 3, pageHeight: 30 },
  });

const wav = (data = 400, stated = data): Buffer => {
  const bytes = Buffer.alloc(44 + data, 1);
  bytes.write("RIFF\0\0\0\0WAVEfmt ", "latin1");
  bytes.writeUInt32LE(36 + stated, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.set([1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0], 20);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(stated, 40);
  return bytes;
};

/** Every accepted format as programs, browsers and phones write it: name, bytes and content. */
const files: Array<readonly [name: string, bytes: Buffer, content: Partial<MediaContent>]> = [];
const fileNamed = (name: string): Buffer => {
  const found = files.find(([each]) => each === name);
  if (found === undefined) throw new Error(`No file ${name}`);
  return found[1];
};

beforeAll(async () => {
  // mediabunny warns on the console about formats that it cannot play.
  vi.spyOn(console, "warn").mockReturnValue();
  const shown = { width: 40, height: 30, durationSeconds: null };
  const image = (mimeType: string, extension: string, more = {}) => ({
    kind: "image" as const,
    mimeType,
    extension,
    ...shown,
    ...more,
  });
  const jpeg = image("image/jpeg", "jpg");
  const turned = { width: 30, height: 40 };
  const video = { kind: "video" as const, width: 48, height: 32, durationSeconds: 0.4 };
  const sound = { kind: "audio" as const, width: null, height: null, durationSeconds: 0.2 };
  const mp4 = { ...video, mimeType: "video/mp4", extension: "mp4" };
  const webm = { ...video, mimeType: "video/webm", extension: "webm" };
  const m4a = { ...sound, mimeType: "audio/mp4", extension: "m4a" };
  const mp3 = { ...sound, mimeType: "audio/mpeg", extension: "mp3", durationSeconds: 0.288 };
  const photo = await noise().jpeg().toBuffer();
  files.push(
    ["JPEG", photo, jpeg],
    ["progressive JPEG", await noise().jpeg({ progressive: true }).toBuffer(), jpeg],
    [
      "JPEG turned by EXIF",
      await noise().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
      { ...jpeg, ...turned },
    ],
    ["CMYK JPEG", await noise().toColourspace("cmyk").jpeg().toBuffer(), jpeg],
    ["PNG", await noise().png().toBuffer(), image("image/png", "png")],
    ["interlaced PNG", await noise().png({ progressive: true }).toBuffer(), image("image/png", "png")],
    ["PNG with a palette", await noise().png({ palette: true }).toBuffer(), image("image/png", "png")],
    ["GIF", await noise().gif().toBuffer(), image("image/gif", "gif")],
    ["animated GIF", await animation().gif().toBuffer(), image("image/gif", "gif")],
    ["WebP", await noise().webp().toBuffer(), image("image/webp", "webp")],
    ["lossless WebP", await noise().webp({ lossless: true }).toBuffer(), image("image/webp", "webp")],
    ["animated WebP", await animation().webp().toBuffer(), image("image/webp", "webp")],
    ["MP4", fixture("video.mp4"), mp4],
    ["fragmented MP4", fixture("fragmented.mp4"), mp4],
    [
      "turned MOV",
      fixture("rotated.mov"),
      { ...video, width: 32, height: 48, mimeType: "video/quicktime", extension: "mov" },
    ],
    ["WebM", fixture("video.webm"), { ...webm, durationSeconds: 0.407 }],
    ["WebM of a live recording, without its length", fixture("recording.webm"), webm],
    ["M4A", fixture("sound.m4a"), m4a],
    ["MP4 without a picture", fixture("sound.mp4"), m4a],
    ["MP3", fixture("sound.mp3"), mp3],
    ["MP3 without a count", fixture("uncounted.mp3"), mp3],
    ["WAV", wav(), { ...sound, mimeType: "audio/wav", extension: "wav", durationSeconds: 0.025 }],
    ["OGG", fixture("sound.ogg"), { ...sound, mimeType: "audio/ogg", extension: "ogg" }],
  );
});

/** The sentence of the refusal. Rejects if the file is accepted or fails otherwise. */
const refusal = async (bytes: Buffer): Promise<string> => {
  const outcome = await inspectMedia(bytes).catch((error: unknown) => error);
  if (outcome instanceof MediaDamage) return outcome.message;
  throw new Error(`Not refused: ${JSON.stringify(outcome)} ${String(outcome)}`);
};

describe("inspectMedia", () => {
  it("inspection reads kind, type, size and length from the bytes (H1.1, media.kinds)", async () => {
    for (const [name, bytes, content] of files) {
      assert.deepStrictEqual(await inspectMedia(bytes), content as MediaContent, name);
    }
  });

  it("bytes that phones append to an image are accepted", async () => {
    const trailer = Buffer.from("SEFHf\0\0\0 notes of a camera SEFT");
    for (const name of ["JPEG", "PNG", "GIF", "WebP"]) {
      assert.strictEqual((await inspectMedia(Buffer.concat([fileNamed(name), trailer]))).width, 40, name);
    }
  });

  it.each([
    ["", /^The file is empty/],
    ["just some text", /^The file is of no kind that is accepted\. Send a JPEG, PNG, GIF or WebP/],
    ["\0".repeat(64), /of no kind/],
    ["%PDF-1.7\n", /is a PDF document, which is not accepted\. Send/],
    ["PK\x03\x04\x14\0", /is a ZIP archive or an office document/],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', /is an SVG image/],
    ['\uFEFF<?xml version="1.0"?>\n<!-- a -->\n<svg:svg width="1">', /is an SVG image/],
    ["BM\x46\0\0\0\0\0\0\0\x36\0\0\0", /is a BMP image/],
    ["II*\0\x08\0\0\0", /is a TIFF image/],
    ["\0\0\0\x18ftypheic\0\0\0\0heicmif1", /is a HEIC image/],
    ["\0\0\0\x18ftypavif\0\0\0\0avifmif1", /is an AVIF image/],
    ["fLaC\0\0\0\x22", /is a FLAC audio file/],
    ["RIFF\x24\0\0\0AVI LIST", /is an AVI video/],
    ["\xff\xf1\x50\x80\x02\x1f\xfc\xde", /is an AAC audio file/],
    ["<!doctype html><p>hello", /of no kind/],
  ])("inspection refuses %j with the name of its format, if it is known (H1.3)", async (text, sentence) => {
    assert.match(await refusal(Buffer.from(text, text.startsWith("\uFEFF") ? "utf8" : "latin1")), sentence);
  });

  it.each([
    ["video.mkv", /Matroska/],
    ["video.ogg", /OGG video/],
    ["video.3gp", /3GP/],
    ["sound.webm", /WebM video has no pictures/],
  ])("inspection refuses %s, which resembles an accepted format (H1.1)", async (name, sentence) => {
    assert.match(await refusal(fixture(name)), sentence);
  });

  it("inspection refuses an image of over 100 megapixels and states its size (H1.3)", async () => {
    const square = (side: number) =>
      sharp({
        create: { width: side, height: side, channels: 3, background: "black" },
        limitInputPixels: false,
      })
        .png({ compressionLevel: 1 })
        .toBuffer();
    assert.match(await refusal(await square(10_001)), /has 100\.1 megapixels \(10001 × 10001\)/);
    assert.strictEqual((await inspectMedia(await square(10_000))).width, 10_000);
  });

  it("the declared canvas of an image counts, even if its frames are smaller (H1.3)", async () => {
    const gif = Buffer.from(fileNamed("GIF"));
    gif.writeUInt16LE(65_535, 6);
    gif.writeUInt16LE(65_535, 8);
    assert.match(await refusal(gif), /has 4294\.9 megapixels \(65535 × 65535\)/);
    gif.writeUInt16LE(1000, 6);
    gif.writeUInt16LE(2000, 8);
    const { height, width } = await inspectMedia(gif);
    assert.deepStrictEqual([width, height], [1000, 2000]);
  });

  it("an image is refused whose thumbnail could not be drawn from all of its pixels (H1.5)", async () => {
    const photo = Buffer.from(fileNamed("JPEG"));
    const frame = photo.indexOf(Buffer.from([0xff, 0xc0]));
    photo.writeUInt16BE(3000, frame + 5);
    assert.match(await refusal(photo), /JPEG image is cut short/);
    const [half, end] = [fileNamed("JPEG").length / 2, Buffer.from([0xff, 0xd9])];
    assert.match(await refusal(Buffer.concat([fileNamed("JPEG").subarray(0, half), end])), /is cut short/);
    const gif = Buffer.from(fileNamed("GIF"));
    gif.writeUInt16LE(400, gif.indexOf(0x2c, 13 + 768) + 5);
    assert.match(await refusal(gif), /GIF image is cut short/);
    const names = [
      "JPEG",
      "progressive JPEG",
      "CMYK JPEG",
      "interlaced PNG",
      "animated GIF",
      "animated WebP",
    ];
    for (const name of names)
      assert.strictEqual((await sharp(await thumbnailOf(fileNamed(name))).metadata()).format, "webp", name);
  });

  it("the length of a video with a late first frame counts from that frame", async () => {
    assert.strictEqual((await inspectMedia(fixture("late.mp4"))).durationSeconds, 0.4);
  });

  it("inspection refuses a header that states more than the file has", async () => {
    assert.match(await refusal(wav(400, 401)), /WAV audio file is cut short/);
    assert.match(await refusal(wav(0)), /has no sound/);
    const bomb = await noise(8, 8).png().toBuffer();
    bomb.writeUInt32BE(9999, 16);
    assert.match(await refusal(bomb), /PNG image is broken/);
  });
});

/** The offsets at which truncation cannot be detected, for the formats that have such offsets. */
const undetectable: Readonly<Record<string, (bytes: Buffer, cut: number) => boolean>> = {
  "MP3 without a count": (_, cut) => cut % 36 === 0,
  "fragmented MP4": (bytes, cut) => ["moof", "mfra"].includes(bytes.toString("latin1", cut + 4, cut + 8)),
  "WebM of a live recording, without its length": (bytes, cut) => [0xa3, 0x1f].includes(bytes[cut] ?? 0),
};

describe("hostile files", () => {
  it("a file truncated at any offset is refused, unless its format cannot show it (H1.2)", async () => {
    for (const [name, bytes] of files) {
      const step = Math.max(1, Math.floor(bytes.length / 150));
      for (let cut = 0; cut < bytes.length; cut += cut > bytes.length - 40 ? 1 : step) {
        if (undetectable[name]?.(bytes, cut) === true) continue;
        const outcome = await inspectMedia(bytes.subarray(0, cut)).catch((error: unknown) => error);
        assert.instanceOf(outcome, MediaDamage, `${name} of ${bytes.length} bytes cut at ${cut}`);
      }
    }
  });

  it("a video whose pixels stretch a side beyond 65,535 pixels is broken (H1.2)", async () => {
    const film = fixture("video.mp4");
    const ratio = film.indexOf("pasp", 0, "latin1") + 4;
    for (const [across, down] of [
      [0xffffffff, 1],
      [1, 0xffffffff],
      [0xffff, 1],
    ] as const) {
      const bytes = Buffer.from(film);
      bytes.writeUInt32BE(across, ratio);
      bytes.writeUInt32BE(down, ratio + 4);
      const outcome = await inspectMedia(bytes).catch((error: unknown) => error);
      assert.instanceOf(outcome, MediaDamage, `${across}:${down}`);
    }
  });

  it("a file with random changes is accepted or refused, without any other error", async () => {
    const changedBytes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.nat(files.length - 1), changedBytes, async (which, changes) => {
        const bytes = Buffer.from(files[which]?.[1] ?? []);
        // Half of the changes hit the first 200 bytes, where the structure is.
        for (const [at, value] of changes) bytes[at % (at % 2 === 0 ? bytes.length : 200)] = value;
        const outcome = await inspectMedia(bytes).catch((error: unknown) => error);
        if (outcome instanceof Error) assert.instanceOf(outcome, MediaDamage);
      }),
      { numRuns: cases(600), seed: 20261121 },
    );
  });
});
