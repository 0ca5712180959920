/** Formats by the first bytes of a file. */
// oxlint-disable no-control-regex -- the first bytes of most formats hold control characters
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaFormat } from "./MediaFormat.ts";

/** The Latin-1 text at an offset, cut at the end of the file. */
export const textAt = (bytes: Buffer, offset: number, length: number): string =>
  bytes.toString("latin1", offset, offset + length);

/** Brands of the ISO media family that are not accepted (ISO 14496-12, 23008-12). */
const otherBrands: ReadonlyArray<readonly [brand: RegExp, name: string]> = [
  [/^(heic|heix|heim|heis|hevc|hevx|mif1|msf1)$/, "a HEIC image"],
  [/^(avif|avis)$/, "an AVIF image"],
  [/^3g[gp2r]/, "a 3GP video"],
  [/^crx /, "a raw photo"],
  [/^jp[2xm] |^mjp2$/, "a JPEG 2000 image"],
];

/** First bytes of well-known formats that are not accepted, so that the refusal can name them. */
const otherFormats: ReadonlyArray<readonly [start: RegExp, name: string]> = [
  [/^%PDF-/, "a PDF document"],
  [/^PK(\x03\x04|\x05\x06|\x07\x08)/, "a ZIP archive or an office document"],
  [/^(II\*\0|MM\0\*|II\+\0|MM\0\+)/, "a TIFF image or a raw photo"],
  [/^BM.{4}\0\0\0\0/s, "a BMP image"],
  [/^\0\0[\x01\x02]\0/, "an ICO image"],
  [/^\xff\x0a|^\0\0\0\x0cJXL /, "a JPEG XL image"],
  [/^\0\0\0\x0cjP {2}/, "a JPEG 2000 image"],
  [/^8BPS/, "a Photoshop file"],
  [/^fLaC/, "a FLAC audio file"],
  [/^FLV\x01/, "a Flash video"],
  [/^FORM.{4}AIF[FC]/s, "an AIFF audio file"],
  [/^RIFF.{4}AVI /s, "an AVI video"],
  [/^#!AMR/, "an AMR audio file"],
  [/^MThd/, "a MIDI file"],
  [/^\x30\x26\xb2\x75\x8e\x66\xcf\x11/, "a Windows Media file"],
  [/^\0\0\x01[\xba\xb3]/, "an MPEG-1 or MPEG-2 video"],
  [/^\x1f\x8b|^7z\xbc\xaf|^Rar!/, "an archive"],
  [/^ADIF|^\xff[\xf0\xf1\xf8\xf9]/, "an AAC audio file without a container"],
];

const isSvg = (bytes: Buffer): boolean => {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0);
  const text = bytes.toString(isUtf16 ? "utf16le" : "utf8", 0, 4096).replace(/^\uFEFF/, "");
  return /^\s*</.test(text) && /<(\w+:)?svg[\s>/]/i.test(text);
};

/** The first box of a QuickTime file without `ftyp`. */
const oldQuickTime = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);

const isoFormat = (bytes: Buffer): MediaFormat => {
  const brand = textAt(bytes, 8, 4);
  const other = otherBrands.find(([start]) => start.test(brand));
  if (other !== undefined) throw MediaDamage.notAccepted(other[1]);
  if (brand === "qt  ") return "mov";
  return /^M4[AB] $/.test(brand) ? "m4a" : "mp4";
};

/**
 * The format that the first bytes declare. Says nothing about the rest of the file. Throws a `MediaDamage`
 * for any other format, with its name if it is well known.
 */
export const sniff = (bytes: Buffer): MediaFormat => {
  if (bytes.length === 0) throw new MediaDamage("The file is empty: send one that holds something.");
  const start = textAt(bytes, 0, 16);
  if (start.startsWith("\xff\xd8\xff")) return "jpeg";
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (/^GIF8[79]a/.test(start)) return "gif";
  if (/^RIFF.{4}WEBP/s.test(start)) return "webp";
  if (/^RIFF.{4}WAVE/s.test(start)) return "wav";
  if (start.startsWith("OggS")) return "ogg";
  if (start.startsWith("\x1a\x45\xdf\xa3")) return "webm";
  const box = textAt(bytes, 4, 4);
  if (box === "ftyp") return isoFormat(bytes);
  if (oldQuickTime.has(box)) return "mov";
  if (start.startsWith("ID3")) return "mp3";
  const other = otherFormats.find(([pattern]) => pattern.test(start));
  if (other !== undefined) throw MediaDamage.notAccepted(other[1]);
  if (isSvg(bytes)) throw MediaDamage.notAccepted("an SVG image");
  // The sync word of MPEG audio layer III has only eleven bits, so checkMp3 decides.
  if (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe6) === 0xe2) return "mp3";
  throw MediaDamage.notAccepted();
};
