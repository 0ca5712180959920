/** Hostile MP3, OGG and WAV files. */
import {
  fixture,
  fullSize,
  hostileFiles,
  joined,
  latin,
  repeated,
  u16le,
  u32,
  u32le,
  u8,
} from "./HostileBytes.ts";

const sound = () => fixture("sound.mp3");
const frame = () => fixture("uncounted.mp3");

/** The shortest frame: MPEG-2, 8 kbit/s, 24 kHz. */
const tinyFrame = joined(u8(0xff, 0xf3, 0x14, 0xc0), Buffer.alloc(20));
const emptyTag = joined(latin("ID3\x03\0\0"), u8(0, 0, 0, 0));

const mp3s = hostileFiles({
  "an MP3 with millions of nested Lyrics tags": () => joined(frame(), repeated(latin("LYRICSBEGIN"))),
  "an MP3 with millions of Lyrics tags": () => joined(frame(), repeated(latin("LYRICSBEGINLYRICS200"))),
  "an MP3 with Lyrics tags that end one way only": () =>
    joined(frame(), repeated(latin("LYRICSBEGINLYRICSEND"))),
  "an MP3 with millions of empty ID3 tags before it": () => joined(repeated(emptyTag), frame()),
  "an MP3 with millions of empty ID3 tags after it": () => joined(frame(), repeated(emptyTag)),
  "an MP3 with an ID3 tag of 256 MB": () => joined(latin("ID3\x03\0\0"), u8(127, 127, 127, 127), frame()),
  "an MP3 with 150,000 tags between frames": () =>
    joined(frame(), repeated(joined(latin("TAG"), Buffer.alloc(125)))),
  "an MP3 with an APE tag of 4 GB": () =>
    joined(frame(), latin("APETAGEX"), u32le(2000, 0xffffffff, 1, 0xffffffff, 0, 0)),
  "an MP3 of millions of tiny frames": () => repeated(tinyFrame),
  "an MP3 that states 4294967295 frames": () => {
    const bytes = sound();
    const at = Math.max(bytes.indexOf("Xing", 0, "latin1"), bytes.indexOf("Info", 0, "latin1"));
    u32(0xffffffff).copy(bytes, at + 8);
    return bytes;
  },
  "an MP3 with 20 MB of zeros after it": () => joined(frame(), Buffer.alloc(fullSize)),
  "an MP3 with 20 MB of 0xFF after it": () => joined(frame(), Buffer.alloc(fullSize, 255)),
  "20 MB of 0xFF": () => Buffer.alloc(fullSize, 255),
  "an ID3 tag and 20 MB of zeros": () => joined(emptyTag, Buffer.alloc(fullSize)),
});

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** A page of OGG with its checksum. */
const page = (flags: number, serial: number, content: Buffer = Buffer.alloc(0)): Buffer => {
  const lacing = content.length === 0 ? Buffer.alloc(0) : u8(content.length);
  const head = [latin("OggS"), u8(0, flags), u32le(0, 0), u32le(serial, 0, 0), u8(lacing.length)];
  const bytes = joined(...head, lacing, content);
  let sum = 0;
  for (const byte of bytes) sum = (sum << 8) ^ (crcTable[(sum >>> 24) ^ byte] ?? 0);
  bytes.writeUInt32LE(sum >>> 0, 22);
  return bytes;
};
const opus = joined(latin("OpusHead"), u8(1, 1, 0, 0), u32le(48_000), u8(0, 0, 0));
const first = page(2, 7, opus);
const last = page(4, 7);

const oggs = hostileFiles({
  "an OGG with millions of empty pages": () => joined(first, repeated(page(0, 7), fullSize - 1000), last),
  "an OGG with 100,000 streams": () => {
    const pages = Array.from({ length: 100_000 }, (_, serial) => page(2, serial, opus));
    return Buffer.concat(pages);
  },
  "an OGG that starts one stream many times": () => repeated(first),
  "an OGG with many streams in a row": () => repeated(joined(first, last)),
  "an OGG with many pages of unknown streams": () =>
    joined(first, last, repeated(page(2, 9, latin("unknown stream of a hostile file")), fullSize - 1000)),
  "an OGG whose page states more than the file has": () => {
    const bytes = Buffer.from(first);
    bytes[26] = 255;
    return bytes;
  },
  "an OGG with a false checksum": () => joined(first.subarray(0, first.length - 1), u8(9), last),
  "an OGG with a rate of zero": () => joined(page(2, 7, joined(latin("\x01vorbis"), Buffer.alloc(23))), last),
  "an OGG of one page that is the last": () => page(6, 7, opus),
});

const format = joined(latin("fmt "), u32le(16), u16le(1, 1), u32le(8000, 16_000), u16le(2, 16));
const wav = (...chunks: ReadonlyArray<Buffer>) => {
  const content = joined(latin("WAVE"), ...chunks);
  return joined(latin("RIFF"), u32le(content.length), content);
};
const data = joined(latin("data"), u32le(4, 0));

const wavs = hostileFiles({
  "a WAV with millions of empty chunks": () =>
    wav(format, repeated(joined(latin("LIST"), u32le(0)), fullSize - 1000), data),
  "a WAV with a chunk of 4 GB": () => wav(format, latin("data"), u32le(0xffffffff)),
  "a WAV with no format": () => wav(data),
  "a WAV with a rate of zero": () => wav(joined(format.subarray(0, 16), u32le(0), format.subarray(20)), data),
  "a WAV with a format of one byte": () => wav(latin("fmt "), u32le(1), u8(1, 0), data),
  "a WAV of a header only": () => latin("RIFF\xff\xff\xff\xffWAVE"),
});

export const hostileSounds = [...mp3s, ...oggs, ...wavs];
