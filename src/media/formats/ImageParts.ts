/** The parts of image files, checked before a decoder sees them. */
import { gifParts } from "./GifBlocks.ts";
import { jpegParts } from "./JpegSegments.ts";
import { pngParts } from "./PngChunks.ts";
import { webpParts } from "./WebpChunks.ts";

/** What the parts of an image file declare. */
export interface ImageParts {
  /** The canvas in pixels, before rotation by EXIF. */
  readonly width: number;
  readonly height: number;
  /** Bytes that a decoder of this format allocates at once, besides its output. */
  readonly decoderBytes: number;
  /** The file for the decoder, without parts that do not show. */
  readonly shown: Buffer;
}

/**
 * The parts of a file of each format. Throws a `MediaDamage` if one is missing or invalid: a decoder accepts a
 * truncated file once it has all pixels. Takes time in proportion to the file's size.
 */
export const imageParts = { jpeg: jpegParts, png: pngParts, gif: gifParts, webp: webpParts } as const;
