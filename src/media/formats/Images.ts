/** The only file that knows sharp. It is loaded by the child process alone: pictures of strangers never meet the main one. */
import sharp from "sharp";
import { MediaDamage } from "./MediaDamage.ts";

/** The image formats. */
export type ImageFormat = "jpeg" | "png" | "gif" | "webp";

const mostPixels = 100_000_000;

// libvips can open far more than is accepted, by loaders that see fewer hostile files.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["Jpeg", "Png", "Nsgif", "Webp"].map((format) => `VipsForeignLoad${format}`),
});
sharp.cache(false);
sharp.concurrency(1);

/**
 * Pixels of one frame as it is shown, turned upright by EXIF. Decodes the whole picture, of an animation as many frames as have
 * 100 megapixels in all. Throws a `MediaDamage` for a picture that is cut short or broken, or has over 100 megapixels itself.
 */
export const readImage = async (
  bytes: Buffer,
  format: ImageFormat,
): Promise<{ readonly width: number; readonly height: number }> => {
  const head = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw damage(error, format);
    });
  if (head.format !== format) throw MediaDamage.broken(format);
  const { width, height } = head.autoOrient;
  if (width * height > mostPixels) {
    const size = (width * height) / 1_000_000;
    throw new MediaDamage(
      `The image has ${Math.ceil(size * 10) / 10} megapixels (${width} × ${height}). Send one of at most 100 megapixels.`,
    );
  }
  const frames = Math.max(1, Math.min(head.pages ?? 1, Math.floor(mostPixels / (width * height))));
  // Every pixel is decoded and one colour of it kept, so that the largest picture stays at 100 MB.
  await sharp(bytes, { limitInputPixels: mostPixels, failOn: "error", sequentialRead: true, pages: frames })
    .extractChannel(0)
    .raw({ depth: "uchar" })
    .toBuffer()
    .catch((error: unknown) => {
      throw damage(error, format);
    });
  return { width, height };
};

const damage = (error: unknown, format: ImageFormat): unknown => {
  const text = error instanceof Error ? error.message : String(error);
  const isCut = /premature|truncat|unexpected end|not enough data|end of (file|stream)/i.test(text);
  return isCut ? MediaDamage.cutShort(format) : MediaDamage.broken(format);
};

/** A picture's thumbnail as WebP: upright, inside 400 × 400, never enlarged, with no metadata (contract H2); an animation's first frame. */
export const makeThumbnail = (bytes: Buffer): Promise<Buffer> =>
  sharp(bytes, { limitInputPixels: mostPixels, sequentialRead: true })
    .autoOrient()
    .resize({ width: 400, height: 400, fit: "inside", withoutEnlargement: true })
    .webp({ quality: 80 })
    .toBuffer();
