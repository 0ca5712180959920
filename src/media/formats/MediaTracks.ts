/** Facts of the tracks of a file (MP4, M4A, MOV, WebM). */
import { MediaDamage } from "./MediaDamage.ts";
import type { MediaFormat } from "./MediaFormat.ts";

/** A track with pictures or sound. */
export interface MediaTrack {
  readonly kind: "video" | "audio";
  /** False for chapter pictures in an image format. */
  readonly isFilm: boolean;
  /** Displayed size in pixels, after rotation; 0 for sound. */
  readonly width: number;
  readonly height: number;
  /** When it starts and ends, in seconds; start Infinity and end -Infinity if it has no samples. */
  readonly start: number;
  readonly end: number;
}

/** The longest side of a picture in pixels: MP4 cannot code longer ones. */
const maxSide = 65_535;

/** The format, size and length of a file with these tracks. Throws a `MediaDamage` if they show nothing. */
export const shownBy = (tracks: ReadonlyArray<MediaTrack>, format: MediaFormat) => {
  const picture = tracks.find(({ isFilm, kind }) => kind === "video" && (isFilm || format !== "m4a"));
  const start = Math.max(0, Math.min(...tracks.map((track) => track.start)));
  const seconds = Math.max(...tracks.map((track) => track.end)) - start;
  if (picture !== undefined) {
    const { height, width } = picture;
    if (!(Math.min(width, height) > 0 && Math.max(width, height) <= maxSide))
      throw MediaDamage.broken(format);
    return { format: format === "m4a" ? ("mp4" as const) : format, width, height, seconds };
  }
  const hasSound = tracks.some(({ kind }) => kind === "audio");
  if (!hasSound || format === "mov" || format === "webm") throw MediaDamage.empty(format);
  return { format: "m4a" as const, width: null, height: null, seconds };
};
