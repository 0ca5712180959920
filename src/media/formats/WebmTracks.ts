/** Reads the tracks of WebM: their kind, displayed size, start and end. */
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaTrack } from "./MediaTracks.ts";
import { type Element, segmentOf, type WebmElements } from "./WebmElements.ts";

type Part = Element & { readonly end: number };

const maxTracks = 64;

const ids = {
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  defaultDuration: 0x23e383,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  displayWidth: 0x54b0,
  displayHeight: 0x54ba,
  displayUnit: 0x54b2,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  blockDuration: 0x9b,
} as const;

/** A track while its blocks are read. */
interface TimedTrack {
  readonly shape: Pick<MediaTrack, "height" | "isFilm" | "kind" | "width">;
  readonly frameSeconds: number;
  start: number;
  end: number;
}

const maxIntegerBytes = 6;

/** An unsigned integer of up to six bytes; larger ones make no sense here. */
const integer = ({ bytes }: WebmElements, { end, start }: Part): number => {
  if (
    end - start > maxIntegerBytes &&
    bytes.subarray(start, end - maxIntegerBytes).some((byte) => byte !== 0)
  )
    throw MediaDamage.broken("webm");
  const from = Math.max(start, end - maxIntegerBytes);
  return end === start ? 0 : bytes.readUIntBE(from, end - from);
};

/** The integers among the children of an element, by id. */
const integersIn = (elements: WebmElements, { end, start }: Part, wanted: ReadonlySet<number>) => {
  const found = new Map<number, number>();
  for (const child of elements.within(start, end))
    if (wanted.has(child.id) && !found.has(child.id)) found.set(child.id, integer(elements, child));
  return found;
};

const sizeIds = new Set<number>([
  ids.pixelWidth,
  ids.pixelHeight,
  ids.displayWidth,
  ids.displayHeight,
  ids.displayUnit,
]);
const trackIds = new Set<number>([ids.trackNumber, ids.trackType, ids.defaultDuration]);

const pixels = 0;
const aspectRatio = 3;

/** The displayed size of a video. */
const sizeOf = (elements: WebmElements, video: Part) => {
  const fields = integersIn(elements, video, sizeIds);
  const width = fields.get(ids.pixelWidth) ?? 0;
  const height = fields.get(ids.pixelHeight) ?? 0;
  const unit = fields.get(ids.displayUnit) ?? pixels;
  const across = fields.get(ids.displayWidth) ?? width;
  const down = fields.get(ids.displayHeight) ?? height;
  if (unit === pixels) return { width: across, height: down };
  if (unit !== aspectRatio || across === 0 || down === 0) return { width, height };
  return across * height > down * width
    ? { width: Math.round((height * across) / down), height }
    : { width, height: Math.round((width * down) / across) };
};

const tracksIn = (elements: WebmElements, list: Part): ReadonlyMap<number, TimedTrack> => {
  const tracks = new Map<number, TimedTrack>();
  let count = 0;
  for (const entry of elements.within(list.start, list.end)) {
    if (entry.id !== ids.trackEntry) continue;
    if (++count > maxTracks) throw MediaDamage.tooComplex("webm");
    const fields = integersIn(elements, entry, trackIds);
    const type = fields.get(ids.trackType);
    if (type !== 1 && type !== 2) continue;
    let size = { width: 0, height: 0 };
    for (const child of elements.within(entry.start, entry.end))
      if (child.id === ids.video) size = sizeOf(elements, child);
    tracks.set(fields.get(ids.trackNumber) ?? 0, {
      shape:
        type === 1 ? { kind: "video", isFilm: true, ...size } : { kind: "audio", isFilm: false, ...size },
      frameSeconds: (fields.get(ids.defaultDuration) ?? 0) / 1e9,
      start: Infinity,
      end: -Infinity,
    });
  }
  return tracks;
};

/** Adds a block to its track. `duration` is undefined if the file does not state it. */
const addBlock = (
  { bytes }: WebmElements,
  tracks: ReadonlyMap<number, TimedTrack>,
  { end, start }: Part,
  time: { readonly cluster: number; readonly unit: number; readonly duration: number | undefined },
): void => {
  const numberLength = Math.clz32(bytes[start] ?? 0) - 23;
  if (numberLength > 4 || start + numberLength + 3 > end) throw MediaDamage.broken("webm");
  const number = bytes.readUIntBE(start, numberLength) & ~(1 << (7 * numberLength));
  const track = tracks.get(number);
  if (track === undefined) return;
  const at = (time.cluster + bytes.readInt16BE(start + numberLength)) * time.unit;
  const isLaced = ((bytes[start + numberLength + 2] ?? 0) & 6) !== 0;
  const frames = isLaced ? (bytes[start + numberLength + 3] ?? 0) + 1 : 1;
  const seconds = time.duration === undefined ? frames * track.frameSeconds : time.duration * time.unit;
  track.start = Math.min(track.start, at);
  track.end = Math.max(track.end, at + seconds);
};

const addCluster = (
  elements: WebmElements,
  tracks: ReadonlyMap<number, TimedTrack>,
  { end, start }: Part,
  unit: number,
): void => {
  let cluster = 0;
  for (const child of elements.within(start, end)) {
    if (child.id === ids.timestamp) cluster = integer(elements, child);
    else if (child.id === ids.simpleBlock)
      addBlock(elements, tracks, child, { cluster, unit, duration: undefined });
    else if (child.id === ids.blockGroup) {
      let duration: number | undefined;
      let block: Part | undefined;
      for (const part of elements.within(child.start, child.end)) {
        if (part.id === ids.blockDuration) duration = integer(elements, part);
        else if (part.id === ids.block) block = part;
      }
      if (block !== undefined) addBlock(elements, tracks, block, { cluster, unit, duration });
    }
  }
};

/** The tracks of a file. Throws if it is no whole WebM. Takes time in proportion to its size. */
export const webmTracks = (elements: WebmElements): ReadonlyArray<MediaTrack> => {
  const children = segmentOf(elements);
  const first = (id: number) => children.find((child) => child.id === id);
  const info = first(ids.info);
  const list = first(ids.tracks);
  if (list === undefined) throw MediaDamage.broken("webm");
  const scale = info && integersIn(elements, info, new Set([ids.timestampScale])).get(ids.timestampScale);
  const tracks = tracksIn(elements, list);
  for (const child of children)
    if (child.id === ids.cluster) addCluster(elements, tracks, child, (scale ?? 1_000_000) / 1e9);
  return [...tracks.values()].map(({ end, shape, start }) => ({ ...shape, start, end }));
};
