/** The boxes of MP4, M4A and MOV (ISO 14496-12 and Apple's QuickTime file format): are all their bytes there? */
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaFormat } from "./MediaFormat.ts";
import { textAt } from "./MediaSniffing.ts";

interface Box {
  readonly type: string;
  /** Of what is in it, without its head. */
  readonly start: number;
  readonly end: number;
}

/** The boxes that tile a part of the file without a gap; one that reaches past the part's end is given as `null`. */
function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box | null, void> {
  let at = from;
  while (at < to) {
    const left = to - at;
    const isWide = left >= 16 && bytes.readUInt32BE(at) === 1;
    const said = left < 8 ? 0 : isWide ? Number(bytes.readBigUInt64BE(at + 8)) : bytes.readUInt32BE(at);
    // A size of 0 reaches to the end.
    const size = said === 0 ? left : said;
    const head = isWide ? 16 : 8;
    if (left < 8 || size < head || size > left) {
      yield null;
      return;
    }
    yield { type: textAt(bytes, at + 4, 4), start: at + head, end: at + size };
    at += size;
  }
}

/** A box inside another; inner boxes that are out of order end the search, as a list may end with padding. */
const inner = (bytes: Buffer, { start, end }: Box, type: string): Box | undefined => {
  for (const box of boxesIn(bytes, start, end)) {
    if (box === null) return undefined;
    if (box.type === type) return box;
  }
  return undefined;
};

const deep = (bytes: Buffer, box: Box, path: ReadonlyArray<string>): Box | undefined =>
  path.reduce<Box | undefined>((found, type) => found && inner(bytes, found, type), box);

/** A table after its version and flags: `skip` bytes, a count, then that many entries; none where it does not fit its box. */
const tableOf = (bytes: Buffer, box: Box | undefined, entryBytes: number, skip = 4) => {
  if (box === undefined || box.end - box.start < skip + 4) return undefined;
  const count = bytes.readUInt32BE(box.start + skip);
  const start = box.start + skip + 4;
  return count * entryBytes <= box.end - start ? { count, start } : undefined;
};

/** How many samples a track has, and where the last byte of them would be. */
const samplesOf = (bytes: Buffer, track: Box, format: MediaFormat) => {
  const table = deep(bytes, track, ["mdia", "minf", "stbl"]);
  if (table === undefined) throw MediaDamage.broken(format);
  const wide = inner(bytes, table, "co64");
  const chunks = tableOf(bytes, wide ?? inner(bytes, table, "stco"), wide ? 8 : 4);
  const runs = tableOf(bytes, inner(bytes, table, "stsc"), 12);
  const sizeBox = inner(bytes, table, "stsz");
  const compact = inner(bytes, table, "stz2");
  const each = sizeBox && sizeBox.end - sizeBox.start >= 12 ? bytes.readUInt32BE(sizeBox.start + 4) : 0;
  const sizes = sizeBox ? tableOf(bytes, sizeBox, each > 0 ? 0 : 4, 8) : tableOf(bytes, compact, 0, 8);
  if (chunks === undefined || runs === undefined || sizes === undefined) throw MediaDamage.broken(format);

  /** Bytes of one sample; not known for the compact table, and not meant by the 1 of old QuickTime sound. */
  const sizeOf = (sample: number): number => {
    if (sizeBox === undefined || each === 1) return 0;
    return each > 0 ? each : bytes.readUInt32BE(sizes.start + sample * 4);
  };
  let end = 0;
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < chunks.count && sample < sizes.count; chunk += 1) {
    const from = wide
      ? Number(bytes.readBigUInt64BE(chunks.start + chunk * 8))
      : bytes.readUInt32BE(chunks.start + chunk * 4);
    while (run + 1 < runs.count && bytes.readUInt32BE(runs.start + (run + 1) * 12) <= chunk + 1) run += 1;
    const inChunk = runs.count === 0 ? 0 : bytes.readUInt32BE(runs.start + run * 12 + 4);
    const last = Math.min(sample + inChunk, sizes.count);
    let length = 0;
    if (each > 0) length = (last - sample) * sizeOf(0);
    else for (let one = sample; one < last; one += 1) length += sizeOf(one);
    end = Math.max(end, from + Math.max(length, 1));
    sample = last;
  }
  return { count: sizes.count, end };
};

/** Where the last byte would be that an index of fragments speaks of. */
const indexedEnd = (bytes: Buffer, { start, end }: Box): number => {
  if (end - start < 12) return end;
  const isWide = bytes[start] === 1;
  const counts = start + (isWide ? 28 : 20);
  if (end - counts < 4) return end;
  let at = end + (isWide ? Number(bytes.readBigUInt64BE(start + 20)) : bytes.readUInt32BE(start + 16));
  const count = Math.min(bytes.readUInt16BE(counts + 2), Math.floor((end - counts - 4) / 12));
  for (let entry = 0; entry < count; entry += 1)
    at += bytes.readUInt32BE(counts + 4 + entry * 12) & 0x7fffffff;
  return at;
};

/**
 * Throws where bytes of the file are missing: its boxes do not tile it, the one that describes it is not there, or
 * descriptions speak of bytes past its end. A fragmented file that ends between two fragments and has no index looks whole.
 */
export const checkIsoMedia = (bytes: Buffer, format: MediaFormat): void => {
  let movie: Box | undefined;
  let fragments = 0;
  let last = "";
  let reach = 0;
  for (const box of boxesIn(bytes, 0, bytes.length)) {
    if (box === null) throw MediaDamage.cutShort(format);
    if (box.type === "moov") movie = box;
    if (box.type === "moof") fragments += 1;
    if (box.type === "sidx") reach = Math.max(reach, indexedEnd(bytes, box));
    last = box.type;
  }
  if (movie === undefined || last === "moof") throw MediaDamage.cutShort(format);
  let samples = 0;
  for (const box of boxesIn(bytes, movie.start, movie.end)) {
    // Inside the movie a list may end with four bytes of zero.
    if (box === null) break;
    if (box.type !== "trak") continue;
    const track = samplesOf(bytes, box, format);
    samples += track.count;
    reach = Math.max(reach, track.end);
  }
  const isFragmented = inner(bytes, movie, "mvex") !== undefined;
  if (reach > bytes.length || (isFragmented && samples + fragments === 0)) throw MediaDamage.cutShort(format);
  if (samples + fragments === 0) throw MediaDamage.nothingIn(format);
};
