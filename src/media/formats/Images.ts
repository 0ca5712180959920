/** Image decoding by sharp, in media workers only: the main process never decodes untrusted images. */
import sharp from "sharp";
import { messageOf } from "../../database/DurableFiles.ts";
import { MediaDamage } from "./MediaDamage.ts";

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

/**
 * The displayed size of an image in pixels, after its EXIF rotation. Decodes the whole image, of an animation
 * the first 100 megapixels. Throws a `MediaDamage` if it is truncated, broken or over 100 megapixels.
 */
export const readImage = async (
  bytes: Buffer,
  format: ImageFormat,
): Promise<{ readonly width: number; readonly height: number }> => {
  const head = await sharp(bytes, { limitInputPixels: false }).metadata().catch(failAs(format));
  if (head.format !== format) throw MediaDamage.broken(format);
  const { width, height } = head.autoOrient;
  if (width * height > maxPixels) {
    const size = (width * height) / 1_000_000;
    throw new MediaDamage(
      `The image has ${Math.ceil(size * 10) / 10} megapixels (${width} × ${height}). ` +
        "Send one of at most 100 megapixels.",
    );
  }
  const frames = Math.max(1, Math.min(head.pages ?? 1, Math.floor(maxPixels / (width * height))));
  // Decodes every pixel but keeps only one channel, so that the largest image takes 100 MB.
  await sharp(bytes, { limitInputPixels: maxPixels, failOn: "error", sequentialRead: true, pages: frames })
    .extractChannel(0)
    .raw({ depth: "uchar" })
    .toBuffer()
    .catch(failAs(format));
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
export const makeThumbnail = (bytes: Buffer): Promise<Buffer> =>
  sharp(bytes, { limitInputPixels: maxPixels, sequentialRead: true })
    .autoOrient()
    .resize({ width: 400, height: 400, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
