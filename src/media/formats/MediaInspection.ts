/** Inspection of media files: the content of a file, or the reason to refuse it. */
import { BufferSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { messageOf } from "../../database/DurableFiles.ts";
import { checkImageParts } from "./ImageParts.ts";
import { checkIsoMedia } from "./IsoMedia.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { type MediaContent, type MediaFormat, mediaFormats } from "./MediaFormat.ts";
import { sniff } from "./MediaSniffing.ts";
import { checkMp3 } from "./Mp3Frames.ts";
import { checkOgg } from "./OggPages.ts";
import { checkWav } from "./WavChunks.ts";
import { checkWebm } from "./WebmElements.ts";

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
const contentOfTracks = async (bytes: Buffer, format: MediaFormat): Promise<MediaContent> => {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, WEBM] });
  try {
    const tracks = await input.getTracks();
    const videos = tracks.filter((track) => track.isVideoTrack());
    const hasSound = tracks.some((track) => track.isAudioTrack());
    // The video tracks of an M4A are chapter pictures in image formats, unless they have a video codec.
    const codecs = await Promise.all(videos.map((track) => track.getCodec()));
    const picture = videos.find((_, index) => format !== "m4a" || codecs[index] !== null);
    // Fragmented files may start late and record that only in their timestamps.
    const start = Math.max(0, await input.getFirstTimestamp());
    const durationSeconds = rounded((await input.computeDuration()) - start);
    if (picture !== undefined) {
      const width = await picture.getDisplayWidth();
      const height = await picture.getDisplayHeight();
      if (!(width > 0 && height > 0)) throw MediaDamage.broken(format);
      return content(format === "m4a" ? "mp4" : format, { width, height, durationSeconds });
    }
    if (!hasSound || format === "mov" || format === "webm") throw MediaDamage.empty(format);
    return content("m4a", { durationSeconds });
  } finally {
    input.dispose();
  }
};

const contentOf = async (bytes: Buffer, format: MediaFormat): Promise<MediaContent> => {
  switch (format) {
    case "jpeg":
    case "png":
    case "gif":
    case "webp": {
      checkImageParts[format](bytes);
      const { readImage } = await images();
      return content(format, await readImage(bytes, format));
    }
    case "mp4":
    case "m4a":
    case "mov":
      checkIsoMedia(bytes, format);
      return contentOfTracks(bytes, format);
    case "webm":
      checkWebm(bytes);
      return contentOfTracks(bytes, format);
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
  const { makeThumbnail } = await images();
  return makeThumbnail(bytes);
};
