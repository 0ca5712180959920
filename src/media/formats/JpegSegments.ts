/** Checks the segments of JPEG (ITU-T T.81, annex B). */
import type { ImageParts } from "./ImageParts.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** Progressive images have some ten scans. A decoder visits all pixels in each. */
const maxScans = 100;
const maxScannedPixels = 1_000_000_000;

/** Whether a marker has no segment: TEM, RST0 to RST7 and SOI. */
const isStandalone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** The markers between SOF0 and SOF15 that start no frame: DHT, JPG and DAC. */
const otherThanFrames = new Set([0xc4, 0xc8, 0xcc]);
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && !otherThanFrames.has(marker);

/** Metadata segments that decide how an image shows: orientation and colour profile. */
const maxProfileBytes = 4_000_000;
/** Metadata below this size is not worth a copy of the file without it. */
const minDroppedBytes = 1_000_000;
const maxDropped = 10_000;

/** Collects the file without metadata that does not show. */
class ShownSegments {
  readonly #bytes: Buffer;
  readonly #pieces: Array<Buffer> = [];
  #from = 0;
  #dropped = 0;
  #droppedBytes = 0;
  #hasExif = false;
  #profileBytes = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Adds the segment of a marker between two offsets. */
  add(marker: number, at: number, end: number): void {
    if (this.#isShown(marker, at, end)) return;
    if (++this.#dropped > maxDropped) throw MediaDamage.tooComplex("jpeg");
    this.#pieces.push(this.#bytes.subarray(this.#from, at));
    this.#droppedBytes += end - at;
    this.#from = end;
  }

  #isShown(marker: number, at: number, end: number): boolean {
    const isMetadata = (marker >= 0xe1 && marker <= 0xef && marker !== 0xee) || marker === 0xfe;
    if (!isMetadata) return true;
    if (marker === 0xe1 && !this.#hasExif && textAt(this.#bytes, at + 4, 4) === "Exif") {
      this.#hasExif = true;
      return true;
    }
    if (marker !== 0xe2 || textAt(this.#bytes, at + 4, 11) !== "ICC_PROFILE") return false;
    this.#profileBytes += end - at;
    return this.#profileBytes <= maxProfileBytes;
  }

  get whole(): Buffer {
    if (this.#droppedBytes < minDroppedBytes) return this.#bytes;
    return Buffer.concat([...this.#pieces, this.#bytes.subarray(this.#from)]);
  }
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  /** Bytes of the coefficients of all blocks. */
  readonly coefficientBytes: number;
}

const frameAt = (bytes: Buffer, at: number): Frame => {
  const components = bytes[at + 9] ?? 0;
  if (components === 0 || at + 10 + components * 3 > bytes.length) throw MediaDamage.broken("jpeg");
  const height = bytes.readUInt16BE(at + 5);
  const width = bytes.readUInt16BE(at + 7);
  const samplings = Array.from({ length: components }, (_, index) => bytes[at + 11 + index * 3] ?? 0);
  const across = Math.max(...samplings.map((sampling) => sampling >> 4));
  const down = Math.max(...samplings.map((sampling) => sampling & 15));
  if (width === 0 || height === 0 || across === 0 || down === 0) throw MediaDamage.broken("jpeg");
  const blocks = samplings.reduce(
    (sum, sampling) =>
      sum +
      Math.ceil((width * (sampling >> 4)) / across / 8) * Math.ceil((height * (sampling & 15)) / down / 8),
    0,
  );
  return { width, height, components, coefficientBytes: blocks * 128 };
};

/** The offset of the next marker: coded pixels hold no 0xFF but before a zero. */
const nextMarker = (bytes: Buffer, from: number): number => {
  let at = from;
  while (at + 1 < bytes.length) {
    if (bytes[at] !== 0xff) {
      at = bytes.indexOf(0xff, at + 1);
      if (at === -1) break;
    } else if (bytes[at + 1] === 0) at += 2;
    else if (bytes[at + 1] === 0xff) at += 1;
    else return at;
  }
  throw MediaDamage.truncated("jpeg");
};

/** Walks the segments from SOI to EOI. */
export const jpegParts = (bytes: Buffer): ImageParts => {
  const shown = new ShownSegments(bytes);
  let frame: Frame | undefined;
  let scans = 0;
  let isBuffered = false;
  let at = nextMarker(bytes, 2);
  for (; bytes[at + 1] !== 0xd9; at = nextMarker(bytes, at)) {
    const marker = bytes[at + 1] ?? 0;
    if (isStandalone(marker)) {
      at += 2;
      continue;
    }
    if (at + 4 > bytes.length) throw MediaDamage.truncated("jpeg");
    if (isFrame(marker)) {
      if (frame !== undefined) throw MediaDamage.broken("jpeg");
      frame = frameAt(bytes, at);
      // Progressive frames are decoded from a buffer of all coefficients.
      isBuffered = (marker & 3) === 2;
    }
    if (marker === 0xda) {
      scans += 1;
      isBuffered ||= (bytes[at + 4] ?? 0) < (frame?.components ?? 0);
    }
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) throw MediaDamage.broken("jpeg");
    shown.add(marker, at, at + 2 + length);
    at += 2 + length;
  }
  if (frame === undefined || scans === 0) throw MediaDamage.broken("jpeg");
  const { coefficientBytes, height, width } = frame;
  if (scans > maxScans || (isBuffered && scans * width * height > maxScannedPixels))
    throw MediaDamage.tooComplex("jpeg");
  return { width, height, decoderBytes: isBuffered ? coefficientBytes : 0, shown: shown.whole };
};
