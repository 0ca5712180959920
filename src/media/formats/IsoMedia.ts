/** Checks the boxes of MP4, M4A and MOV (ISO 14496-12 and Apple's QuickTime file format). */
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaFormat } from "./MediaFormat.ts";
import { textAt } from "./MediaSniffing.ts";

interface Box {
  readonly type: string;
  /** Offset of its content, after its header. */
  readonly start: number;
  readonly end: number;
}

/** The consecutive boxes of a part of the file. A box that extends past the part's end is yielded as null. */
function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box | null, void> {
  let at = from;
  while (at < to) {
    const left = to - at;
    const isWide = left >= 16 && bytes.readUInt32BE(at) === 1;
    const stated = left < 8 ? 0 : isWide ? Number(bytes.readBigUInt64BE(at + 8)) : bytes.readUInt32BE(at);
    // A size of 0 means up to the end.
    const size = stated === 0 ? left : stated;
    const header = isWide ? 16 : 8;
    if (left < 8 || size < header || size > left) {
      yield null;
      return;
    }
    yield { type: textAt(bytes, at + 4, 4), start: at + header, end: at + size };
    at += size;
  }
}

/** The first box of a type inside another. An invalid box ends the search: it may be padding. */
const inner = (bytes: Buffer, { start, end }: Box, type: string): Box | undefined => {
  for (const box of boxesIn(bytes, start, end)) {
    if (box === null) return undefined;
    if (box.type === type) return box;
  }
  return undefined;
};

const innermost = (bytes: Buffer, box: Box, path: ReadonlyArray<string>): Box | undefined =>
  path.reduce<Box | undefined>((found, type) => found && inner(bytes, found, type), box);

/** A table in a box: `skip` bytes, a count, then that many entries. Undefined if it does not fit its box. */
const tableOf = (bytes: Buffer, box: Box | undefined, entryBytes: number, skip = 4) => {
  if (box === undefined || box.end - box.start < skip + 4) return undefined;
  const count = bytes.readUInt32BE(box.start + skip);
  const start = box.start + skip + 4;
  return count * entryBytes <= box.end - start ? { count, start } : undefined;
};

/** The number of samples in a track, and the offset after the last byte of them. */
const samplesOf = (bytes: Buffer, track: Box, format: MediaFormat) => {
  const box = innermost(bytes, track, ["mdia", "minf", "stbl"]);
  if (box === undefined) throw MediaDamage.broken(format);
  const wide = inner(bytes, box, "co64");
  const chunks = tableOf(bytes, wide ?? inner(bytes, box, "stco"), wide ? 8 : 4);
  const runs = tableOf(bytes, inner(bytes, box, "stsc"), 12);
  const sizeBox = inner(bytes, box, "stsz");
  const commonSize = sizeBox && sizeBox.end - sizeBox.start >= 12 ? bytes.readUInt32BE(sizeBox.start + 4) : 0;
  const sizes = sizeBox
    ? tableOf(bytes, sizeBox, commonSize > 0 ? 0 : 4, 8)
    : tableOf(bytes, inner(bytes, box, "stz2"), 0, 8);
  if (chunks === undefined || runs === undefined || sizes === undefined) throw MediaDamage.broken(format);

  /** Total bytes of the samples from `first` to before `past`; 0 if their sizes are unknown. */
  const bytesOf = (first: number, past: number): number => {
    // The compact table is not read. Old QuickTime sound states a common size of 1, which is not in bytes.
    if (sizeBox === undefined || commonSize === 1) return 0;
    if (commonSize > 0) return (past - first) * commonSize;
    let total = 0;
    for (let sample = first; sample < past; sample += 1)
      total += bytes.readUInt32BE(sizes.start + sample * 4);
    return total;
  };
  /** The first chunk of a run, and the samples in each of its chunks. */
  const runAt = (run: number) => {
    if (run >= runs.count) return { firstChunk: Infinity, samples: 0 };
    const at = runs.start + run * 12;
    return { firstChunk: bytes.readUInt32BE(at) - 1, samples: bytes.readUInt32BE(at + 4) };
  };
  const state = { end: 0, sample: 0, run: 0 };
  for (let chunk = 0; chunk < chunks.count && state.sample < sizes.count; chunk += 1) {
    while (runAt(state.run + 1).firstChunk <= chunk) state.run += 1;
    const past = Math.min(state.sample + runAt(state.run).samples, sizes.count);
    const at = chunks.start + chunk * (wide ? 8 : 4);
    const offset = wide ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at);
    state.end = Math.max(state.end, offset + Math.max(bytesOf(state.sample, past), 1));
    state.sample = past;
  }
  return { count: sizes.count, end: state.end };
};

/** The offset after the last byte that an index of fragments refers to. */
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
 * Throws if bytes of the file are missing: its boxes leave a gap, it has no `moov`, or a table refers to
 * bytes past its end. A fragmented file without an index that ends between two fragments cannot be detected
 * as truncated.
 */
export const checkIsoMedia = (bytes: Buffer, format: MediaFormat): void => {
  const file = { movie: undefined as Box | undefined, fragments: 0, samples: 0, lastType: "", reach: 0 };
  for (const box of boxesIn(bytes, 0, bytes.length)) {
    if (box === null) throw MediaDamage.truncated(format);
    if (box.type === "moov") file.movie = box;
    if (box.type === "moof") file.fragments += 1;
    if (box.type === "sidx") file.reach = Math.max(file.reach, indexedEnd(bytes, box));
    file.lastType = box.type;
  }
  const { fragments, lastType, movie } = file;
  if (movie === undefined || lastType === "moof") throw MediaDamage.truncated(format);
  for (const box of boxesIn(bytes, movie.start, movie.end)) {
    // The list may end with four bytes of zero.
    if (box === null) break;
    if (box.type !== "trak") continue;
    const { count, end } = samplesOf(bytes, box, format);
    file.samples += count;
    file.reach = Math.max(file.reach, end);
  }
  const isEmpty = file.samples + fragments === 0;
  const isFragmented = inner(bytes, movie, "mvex") !== undefined;
  if (file.reach > bytes.length || (isFragmented && isEmpty)) throw MediaDamage.truncated(format);
  if (isEmpty) throw MediaDamage.empty(format);
};
