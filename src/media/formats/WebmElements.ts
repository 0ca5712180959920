/** Checks the elements of WebM (EBML, RFC 8794; Matroska, RFC 9559). */
import { MediaDamage } from "./MediaDamage.ts";
import { textAt } from "./MediaSniffing.ts";

/** An element of the file. */
export interface Element {
  readonly id: number;
  /** Offset of its content, after its header. */
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

/** More than any real file of the maximum size has. Reading them takes a fraction of a second. */
const maxElements = 2_000_000;
const maxChildren = 200_000;

/** The elements of one file. Throws a `MediaDamage` if reading them would take too long. */
export class WebmElements {
  readonly bytes: Buffer;
  #read = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The header of the element at an offset; null if it is truncated or invalid. */
  at(offset: number): Element | null {
    if (++this.#read > maxElements) throw MediaDamage.tooComplex("webm");
    const { bytes } = this;
    const idLength = Math.clz32(bytes[offset] ?? 0) - 23;
    const sizeAt = offset + idLength;
    const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
    const start = sizeAt + sizeLength;
    if (idLength > 4 || sizeLength > 8 || start > bytes.length) return null;
    let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
    let isUnknown = size === 0xff >> sizeLength;
    for (let at = sizeAt + 1; at < start; at += 1) {
      const byte = bytes[at] ?? 0;
      isUnknown &&= byte === 0xff;
      size = size * 256 + byte;
    }
    return { id: bytes.readUIntBE(offset, idLength), start, end: isUnknown ? null : start + size };
  }

  /**
   * The consecutive elements of a part of the file. One that is invalid or extends past the part ends them.
   */
  *within(from: number, to: number): Generator<Element & { readonly end: number }, void> {
    let at = from;
    while (at < to) {
      const element = this.at(at);
      if (element === null || element.end === null || element.end > to) return;
      const { end, id, start } = element;
      yield { id, start, end };
      at = end;
    }
  }
}

/** The end of a cluster of unknown size: the next child of the segment, or the end of the file. */
const clusterEnd = (elements: WebmElements, from: number, to: number): number => {
  let at = from;
  while (at < to) {
    const element = elements.at(at);
    if (element === null) throw MediaDamage.truncated("webm");
    if (inSegment.has(element.id)) return at;
    if (element.end === null) throw MediaDamage.broken("webm");
    if (element.end > to) throw MediaDamage.truncated("webm");
    at = element.end;
  }
  return to;
};

const docTypeOf = (elements: WebmElements, { end, start }: Element): string => {
  for (const element of elements.within(start, end ?? 0))
    if (element.id === ids.docType)
      return textAt(elements.bytes, element.start, element.end - element.start).replace(/\0+$/, "");
  return "";
};

/** The offset after the content of a child of the segment. Throws if it is truncated or invalid. */
const endOf = (elements: WebmElements, { end, id, start }: Element, to: number): number => {
  if (end === null && id !== ids.cluster) throw MediaDamage.broken("webm");
  if (end !== null && end > to) throw MediaDamage.truncated("webm");
  return end ?? clusterEnd(elements, start, to);
};

/**
 * The children of the segment, each with its end. Throws if bytes of the file are missing or if it is other
 * Matroska than WebM. A live recording without sizes that ends between two blocks cannot be detected as
 * truncated.
 */
export const segmentOf = (elements: WebmElements): ReadonlyArray<Element & { readonly end: number }> => {
  const { bytes } = elements;
  const header = elements.at(0);
  if (header === null || header.end === null || header.end > bytes.length)
    throw MediaDamage.truncated("webm");
  const docType = docTypeOf(elements, header);
  if (docType === "matroska") throw MediaDamage.notAccepted("a Matroska video (MKV)");
  if (docType !== "webm") throw MediaDamage.broken("webm");
  const segment = elements.at(header.end);
  if (segment === null) throw MediaDamage.truncated("webm");
  if (segment.id !== ids.segment) throw MediaDamage.broken("webm");
  const to = segment.end ?? bytes.length;
  if (to > bytes.length) throw MediaDamage.truncated("webm");

  const children: Array<Element & { readonly end: number }> = [];
  const seen = new Set<number>();
  let at = segment.start;
  while (at < to) {
    const element = elements.at(at);
    if (element === null) throw MediaDamage.truncated("webm");
    at = endOf(elements, element, to);
    seen.add(element.id);
    if (children.push({ ...element, end: at }) > maxChildren) throw MediaDamage.tooComplex("webm");
  }
  if (!seen.has(ids.tracks) || !seen.has(ids.cluster)) throw MediaDamage.truncated("webm");
  return children;
};
