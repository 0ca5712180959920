/** Inspection of media files: the content of a file, or the reason to refuse it. */
import { messageOf } from "../../database/DurableFiles.ts";
import { IsoBoxes } from "./IsoBoxes.ts";
import { checkIsoMedia } from "./IsoMedia.ts";
import { isoTracks } from "./IsoTracks.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { type MediaContent, type MediaFormat, mediaFormats } from "./MediaFormat.ts";
import { type MediaTrack, shownBy } from "./MediaTracks.ts";
import { sniff } from "./MediaSniffing.ts";
import { checkMp3 } from "./Mp3Frames.ts";
import { checkOgg } from "./OggPages.ts";
import { checkWav } from "./WavChunks.ts";
import { WebmElements } from "./WebmElements.ts";
import { webmTracks } from "./WebmTracks.ts";

/** The image library cannot be loaded on this machine. */
export class ImagesUnusable extends Error {}

// Audio and video files do not need the memory of an image library.
const images = () =>
  import("./Images.ts").catch((error: unknown) => {
    throw new ImagesUnusable(
      `the image library sharp cannot be loaded on ${process.platform}-${process.arch}. ` +
        `Run npm ci without --omit=optional on a supported platform. The error: ${messageOf(error)}`,
    );
  });

type Measures = Partial<Pick<MediaContent, "width" | "height" | "durationSeconds">>;

const content = (format: MediaFormat, measures: Measures): MediaContent => {
  const { kind, mimeType, extension } = mediaFormats[format];
  return { kind, mimeType, extension, width: null, height: null, durationSeconds: null, ...measures };
};

/** Rounds to milliseconds; null if the length makes no sense. */
const rounded = (seconds: number): number | null =>
  Number.isFinite(seconds) && seconds > 0 && seconds < 1e9 ? Math.round(seconds * 1000) / 1000 : null;

/** The content of a file with tracks: MP4, M4A, MOV and WebM. */
const contentOfTracks = (tracks: ReadonlyArray<MediaTrack>, declared: MediaFormat): MediaContent => {
  const { format, height, seconds, width } = shownBy(tracks, declared);
  return content(format, { width, height, durationSeconds: rounded(seconds) });
};

const contentOf = async (bytes: Buffer, format: MediaFormat): Promise<MediaContent> => {
  switch (format) {
    case "jpeg":
    case "png":
    case "gif":
    case "webp": {
      const { readImage } = await images();
      return content(format, await readImage(bytes, format));
    }
    case "mp4":
    case "m4a":
    case "mov": {
      const boxes = new IsoBoxes(bytes, format);
      checkIsoMedia(boxes);
      return contentOfTracks(isoTracks(boxes), format);
    }
    case "webm":
      return contentOfTracks(webmTracks(new WebmElements(bytes)), format);
    case "mp3":
      return content(format, { durationSeconds: rounded(checkMp3(bytes)) });
    case "wav":
      return content(format, { durationSeconds: rounded(checkWav(bytes)) });
    case "ogg":
      return content(format, { durationSeconds: rounded(checkOgg(bytes)) });
  }
};

/** The content of a file (contract H1). Rejects with a `MediaDamage` for any error in its bytes. */
export const inspectMedia = async (bytes: Buffer): Promise<MediaContent> => {
  const format = sniff(bytes);
  try {
    return await contentOf(bytes, format);
  } catch (error) {
    throw error instanceof MediaDamage || error instanceof ImagesUnusable
      ? error
      : MediaDamage.broken(format);
  }
};

/** The thumbnail of an accepted image (contract H2). */
export const thumbnailOf = async (bytes: Buffer): Promise<Buffer> => {
  const format = sniff(bytes);
  if (format !== "jpeg" && format !== "png" && format !== "gif" && format !== "webp")
    throw MediaDamage.notAccepted();
  const { makeThumbnail } = await images();
  return makeThumbnail(bytes, format);
};
