/** Image decoding by sharp, in media workers only: the main process never decodes untrusted images. */
import sharp from "sharp";
import { messageOf } from "../../database/DurableFiles.ts";
import { gifParts } from "./GifBlocks.ts";
import type { ImageParts } from "./ImageParts.ts";
import { jpegParts } from "./JpegSegments.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { pngParts } from "./PngChunks.ts";
import { webpParts } from "./WebpChunks.ts";

/** An accepted image format. */
export type ImageFormat = "jpeg" | "png" | "gif" | "webp";

const maxPixels = 100_000_000;

// libvips has loaders for many more formats, which are less hardened against hostile files.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Nsgif", "Webp"].map((format) => `VipsForeignLoad${format}`),
});
sharp.cache(false);
sharp.concurrency(1);

/** A decoder takes twice as long for an image of very many rows, whatever their length. */
const maxSide = 65_535;
/** The file and its decoder's memory. Besides the program, this fits into the 300 MB of a media worker. */
const maxDecodingBytes = 130_000_000;
/** Of an animation, as many frames are decoded as have so many pixels in all. */
const maxFramePixels = 50_000_000;

/**
 * The parts of a file of each format. Throws a `MediaDamage` if one is missing or invalid: a decoder accepts
 * a truncated file once it has all pixels. Takes time in proportion to the file's size.
 */
const imageParts = { jpeg: jpegParts, png: pngParts, gif: gifParts, webp: webpParts } as const;

/** The decoder's options: the same for inspection and thumbnail, so that what one accepts the other draws. */
const decoding = { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true } as const;

/** Checks the file's parts and the canvas that they declare, before a decoder sees them. */
const checkedParts = (bytes: Buffer, format: ImageFormat): ImageParts => {
  const parts = imageParts[format](bytes);
  const { decoderBytes, height, width } = parts;
  checkPixels(width, height);
  if (Math.max(width, height) > maxSide)
    throw new MediaDamage(
      `The image is ${width} × ${height} pixels. ` +
        `Send one of at most ${maxSide.toLocaleString("en")} on a side.`,
    );
  if (decoderBytes > 0 && decoderBytes + bytes.length > maxDecodingBytes)
    throw MediaDamage.tooComplex(format);
  return parts;
};

const checkPixels = (width: number, height: number): void => {
  if (width * height <= maxPixels) return;
  const size = (width * height) / 1_000_000;
  throw new MediaDamage(
    `The image has ${Math.ceil(size * 10) / 10} megapixels (${width} × ${height}). ` +
      "Send one of at most 100 megapixels.",
  );
};

/** Draws the thumbnail. Its decoder reads every pixel of the image or of the first frame. */
const draw = async (shown: Buffer): Promise<Buffer> => {
  const state = { isTruncated: false };
  const picture = await sharp(shown, decoding)
    .on("warning", (warning: string) => {
      // Of all errors in JPEG data, libvips takes only this one for a warning.
      state.isTruncated ||= /premature end/i.test(warning);
    })
    .autoOrient()
    .resize({ width: 400, height: 400, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
  if (state.isTruncated) throw new Error("premature end of data");
  return picture;
};

/**
 * The displayed size of an image in pixels, after its EXIF rotation. Draws its thumbnail to decode it whole,
 * and of an animation the first 50 megapixels. Throws a `MediaDamage` if it is truncated, broken, over 100
 * megapixels or too costly.
 */
export const readImage = async (
  bytes: Buffer,
  format: ImageFormat,
): Promise<{ readonly width: number; readonly height: number }> => {
  const parts = checkedParts(bytes, format);
  const { shown } = parts;
  const head = await sharp(shown, { limitInputPixels: false }).metadata().catch(failAs(format));
  if (head.format !== format) throw MediaDamage.broken(format);
  // The decoder takes the first frame for the canvas of a GIF with a large screen; browsers do not.
  const { height, width } = format === "gif" ? parts : head.autoOrient;
  checkPixels(width, height);
  await draw(shown).catch(failAs(format));
  const frames = Math.min(head.pages ?? 1, Math.floor(maxFramePixels / (width * height)));
  if (frames > 1) {
    // Keeps only one channel of the frames, so that they take 50 MB.
    await sharp(shown, { ...decoding, pages: frames })
      .extractChannel(0)
      .raw({ depth: "uchar" })
      .toBuffer()
      .catch(failAs(format));
  }
  return { width, height };
};

/** Turns an error of sharp into a `MediaDamage`. */
const failAs =
  (format: ImageFormat) =>
  (error: unknown): never => {
    const isTruncated = /premature|truncat|unexpected end|not enough data|end of (file|stream)/i;
    throw isTruncated.test(messageOf(error)) ? MediaDamage.truncated(format) : MediaDamage.broken(format);
  };

/** The thumbnail of an image or of a first frame: upright WebP within 400 × 400, no metadata (H2). */
export const makeThumbnail = async (bytes: Buffer, format: ImageFormat): Promise<Buffer> =>
  draw(checkedParts(bytes, format).shown);
