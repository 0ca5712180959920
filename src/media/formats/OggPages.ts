/** Checks the pages of OGG (RFC 3533) and measures the sound in them. */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** A logical stream of the file. */
interface OggStream {
  /** Samples per second; 0 for a stream without sound (a Skeleton index). */
  readonly rate: number;
  /** Samples at the start that are not played. */
  readonly skipped: number;
  /** Samples up to the current page. */
  position: number;
}

// oxlint-disable-next-line no-control-regex -- stream headers hold control characters
const videoHeader = /^(\x80theora|\x01video|BBCD\0|OVP80)/;

/** The stream that a first packet opens; undefined for an unknown codec. */
const openStream = (bytes: Buffer, at: number): OggStream | undefined => {
  const start = textAt(bytes, at, 8);
  const stream = (rate: number, skipped = 0): OggStream => ({ rate, skipped, position: 0 });
  if (videoHeader.test(start)) throw MediaDamage.notAccepted("an OGG video");
  if (at + 40 > bytes.length && !start.startsWith("Opus") && !start.startsWith("\x01vorbis"))
    return undefined;
  if (start.startsWith("\x01vorbis")) return stream(bytes.readUInt32LE(at + 12));
  if (start === "OpusHead") return stream(48_000, bytes.readUInt16LE(at + 10));
  if (start.startsWith("\x7fFLAC")) return stream(bytes.readUIntBE(at + 27, 3) >> 4);
  if (start === "Speex   ") return stream(bytes.readUInt32LE(at + 36));
  return start === "fishead\0" ? stream(0) : undefined;
};

/** The table for page checksums: polynomial 0x04c11db7, highest bit first. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** The checksum of the page between two offsets. The page's own checksum field counts as zero. */
const checksumOf = (bytes: Buffer, from: number, to: number): number => {
  let sum = 0;
  for (let at = from; at < to; at += 1) {
    const byte = at >= from + 22 && at < from + 26 ? 0 : (bytes[at] ?? 0);
    sum = (sum << 8) ^ (crcTable[(sum >>> 24) ^ byte] ?? 0);
  }
  return sum >>> 0;
};

/** `OggS` */
const pageStart = 0x4f676753;

/** The page at an offset. Throws if it is truncated or invalid. */
const pageAt = (bytes: Buffer, at: number) => {
  const hasHeader = at + 27 <= bytes.length;
  const segments = hasHeader ? (bytes[at + 26] ?? 0) : 0;
  const body = at + 27 + segments;
  if (at + 4 <= bytes.length && bytes.readUInt32BE(at) !== pageStart) throw MediaDamage.broken("ogg");
  if (!hasHeader || body > bytes.length) throw MediaDamage.truncated("ogg");
  let end = body;
  for (let segment = at + 27; segment < body; segment += 1) end += bytes[segment] ?? 0;
  if (end > bytes.length) throw MediaDamage.truncated("ogg");
  const flags = bytes[at + 5] ?? 0;
  return {
    body,
    end,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    /** -1: no packet ends on this page. */
    position: bytes.readInt32LE(at + 10) * 2 ** 32 + bytes.readUInt32LE(at + 6),
    serial: bytes.readUInt32LE(at + 14),
    isIntact: checksumOf(bytes, at, end) === bytes.readUInt32LE(at + 22),
  };
};

/** A chain of songs has a stream for each. */
const maxStreams = 1000;

/** Seconds of sound. Throws if a page is truncated or damaged, or a stream of sound has no last page. */
export const checkOgg = (bytes: Buffer): number => {
  const streams = new Map<number, OggStream>();
  const ended: Array<OggStream> = [];
  let opens = 0;
  let at = 0;
  while (at < bytes.length) {
    const page = pageAt(bytes, at);
    if (!page.isIntact) throw MediaDamage.broken("ogg");
    if (page.isFirst) {
      const opened = openStream(bytes, page.body);
      if (opened !== undefined && ++opens > maxStreams) throw MediaDamage.tooComplex("ogg");
      if (opened !== undefined) streams.set(page.serial, opened);
    }
    const stream = streams.get(page.serial);
    if (stream !== undefined) {
      if (page.position >= 0) stream.position = page.position;
      if (page.isLast) {
        ended.push(stream);
        streams.delete(page.serial);
      }
    }
    at = page.end;
  }
  if ([...streams.values()].some(({ rate }) => rate > 0)) throw MediaDamage.truncated("ogg");
  const sounds = ended.filter(({ rate }) => rate > 0);
  if (sounds.length === 0) throw MediaDamage.empty("ogg");
  return sounds.reduce((sum, { position, skipped, rate }) => sum + Math.max(position - skipped, 0) / rate, 0);
};
