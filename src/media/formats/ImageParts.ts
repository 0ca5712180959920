/** Facts that the parts of an image file declare. */
export interface ImageParts {
  /** The canvas in pixels, before rotation by EXIF. */
  readonly width: number;
  readonly height: number;
  /** Bytes that a decoder of this format allocates at once, besides its output. */
  readonly decoderBytes: number;
  /** The file for the decoder, without parts that do not show. */
  readonly shown: Buffer;
}
