import { mediaFormats } from "./formats/MediaFormat.ts";

/** File extensions of a type besides its usual one. */
const otherExtensions: Readonly<Record<string, ReadonlyArray<string>>> = {
  "image/jpeg": ["jpeg", "jpe", "jfif"],
  "video/mp4": ["m4v"],
  "video/quicktime": ["qt"],
  "audio/mp4": ["mp4"],
  "audio/ogg": ["oga", "opus"],
  "audio/wav": ["wave"],
};

const usualExtension = (mimeType: string): string | undefined =>
  Object.values(mediaFormats).find((format) => format.mimeType === mimeType)?.extension;

const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The `Content-Disposition` of a file that is shown inline, with the name to save it under: its uploaded name
 * without characters that file systems and terminals misread, and with an extension that fits its type.
 */
export const contentDisposition = (name: string, mimeType: string): string => {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replace(/[/\\:*?"<>|]/g, "_")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  const usual = usualExtension(mimeType);
  const own = /\.([a-z0-9]{1,5})$/i.exec(plain)?.[1]?.toLowerCase();
  const fits = own !== undefined && (own === usual || otherExtensions[mimeType]?.includes(own) === true);
  const extension = usual === undefined || fits ? "" : `.${usual}`;
  const full = `${plain === "" ? "file" : plain}${extension}`;
  const ascii = full.replace(/[^\x20-\x7e]/g, "_").replace(/[%;]/g, "_");
  return ascii === full
    ? `inline; filename="${ascii}"`
    : `inline; filename="${ascii}"; filename*=UTF-8''${percentEncoded(full)}`;
};
