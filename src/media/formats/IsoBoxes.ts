/** Reads the boxes of MP4, M4A and MOV (ISO 14496-12 and Apple's QuickTime file format). */
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaFormat } from "./MediaFormat.ts";
import { textAt } from "./MediaSniffing.ts";

/** A box of the file. */
export interface Box {
  readonly type: string;
  /** Offset of its content, after its header. */
  readonly start: number;
  readonly end: number;
}

/** The entries of a table. */
export interface Table {
  readonly count: number;
  /** Offset of the first entry. */
  readonly start: number;
}

/** More than any real file of the maximum size has. Reading them takes a fraction of a second. */
const maxBoxes = 1_000_000;

/** The boxes of one file. Throws a `MediaDamage` if reading them would take too long. */
export class IsoBoxes {
  readonly bytes: Buffer;
  readonly format: MediaFormat;
  #read = 0;

  constructor(bytes: Buffer, format: MediaFormat) {
    this.bytes = bytes;
    this.format = format;
  }

  /**
   * The consecutive boxes of a part of the file. A box that extends past the part's end is yielded as null.
   */
  *within(from: number, to: number): Generator<Box | null, void> {
    const { bytes } = this;
    let at = from;
    while (at < to) {
      if (++this.#read > maxBoxes) throw MediaDamage.tooComplex(this.format);
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

  /** The boxes of a type inside another. An invalid box ends the list: it may be padding. */
  *all({ end, start }: Pick<Box, "end" | "start">, type: string): Generator<Box, void> {
    for (const box of this.within(start, end)) {
      if (box === null) return;
      if (box.type === type) yield box;
    }
  }

  /** The first box of a type inside another. */
  inner(box: Pick<Box, "end" | "start">, type: string): Box | undefined {
    for (const found of this.all(box, type)) return found;
    return undefined;
  }

  /** The first box of each type of the path, each inside the one before; the last of them. */
  innermost(box: Box, path: ReadonlyArray<string>): Box | undefined {
    return path.reduce<Box | undefined>((found, type) => found && this.inner(found, type), box);
  }

  /** A table: `skip` bytes, a count, then that many entries. Undefined if it does not fit its box. */
  table(box: Box | undefined, entryBits: number, skip = 4): Table | undefined {
    if (box === undefined || box.end - box.start < skip + 4) return undefined;
    const count = this.bytes.readUInt32BE(box.start + skip);
    const start = box.start + skip + 4;
    return Math.ceil((count * entryBits) / 8) <= box.end - start ? { count, start } : undefined;
  }

  /** The offset of a field of a box. Throws if the field extends past the box. */
  #field(box: Box, offset: number, length: number): number {
    if (box.start + offset + length > box.end) throw MediaDamage.broken(this.format);
    return box.start + offset;
  }

  byte(box: Box, offset: number): number {
    return this.bytes.readUInt8(this.#field(box, offset, 1));
  }
  int16(box: Box, offset: number): number {
    return this.bytes.readUInt16BE(this.#field(box, offset, 2));
  }
  int32(box: Box, offset: number): number {
    return this.bytes.readUInt32BE(this.#field(box, offset, 4));
  }
  signed32(box: Box, offset: number): number {
    return this.bytes.readInt32BE(this.#field(box, offset, 4));
  }
  int64(box: Box, offset: number): number {
    return Number(this.bytes.readBigUInt64BE(this.#field(box, offset, 8)));
  }
  text(box: Box, offset: number): string {
    return textAt(this.bytes, this.#field(box, offset, 4), 4);
  }
}
