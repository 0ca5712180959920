import { mediaFormats } from "./formats/MediaFormat.ts";

/** Endings that belong to a type beside its usual one. */
const otherEndings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "image/jpeg": ["jpeg", "jpe", "jfif"],
  "video/mp4": ["m4v"],
  "video/quicktime": ["qt"],
  "audio/mp4": ["mp4"],
  "audio/ogg": ["oga", "opus"],
  "audio/wav": ["wave"],
};

const usualEnding = (mimeType: string): string | undefined =>
  Object.values(mediaFormats).find((format) => format.mimeType === mimeType)?.extension;

const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * `Content-Disposition` for a file that is shown in place, with the name to save it under: as it was uploaded, without what file
 * systems and terminals take amiss, and with an ending of the type that its bytes have.
 */
export const contentDisposition = (name: string, mimeType: string): string => {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "_")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  const usual = usualEnding(mimeType);
  const has = /\.([a-z0-9]{1,5})$/i.exec(plain)?.[1]?.toLowerCase();
  const fits = has !== undefined && (has === usual || otherEndings[mimeType]?.includes(has) === true);
  const ending = usual === undefined || fits ? "" : `.${usual}`;
  const full = `${plain === "" ? "file" : plain}${ending}`;
  const ascii = full.replace(/[^\x20-\x7e]/g, "_").replace(/[%;]/g, "_");
  return ascii === full
    ? `inline; filename="${ascii}"`
    : `inline; filename="${ascii}"; filename*=UTF-8''${percentEncoded(full)}`;
};
