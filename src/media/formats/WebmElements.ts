/** The elements of WebM (EBML, RFC 8794; Matroska, RFC 9559): are all their bytes there, and is it WebM? */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

interface Element {
  readonly id: number;
  readonly start: number;
  /** Null where the size is not known, as live recorders write it. */
  readonly end: number | null;
}

const ids = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  states: 0x1654ae6b,
  cluster: 0x1f43b675,
} as const;

/** What may stand in a segment, so what ends a cluster of unknown size. */
const inSegment = new Set<number>([
  ids.states,
  ids.cluster,
  0x114d9b74, // SeekHead
  0x1549a966, // Info
  0x1c53bb6b, // Cues
  0x1254c367, // Tags
  0x1043a770, // Chapters
  0x1941a469, // Attachments
]);

/** An element's head; null where the file ends in it, or where it is none. */
const elementAt = (bytes: Buffer, at: number): Element | null => {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  const start = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || start > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  let isUnknown = size === 0xff >> sizeLength;
  for (let place = sizeAt + 1; place < start; place += 1) {
    const byte = bytes[place] ?? 0;
    isUnknown &&= byte === 0xff;
    size = size * 256 + byte;
  }
  return { id: bytes.readUIntBE(at, idLength), start, end: isUnknown ? null : start + size };
};

/** Where a cluster of unknown size ends: at the next part of the segment, or with the file. */
const clusterEnd = (bytes: Buffer, from: number, to: number): number => {
  let at = from;
  while (at < to) {
    const element = elementAt(bytes, at);
    if (element === null) throw MediaDamage.cutShort("webm");
    if (inSegment.has(element.id)) return at;
    if (element.end === null) throw MediaDamage.broken("webm");
    if (element.end > to) throw MediaDamage.cutShort("webm");
    at = element.end;
  }
  return to;
};

const docTypeOf = (bytes: Buffer, header: Element): string => {
  const end = Math.min(header.end ?? 0, bytes.length);
  let at = header.start;
  while (at < end) {
    const element = elementAt(bytes, at);
    if (element === null || element.end === null || element.end > end) break;
    if (element.id === ids.docType) {
      return textAt(bytes, element.start, element.end - element.start).replace(/\0+$/, "");
    }
    at = element.end;
  }
  return "";
};

/**
 * Throws where bytes of the file are missing, or where it is Matroska that is not WebM. A live recording, whose parts have no
 * sizes, looks whole when it ends between two of its blocks.
 */
export const checkWebm = (bytes: Buffer): void => {
  const header = elementAt(bytes, 0);
  if (header === null || header.end === null || header.end > bytes.length) throw MediaDamage.cutShort("webm");
  const docType = docTypeOf(bytes, header);
  if (docType === "matroska") throw MediaDamage.notAccepted("a Matroska video (MKV)");
  if (docType !== "webm") throw MediaDamage.broken("webm");
  const segment = elementAt(bytes, header.end);
  if (segment === null) throw MediaDamage.cutShort("webm");
  if (segment.id !== ids.segment) throw MediaDamage.broken("webm");
  const to = segment.end ?? bytes.length;
  if (to > bytes.length) throw MediaDamage.cutShort("webm");

  const seen = new Set<number>();
  let at = segment.start;
  while (at < to) {
    const element = elementAt(bytes, at);
    if (element === null) throw MediaDamage.cutShort("webm");
    if (element.end !== null && element.end > to) throw MediaDamage.cutShort("webm");
    if (element.end === null && element.id !== ids.cluster) throw MediaDamage.broken("webm");
    seen.add(element.id);
    at = element.end ?? clusterEnd(bytes, element.start, to);
  }
  if (!seen.has(ids.states) || !seen.has(ids.cluster)) throw MediaDamage.cutShort("webm");
};
