/** Reads the tracks of MP4, M4A and MOV: their kind, displayed size, start and end. */
import type { Box, IsoBoxes, Table } from "./IsoBoxes.ts";
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaTrack } from "./MediaTracks.ts";

const maxTracks = 64;

/** Types of sample entries whose samples are still images, such as the chapter pictures of an M4A. */
const stillCodecs = new Set(["jpeg", "mjpa", "mjpb", "mjpg", "png ", "tiff", "gif ", "raw ", "rle "]);

/** A track while its samples are read. Times are in units of `timescale` unless they say seconds. */
interface TimedTrack {
  readonly id: number;
  readonly shape: Pick<MediaTrack, "height" | "isFilm" | "kind" | "width">;
  readonly timescale: number;
  /** Time of the first shown sample, and when it is shown, in seconds. */
  readonly mediaTime: number;
  readonly delaySeconds: number;
  start: number;
  end: number;
  /** Decode time of the next fragment without one of its own. */
  next: number;
}

/** Extends a track by `count` samples in a row, which differ only in their time. */
const extend = (track: TimedTrack, from: number, count: number, delta: number): void => {
  if (count === 0) return;
  track.start = Math.min(track.start, from);
  track.end = Math.max(track.end, from + count * delta);
};

/** Whether a matrix at this offset turns pictures by 90 or 270 degrees. */
const isTurned = (boxes: IsoBoxes, box: Box, offset: number): boolean =>
  Math.abs(boxes.signed32(box, offset + 4)) > Math.abs(boxes.signed32(box, offset));

/** The displayed size of a video: pixels that are not square widen or heighten it. */
const sizeOf = (boxes: IsoBoxes, entry: Box, turned: boolean) => {
  let [width, height] = [boxes.int16(entry, 24), boxes.int16(entry, 26)];
  const ratio = boxes.inner({ start: Math.min(entry.start + 78, entry.end), end: entry.end }, "pasp");
  const [across, down] = ratio === undefined ? [1, 1] : [boxes.int32(ratio, 0), boxes.int32(ratio, 4)];
  if (across > down && down > 0) width = Math.round((width * across) / down);
  else if (across > 0) height = Math.round((height * down) / across);
  return turned ? { width: height, height: width } : { width, height };
};

/** The first edit that shows samples: after an empty one the track starts late. */
const firstEdit = (boxes: IsoBoxes, track: Box, movieTimescale: number) => {
  const box = boxes.innermost(track, ["edts", "elst"]);
  let delay = 0;
  if (box === undefined) return { mediaTime: 0, delaySeconds: 0 };
  const isWide = boxes.byte(box, 0) === 1;
  const table = boxes.table(box, isWide ? 160 : 96);
  if (table === undefined) throw MediaDamage.broken(boxes.format);
  for (let entry = 0; entry < table.count; entry += 1) {
    const at = table.start + entry * (isWide ? 20 : 12);
    const { bytes } = boxes;
    const mediaTime = isWide ? Number(bytes.readBigInt64BE(at + 8)) : bytes.readInt32BE(at + 4);
    if (mediaTime !== -1) return { mediaTime, delaySeconds: delay === 0 ? 0 : delay / movieTimescale };
    delay += isWide ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at);
  }
  return { mediaTime: 0, delaySeconds: 0 };
};

/** The samples of a track's tables: runs of equal durations, shifted by runs of equal offsets. */
const readTables = (boxes: IsoBoxes, track: TimedTrack, tables: Box): void => {
  const { bytes } = boxes;
  const required = (box: Box | undefined): Table => {
    const table = box === undefined ? { count: 0, start: 0 } : boxes.table(box, 64);
    if (table === undefined) throw MediaDamage.broken(boxes.format);
    return table;
  };
  const times = required(boxes.inner(tables, "stts"));
  const shifts = required(boxes.inner(tables, "ctts"));
  const shift = { run: -1, left: 0, offset: 0 };
  for (let run = 0; run < times.count; run += 1) {
    let left = bytes.readUInt32BE(times.start + run * 8);
    const delta = bytes.readUInt32BE(times.start + run * 8 + 4);
    while (left > 0) {
      while (shift.left === 0) {
        shift.run += 1;
        const at = shifts.start + shift.run * 8;
        const isPast = shift.run >= shifts.count;
        shift.left = isPast ? Infinity : bytes.readUInt32BE(at);
        shift.offset = isPast ? 0 : bytes.readInt32BE(at + 4);
      }
      const samples = Math.min(left, shift.left);
      extend(track, track.next + shift.offset, samples, delta);
      track.next += samples * delta;
      left -= samples;
      shift.left -= samples;
    }
  }
};

/** A track without its samples; undefined if it shows neither pictures nor sound. */
const readTrack = (boxes: IsoBoxes, box: Box, movie: { timescale: number; turned: boolean }) => {
  const header = boxes.inner(box, "tkhd");
  const media = boxes.innermost(box, ["mdia", "mdhd"]);
  const handler = boxes.innermost(box, ["mdia", "hdlr"]);
  const tables = boxes.innermost(box, ["mdia", "minf", "stbl"]);
  const entries = tables && boxes.inner(tables, "stsd");
  if (header === undefined || media === undefined || handler === undefined || entries === undefined) return;
  const type = boxes.text(handler, 8);
  const [entry] = boxes.within(Math.min(entries.start + 8, entries.end), entries.end);
  if ((type !== "vide" && type !== "soun") || entry === undefined || entry === null) return;
  const isWide = boxes.byte(header, 0) === 1;
  const turned = isTurned(boxes, header, isWide ? 52 : 40) !== movie.turned;
  const timescale = boxes.int32(media, boxes.byte(media, 0) === 1 ? 20 : 12);
  if (timescale === 0) throw MediaDamage.broken(boxes.format);
  const track: TimedTrack = {
    id: boxes.int32(header, isWide ? 20 : 12),
    shape:
      type === "vide"
        ? { kind: "video", isFilm: !stillCodecs.has(entry.type), ...sizeOf(boxes, entry, turned) }
        : { kind: "audio", isFilm: false, width: 0, height: 0 },
    timescale,
    ...firstEdit(boxes, box, movie.timescale),
    start: Infinity,
    end: -Infinity,
    next: 0,
  };
  readTables(boxes, track, tables as Box);
  return track;
};

/** The samples of a fragment's run. Those without a duration have the default one. */
const readRun = (boxes: IsoBoxes, track: TimedTrack, run: Box, defaultDelta: number): void => {
  const flags = boxes.int32(run, 0) & 0xffffff;
  const has = (flag: number) => ((flags & flag) === 0 ? 0 : 4);
  const count = boxes.int32(run, 4);
  const entryBytes = has(0x100) + has(0x200) + has(0x400) + has(0x800);
  const start = run.start + 8 + has(0x1) + has(0x4);
  if (start + count * entryBytes > run.end) throw MediaDamage.broken(boxes.format);
  if (has(0x100) + has(0x800) === 0) {
    extend(track, track.next, count, defaultDelta);
    track.next += count * defaultDelta;
    return;
  }
  for (let at = start; at < start + count * entryBytes; at += entryBytes) {
    const delta = has(0x100) === 0 ? defaultDelta : boxes.bytes.readUInt32BE(at);
    const shift = has(0x800) === 0 ? 0 : boxes.bytes.readInt32BE(at + entryBytes - 4);
    extend(track, track.next + shift, 1, delta);
    track.next += delta;
  }
};

const readFragment = (
  boxes: IsoBoxes,
  tracks: ReadonlyMap<number, TimedTrack>,
  defaults: ReadonlyMap<number, number>,
  fragment: Box,
): void => {
  const header = boxes.inner(fragment, "tfhd");
  const track = header && tracks.get(boxes.int32(header, 4));
  if (header === undefined || track === undefined) return;
  const flags = boxes.int32(header, 0) & 0xffffff;
  const durationAt = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4);
  const delta = (flags & 8) === 0 ? (defaults.get(track.id) ?? 0) : boxes.int32(header, durationAt);
  const time = boxes.inner(fragment, "tfdt");
  if (time !== undefined)
    track.next = boxes.byte(time, 0) === 1 ? boxes.int64(time, 4) : boxes.int32(time, 4);
  for (const run of boxes.all(fragment, "trun")) readRun(boxes, track, run, delta);
};

/** The tracks of a file that `checkIsoMedia` accepts. Takes time in proportion to its size. */
export const isoTracks = (boxes: IsoBoxes): ReadonlyArray<MediaTrack> => {
  const file = { start: 0, end: boxes.bytes.length };
  const movie = boxes.inner(file, "moov");
  const header = movie && boxes.inner(movie, "mvhd");
  if (movie === undefined || header === undefined) throw MediaDamage.broken(boxes.format);
  const isWide = boxes.byte(header, 0) === 1;
  const timescale = boxes.int32(header, isWide ? 20 : 12);
  const turned = isTurned(boxes, header, isWide ? 48 : 36);
  const tracks = new Map<number, TimedTrack>();
  let count = 0;
  for (const box of boxes.all(movie, "trak")) {
    if (++count > maxTracks) throw MediaDamage.tooComplex(boxes.format);
    const track = readTrack(boxes, box, { timescale, turned });
    if (track !== undefined) tracks.set(track.id, track);
  }
  const defaults = new Map<number, number>();
  const extension = boxes.inner(movie, "mvex");
  if (extension !== undefined) {
    for (const box of boxes.all(extension, "trex")) defaults.set(boxes.int32(box, 4), boxes.int32(box, 12));
    for (const moof of boxes.all(file, "moof"))
      for (const fragment of boxes.all(moof, "traf")) readFragment(boxes, tracks, defaults, fragment);
  }
  return [...tracks.values()].map(({ delaySeconds, end, mediaTime, shape, start, timescale: unit }) => ({
    ...shape,
    start: (start - mediaTime) / unit + delaySeconds,
    end: (end - mediaTime) / unit + delaySeconds,
  }));
};
