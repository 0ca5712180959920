/** Checks the elements of WebM (EBML, RFC 8794; Matroska, RFC 9559). */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

interface Element {
  readonly id: number;
  readonly start: number;
  /** Null if the size is unknown, as live recorders write it. */
  readonly end: number | null;
}

const ids = {
  docType: 0x4282,
  segment: 0x18538067,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
} as const;

/** The children of a segment. Each ends a cluster of unknown size. */
const inSegment = new Set<number>([
  ids.tracks,
  ids.cluster,
  0x114d9b74, // SeekHead
  0x1549a966, // Info
  0x1c53bb6b, // Cues
  0x1254c367, // Tags
  0x1043a770, // Chapters
  0x1941a469, // Attachments
]);

/** The header of the element at an offset; null if it is truncated or invalid. */
const elementAt = (bytes: Buffer, at: number): Element | null => {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  const start = sizeAt + sizeLength;
  if (idLength > 4 || sizeLength > 8 || start > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  let isUnknown = size === 0xff >> sizeLength;
  for (const byte of bytes.subarray(sizeAt + 1, start)) {
    isUnknown &&= byte === 0xff;
    size = size * 256 + byte;
  }
  return { id: bytes.readUIntBE(at, idLength), start, end: isUnknown ? null : start + size };
};

/** The end of a cluster of unknown size: the next child of the segment, or the end of the file. */
const clusterEnd = (bytes: Buffer, from: number, to: number): number => {
  let at = from;
  while (at < to) {
    const element = elementAt(bytes, at);
    if (element === null) throw MediaDamage.truncated("webm");
    if (inSegment.has(element.id)) return at;
    if (element.end === null) throw MediaDamage.broken("webm");
    if (element.end > to) throw MediaDamage.truncated("webm");
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
 * Throws if bytes of the file are missing or if it is other Matroska than WebM. A live recording without
 * sizes that ends between two blocks cannot be detected as truncated.
 */
export const checkWebm = (bytes: Buffer): void => {
  const header = elementAt(bytes, 0);
  if (header === null || header.end === null || header.end > bytes.length)
    throw MediaDamage.truncated("webm");
  const docType = docTypeOf(bytes, header);
  if (docType === "matroska") throw MediaDamage.notAccepted("a Matroska video (MKV)");
  if (docType !== "webm") throw MediaDamage.broken("webm");
  const segment = elementAt(bytes, header.end);
  if (segment === null) throw MediaDamage.truncated("webm");
  if (segment.id !== ids.segment) throw MediaDamage.broken("webm");
  const to = segment.end ?? bytes.length;
  if (to > bytes.length) throw MediaDamage.truncated("webm");

  const seen = new Set<number>();
  let at = segment.start;
  while (at < to) {
    const element = elementAt(bytes, at);
    if (element === null) throw MediaDamage.truncated("webm");
    if (element.end !== null && element.end > to) throw MediaDamage.truncated("webm");
    if (element.end === null && element.id !== ids.cluster) throw MediaDamage.broken("webm");
    seen.add(element.id);
    at = element.end ?? clusterEnd(bytes, element.start, to);
  }
  if (!seen.has(ids.tracks) || !seen.has(ids.cluster)) throw MediaDamage.truncated("webm");
};
