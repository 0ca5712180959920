/** `Range` and `If-Range` request headers (RFC 9110, 13.2.2, 14.1 and 14.2). */
import type { ByteRange } from "./store/MediaStore.ts";

const oneRange = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of an object that a `Range` header requests, cut to its `bytes` bytes. `null` means the whole
 * object: the header is invalid or requests several parts. `"none"` means that it requests no existing byte
 * (416).
 */
export const readRange = (header: string, bytes: number): ByteRange | null | "none" => {
  const [, list] = /^bytes=(.*)$/i.exec(header.trim()) ?? [];
  const parts = (list ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const ranges: Array<ByteRange> = [];
  for (const part of parts) {
    const [, first, last, suffix] = oneRange.exec(part) ?? [];
    if (first === undefined && suffix === undefined) return null;
    if (suffix !== undefined) {
      const length = Math.min(Number(suffix), bytes);
      if (length > 0) ranges.push({ start: bytes - length, end: bytes - 1 });
      continue;
    }
    const start = Number(first);
    const end = last === "" || last === undefined ? Infinity : Number(last);
    if (end < start) return null;
    if (start < bytes) ranges.push({ start, end: Math.min(end, bytes - 1) });
  }
  if (parts.length === 0) return null;
  const [only] = ranges;
  if (only === undefined) return "none";
  return parts.length === 1 ? only : null;
};

/** Whether an `If-Range` header allows a part: only the object's own strong ETag does, never a date. */
export const allowsRange = (header: string | undefined, etag: string): boolean =>
  header === undefined || header.trim() === etag;
