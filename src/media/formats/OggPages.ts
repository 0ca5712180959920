/** The pages of OGG (RFC 3533) and the sound in them. */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** One stream of the file: what it holds, and how far it has come. */
interface OggStream {
  /** Samples per second, 0 for what is no sound (a Skeleton index). */
  readonly rate: number;
  /** Samples at the start that are not played. */
  readonly skipped: number;
  position: number;
}

// oxlint-disable-next-line no-control-regex -- that is how streams begin
const videos = /^(\x80theora|\x01video|BBCD\0|OVP80)/;

/** What the first packet of a stream says; undefined for what is not known. */
const openStream = (bytes: Buffer, at: number): OggStream | undefined => {
  const start = textAt(bytes, at, 8);
  const of = (rate: number, skipped = 0): OggStream => ({ rate, skipped, position: 0 });
  if (videos.test(start)) throw MediaDamage.notAccepted("an OGG video");
  if (at + 40 > bytes.length && !start.startsWith("Opus") && !start.startsWith("\x01vorbis"))
    return undefined;
  if (start.startsWith("\x01vorbis")) return of(bytes.readUInt32LE(at + 12));
  if (start === "OpusHead") return of(48_000, bytes.readUInt16LE(at + 10));
  if (start.startsWith("\x7fFLAC")) return of(bytes.readUIntBE(at + 27, 3) >> 4);
  if (start === "Speex   ") return of(bytes.readUInt32LE(at + 36));
  return start === "fishead\0" ? of(0) : undefined;
};

/** The checksum of pages: polynomial 0x04c11db7, highest bit first. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** Of a page, whose own checksum counts as zero. */
const checksumOf = (page: Uint8Array): number => {
  let sum = 0;
  for (let at = 0; at < page.length; at += 1) {
    const byte = at >= 22 && at < 26 ? 0 : (page[at] ?? 0);
    sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
  }
  return sum >>> 0;
};

const pageAt = (bytes: Buffer, at: number) => {
  const whole = at + 27 <= bytes.length;
  const segments = whole ? (bytes[at + 26] ?? 0) : 0;
  const body = at + 27 + segments;
  if (textAt(bytes, at, 4) !== "OggS" && at + 4 <= bytes.length) throw MediaDamage.broken("ogg");
  if (!whole || body > bytes.length) throw MediaDamage.cutShort("ogg");
  let end = body;
  for (let segment = at + 27; segment < body; segment += 1) end += bytes[segment] ?? 0;
  if (end > bytes.length) throw MediaDamage.cutShort("ogg");
  const flags = bytes[at + 5] ?? 0;
  return {
    body,
    end,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    position: bytes.readBigInt64LE(at + 6),
    serial: bytes.readUInt32LE(at + 14),
    isIntact: checksumOf(bytes.subarray(at, end)) === bytes.readUInt32LE(at + 22),
  };
};

/** Seconds of sound. Throws where a page is not all there, or a stream of sound has no last page, or a checksum is wrong. */
export const checkOgg = (bytes: Buffer): number => {
  const streams = new Map<number, OggStream>();
  const ended: Array<OggStream> = [];
  let at = 0;
  while (at < bytes.length) {
    const page = pageAt(bytes, at);
    if (!page.isIntact) throw MediaDamage.broken("ogg");
    if (page.isFirst) {
      const opened = openStream(bytes, page.body);
      if (opened !== undefined) streams.set(page.serial, opened);
    }
    const stream = streams.get(page.serial);
    if (stream !== undefined) {
      // -1: no packet ends on this page.
      if (page.position >= 0n) stream.position = Number(page.position);
      if (page.isLast) {
        ended.push(stream);
        streams.delete(page.serial);
      }
    }
    at = page.end;
  }
  if ([...streams.values()].some(({ rate }) => rate > 0)) throw MediaDamage.cutShort("ogg");
  const sounds = ended.filter(({ rate }) => rate > 0);
  if (sounds.length === 0) throw MediaDamage.nothingIn("ogg");
  return sounds.reduce((sum, { position, skipped, rate }) => sum + Math.max(position - skipped, 0) / rate, 0);
};
