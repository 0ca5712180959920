/** The frames of MP3 (MPEG-1, 2 and 2.5 audio layer III) and the tags around them. */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** kbit/s by the index in a frame's head; the first row for MPEG-1, the second for MPEG-2 and 2.5. */
const bitrates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const rates = [44_100, 48_000, 32_000] as const;

interface Frame {
  readonly length: number;
  readonly samples: number;
  readonly rate: number;
  /** Bytes of the side information after the head, behind which a Xing head stands. */
  readonly side: number;
}

const frameAt = (bytes: Buffer, at: number): Frame | null => {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return null;
  const [second = 0, third = 0, fourth = 0] = bytes.subarray(at + 1, at + 4);
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

/** The length of a tag that begins here, past the file's end where it is cut; 0 where there is none. */
const tagAt = (bytes: Buffer, at: number): number => {
  if (textAt(bytes, at, 3) === "ID3") {
    if (at + 10 > bytes.length) return 10;
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at + 6, at + 10);
    const footer = ((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10;
    return 10 + (a << 21) + (b << 14) + (c << 7) + d + footer;
  }
  if (textAt(bytes, at, 8) === "APETAGEX") {
    if (at + 32 > bytes.length) return 32;
    // The size counts all but the head; what begins with a footer is only that.
    const isHead = (bytes.readUInt32LE(at + 20) & 0x20000000) !== 0;
    return isHead ? 32 + bytes.readUInt32LE(at + 12) : 32;
  }
  if (textAt(bytes, at, 11) === "LYRICSBEGIN") {
    const ends = ["LYRICS200", "LYRICSEND"].map((end) => bytes.indexOf(end, at, "latin1"));
    const end = ends.filter((found) => found !== -1).sort((one, other) => one - other)[0];
    return end === undefined ? bytes.length : end + 9 - at;
  }
  if (textAt(bytes, at, 4) === "TAG+") return 227;
  if (textAt(bytes, at, 3) === "TAG") return 128;
  return 0;
};

const isZero = (bytes: Buffer, from: number): boolean => bytes.subarray(from).every((byte) => byte === 0);

/** The first frame: after tags and the zeros that some writers leave, and followed by another, a tag or the end. */
const firstFrame = (bytes: Buffer): number => {
  let at = 0;
  for (let tag = tagAt(bytes, at); tag > 0; tag = tagAt(bytes, at)) {
    at += tag;
    if (at > bytes.length) throw MediaDamage.cutShort("mp3");
  }
  const tagged = at > 0;
  if (tagged) while (bytes[at] === 0) at += 1;
  const frame = frameAt(bytes, at);
  if (frame === null) {
    if (at >= bytes.length) throw MediaDamage.cutShort("mp3");
    throw tagged ? MediaDamage.broken("mp3") : MediaDamage.notAccepted();
  }
  const next = at + frame.length;
  const goesOn = next >= bytes.length || frameAt(bytes, next) !== null || tagAt(bytes, next) > 0;
  if (!goesOn && !isZero(bytes, next)) throw tagged ? MediaDamage.broken("mp3") : MediaDamage.notAccepted();
  return at;
};

/** What a Xing or Info head in the first frame says that there is in all. */
const promised = (bytes: Buffer, at: number, side: number) => {
  const head = at + 4 + side;
  if (!/^(Xing|Info)$/.test(textAt(bytes, head, 4)) || head + 16 > bytes.length) return undefined;
  const flags = bytes.readUInt32BE(head + 4);
  const frames = (flags & 1) === 0 ? 0 : bytes.readUInt32BE(head + 8);
  const size = (flags & 2) === 0 ? 0 : bytes.readUInt32BE(head + ((flags & 1) === 0 ? 8 : 12));
  return { frames, size };
};

/**
 * Seconds of sound by all its frames. Throws where the last frame or a tag is not all there, where fewer frames are there than the
 * first one says, and where something is between frames that is neither a frame nor a tag. Without such a count a file that
 * ends between two frames is whole.
 */
export const checkMp3 = (bytes: Buffer): number => {
  const start = firstFrame(bytes);
  const head = promised(bytes, start, frameAt(bytes, start)?.side ?? 0);
  let at = start;
  let frames = 0;
  let seconds = 0;
  let soundEnd = start;
  while (at < bytes.length) {
    const frame = frameAt(bytes, at);
    if (frame !== null) {
      at += frame.length;
      soundEnd = at;
      // A frame that holds the count holds no sound.
      if (head === undefined || frames > 0) seconds += frame.samples / frame.rate;
      frames += 1;
    } else {
      const tag = tagAt(bytes, at);
      if (tag === 0 && isZero(bytes, at)) break;
      if (tag === 0) throw bytes.length - at < 4 ? MediaDamage.cutShort("mp3") : MediaDamage.broken("mp3");
      at += tag;
    }
    if (at > bytes.length) throw MediaDamage.cutShort("mp3");
  }
  if (head !== undefined) {
    // Writers differ in whether the count and the size take in the frame that holds them.
    const missing = head.frames - (frames - 1);
    if (missing > 1 || (missing === 1 && head.size > soundEnd - start)) throw MediaDamage.cutShort("mp3");
  }
  return seconds;
};
