/** Checks the boxes of MP4, M4A and MOV (ISO 14496-12 and Apple's QuickTime file format). */
import type { Box, IsoBoxes } from "./IsoBoxes.ts";
import { MediaDamage } from "./MediaDamage.ts";

/** The number of samples in a track, and the offset after the last byte of them. */
const samplesOf = (boxes: IsoBoxes, track: Box) => {
  const { bytes, format } = boxes;
  const box = boxes.innermost(track, ["mdia", "minf", "stbl"]);
  if (box === undefined) throw MediaDamage.broken(format);
  const wide = boxes.inner(box, "co64");
  const chunks = boxes.table(wide ?? boxes.inner(box, "stco"), wide ? 64 : 32);
  const runs = boxes.table(boxes.inner(box, "stsc"), 96);
  const sizeBox = boxes.inner(box, "stsz");
  const commonSize = sizeBox && sizeBox.end - sizeBox.start >= 12 ? bytes.readUInt32BE(sizeBox.start + 4) : 0;
  const compact = sizeBox === undefined ? boxes.inner(box, "stz2") : undefined;
  const sizes =
    compact === undefined
      ? boxes.table(sizeBox, commonSize > 0 ? 0 : 32, 8)
      : boxes.table(compact, boxes.byte(compact, 7), 8);
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
export const checkIsoMedia = (boxes: IsoBoxes): void => {
  const { bytes, format } = boxes;
  const file = { movie: undefined as Box | undefined, fragments: 0, samples: 0, lastType: "", reach: 0 };
  for (const box of boxes.within(0, bytes.length)) {
    if (box === null) throw MediaDamage.truncated(format);
    if (box.type === "moov") file.movie = box;
    if (box.type === "moof") file.fragments += 1;
    if (box.type === "sidx") file.reach = Math.max(file.reach, indexedEnd(bytes, box));
    file.lastType = box.type;
  }
  const { fragments, lastType, movie } = file;
  if (movie === undefined || lastType === "moof") throw MediaDamage.truncated(format);
  for (const box of boxes.within(movie.start, movie.end)) {
    // The list may end with four bytes of zero.
    if (box === null) break;
    if (box.type !== "trak") continue;
    const { count, end } = samplesOf(boxes, box);
    file.samples += count;
    file.reach = Math.max(file.reach, end);
  }
  const isEmpty = file.samples + fragments === 0;
  const isFragmented = boxes.inner(movie, "mvex") !== undefined;
  if (file.reach > bytes.length || (isFragmented && isEmpty)) throw MediaDamage.truncated(format);
  if (isEmpty) throw MediaDamage.empty(format);
};
