/** Checks the frames of MP3 (MPEG-1, 2 and 2.5 audio layer III) and the tags around them. */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** kbit/s by the index in a frame's header: the first row for MPEG-1, the second for MPEG-2 and 2.5. */
const bitrates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const rates = [44_100, 48_000, 32_000] as const;

interface Frame {
  readonly length: number;
  readonly samples: number;
  readonly rate: number;
  /** Bytes of the side information after the header. A Xing header follows it. */
  readonly side: number;
}

/** The frame at an offset, or null. */
const frameAt = (bytes: Buffer, at: number): Frame | null => {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const second = bytes[at + 1] ?? 0;
  const third = bytes[at + 2] ?? 0;
  const fourth = bytes[at + 3] ?? 0;
  const version = (second >> 3) & 3; // 0: MPEG-2.5, 2: MPEG-2, 3: MPEG-1
  if ((second & 0xe6) !== 0xe2 || version === 1) return null;
  const isFirst = version === 3;
  const bitrate = bitrates[isFirst ? 0 : 1][third >> 4] ?? 0;
  const base = rates[(third >> 2) & 3];
  if (bitrate === 0 || base === undefined) return null;
  const rate = isFirst ? base : version === 2 ? base / 2 : base / 4;
  const samples = isFirst ? 1152 : 576;
  const isMono = fourth >> 6 === 3;
  return {
    length: Math.floor(((samples / 8) * bitrate * 1000) / rate) + ((third >> 1) & 1),
    samples,
    rate,
    side: isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17,
  };
};

/** A Lyrics3 tag states its size in six digits. */
const maxLyricsBytes = 1_000_020;
/** Files have a handful of tags. */
const maxTags = 32;

/** The length of the tag at an offset, even if the file is truncated in it; 0 if there is no tag. */
const tagAt = (bytes: Buffer, at: number): number => {
  if (textAt(bytes, at, 3) === "ID3") {
    if (at + 10 > bytes.length) return 10;
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10);
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
    return 10 + (a << 21) + (b << 14) + (c << 7) + d + footer;
  }
  if (textAt(bytes, at, 8) === "APETAGEX") {
    if (at + 32 > bytes.length) return 32;
    // The size excludes the header. A tag that starts with a footer has nothing else.
    const isHeader = (bytes.readUInt32LE(at + 20) & 0x20000000) !== 0;
    return isHeader ? 32 + bytes.readUInt32LE(at + 12) : 32;
  }
  if (textAt(bytes, at, 11) === "LYRICSBEGIN") {
    const tag = bytes.subarray(at, at + maxLyricsBytes);
    const ends = ["LYRICS200", "LYRICSEND"].map((end) => tag.indexOf(end, 0, "latin1"));
    const end = ends.filter((found) => found !== -1).sort((one, other) => one - other)[0];
    return end === undefined ? tag.length : end + 9;
  }
  if (textAt(bytes, at, 4) === "TAG+") return 227;
  if (textAt(bytes, at, 3) === "TAG") return 128;
  return 0;
};

const isZero = (bytes: Buffer, from: number): boolean => {
  for (let at = from; at < bytes.length; at += 1) if (bytes[at] !== 0) return false;
  return true;
};

/** The offset of the first frame: after tags and padding, and followed by another frame, a tag or the end. */
const firstFrame = (bytes: Buffer): number => {
  let at = 0;
  let tags = 0;
  for (let tag = tagAt(bytes, at); tag > 0; tag = tagAt(bytes, at)) {
    if (++tags > maxTags) throw MediaDamage.tooComplex("mp3");
    at += tag;
    if (at > bytes.length) throw MediaDamage.truncated("mp3");
  }
  const isTagged = at > 0;
  if (isTagged) while (bytes[at] === 0) at += 1;
  const frame = frameAt(bytes, at);
  if (frame === null) {
    if (at >= bytes.length) throw MediaDamage.truncated("mp3");
    throw isTagged ? MediaDamage.broken("mp3") : MediaDamage.notAccepted();
  }
  const next = at + frame.length;
  const isFollowed = next >= bytes.length || frameAt(bytes, next) !== null || tagAt(bytes, next) > 0;
  if (!isFollowed && !isZero(bytes, next))
    throw isTagged ? MediaDamage.broken("mp3") : MediaDamage.notAccepted();
  return at;
};

/** The totals that a Xing or Info header in the first frame states. */
const statedTotals = (bytes: Buffer, at: number, side: number) => {
  const header = at + 4 + side;
  if (!/^(Xing|Info)$/.test(textAt(bytes, header, 4)) || header + 16 > bytes.length) return undefined;
  const flags = bytes.readUInt32BE(header + 4);
  const frames = (flags & 1) === 0 ? 0 : bytes.readUInt32BE(header + 8);
  const size = (flags & 2) === 0 ? 0 : bytes.readUInt32BE(header + ((flags & 1) === 0 ? 8 : 12));
  return { frames, size };
};

/**
 * Seconds of sound in all frames. Throws if a frame or tag is truncated, if there are fewer frames than the
 * first one states, or if other bytes stand between frames. Without a stated count, a file that ends between
 * two frames cannot be detected as truncated.
 */
export const checkMp3 = (bytes: Buffer): number => {
  const start = firstFrame(bytes);
  const stated = statedTotals(bytes, start, frameAt(bytes, start)?.side ?? 0);
  const sound = { frames: 0, seconds: 0, end: start };
  let tags = 0;
  let at = start;
  while (at < bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame !== null) {
      at += frame.length;
      sound.end = at;
      // The frame with the totals holds no sound.
      if (stated === undefined || sound.frames > 0) sound.seconds += frame.samples / frame.rate;
      sound.frames += 1;
    } else {
      if (++tags > maxTags) throw MediaDamage.tooComplex("mp3");
      const tag = tagAt(bytes, at);
      if (tag === 0 && isZero(bytes, at)) break;
      if (tag === 0) throw bytes.length - at < 4 ? MediaDamage.truncated("mp3") : MediaDamage.broken("mp3");
      at += tag;
    }
    if (at > bytes.length) throw MediaDamage.truncated("mp3");
  }
  if (stated !== undefined) {
    // Encoders differ in whether the totals include the frame that holds them.
    const missing = stated.frames - (sound.frames - 1);
    if (missing > 1 || (missing === 1 && stated.size > sound.end - start)) throw MediaDamage.truncated("mp3");
  }
  return sound.seconds;
};
