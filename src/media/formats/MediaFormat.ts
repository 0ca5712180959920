import type { MediaKind } from "../../workspaces/Plan.ts";

/** Every accepted format: its kind, the type it is served as, and its usual file extension. */
export const mediaFormats = {
  jpeg: { name: "JPEG", kind: "image", mimeType: "image/jpeg", extension: "jpg" },
  png: { name: "PNG", kind: "image", mimeType: "image/png", extension: "png" },
  gif: { name: "GIF", kind: "image", mimeType: "image/gif", extension: "gif" },
  webp: { name: "WebP", kind: "image", mimeType: "image/webp", extension: "webp" },
  mp4: { name: "MP4", kind: "video", mimeType: "video/mp4", extension: "mp4" },
  mov: { name: "MOV", kind: "video", mimeType: "video/quicktime", extension: "mov" },
  webm: { name: "WebM", kind: "video", mimeType: "video/webm", extension: "webm" },
  mp3: { name: "MP3", kind: "audio", mimeType: "audio/mpeg", extension: "mp3" },
  m4a: { name: "M4A", kind: "audio", mimeType: "audio/mp4", extension: "m4a" },
  wav: { name: "WAV", kind: "audio", mimeType: "audio/wav", extension: "wav" },
  ogg: { name: "OGG", kind: "audio", mimeType: "audio/ogg", extension: "ogg" },
} as const satisfies Record<
  string,
  { readonly name: string; readonly kind: MediaKind; readonly mimeType: string; readonly extension: string }
>;
/** An accepted format. */
export type MediaFormat = keyof typeof mediaFormats;

/** The content of an accepted file. */
export interface MediaContent {
  readonly kind: MediaKind;
  readonly mimeType: string;
  /** Without a dot, such as `jpg`. */
  readonly extension: string;
  /** Displayed size of one frame in pixels, after the rotation that the file requests; null for audio. */
  readonly width: number | null;
  readonly height: number | null;
  /** Rounded to milliseconds; null for images and for files without a known length. */
  readonly durationSeconds: number | null;
}
