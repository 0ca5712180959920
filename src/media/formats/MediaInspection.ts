/** What a file is: from its bytes to what the platform API says of it, or to the reason why it is refused. */
import { BufferSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import { checkImageParts } from "./ImageParts.ts";
import { checkIsoMedia } from "./IsoMedia.ts";
import { MediaDamage } from "./MediaDamage.ts";
import { type MediaContent, type MediaFormat, mediaFormats } from "./MediaFormat.ts";
import { sniff } from "./MediaSniffing.ts";
import { checkMp3 } from "./Mp3Frames.ts";
import { checkOgg } from "./OggPages.ts";
import { checkWav } from "./WavChunks.ts";
import { checkWebm } from "./WebmElements.ts";

/** The image library cannot be loaded on this machine: that says nothing about the file. */
export class ImagesUnusable extends Error {}

// Sound and video do without the memory of an image library.
const images = () =>
  import("./Images.ts").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImagesUnusable(
      `the image library sharp cannot be loaded on ${process.platform}-${process.arch}. ` +
        `Run npm ci without --omit=optional on a platform that it supports. It says: ${reason}`,
    );
  });

type Measures = Partial<Pick<MediaContent, "width" | "height" | "durationSeconds">>;

const content = (format: MediaFormat, measures: Measures): MediaContent => {
  const { kind, mimeType, extension } = mediaFormats[format];
  return { kind, mimeType, extension, width: null, height: null, durationSeconds: null, ...measures };
};

/** To milliseconds; null where there is no sensible length. */
const rounded = (seconds: number): number | null =>
  Number.isFinite(seconds) && seconds > 0 && seconds < 1e9 ? Math.round(seconds * 1000) / 1000 : null;

/** What is in a container of tracks: MP4, M4A, MOV and WebM. */
const tracksOf = async (bytes: Buffer, format: MediaFormat): Promise<MediaContent> => {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF, WEBM] });
  try {
    const states = await input.getTracks();
    const videos = states.filter((track) => track.isVideoTrack());
    const hasSound = states.some((track) => track.isAudioTrack());
    // What an M4A has beside its sound are pictures of its chapters, in formats that are no video.
    const codecs = await Promise.all(videos.map((track) => track.getCodec()));
    const picture = videos.find((_, at) => format !== "m4a" || codecs[at] !== null);
    // The end of the last frame, less what comes before the first: writers of fragments start late and say so nowhere else.
    const beginning = Math.max(0, await input.getFirstTimestamp());
    const durationSeconds = rounded((await input.computeDuration()) - beginning);
    if (picture !== undefined) {
      const width = await picture.getDisplayWidth();
      const height = await picture.getDisplayHeight();
      if (!(width > 0 && height > 0)) throw MediaDamage.broken(format);
      return content(format === "m4a" ? "mp4" : format, { width, height, durationSeconds });
    }
    if (!hasSound || format === "mov" || format === "webm") throw MediaDamage.nothingIn(format);
    return content("m4a", { durationSeconds });
  } finally {
    input.dispose();
  }
};

const checked = async (bytes: Buffer, format: MediaFormat): Promise<MediaContent> => {
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
      return tracksOf(bytes, format);
    case "webm":
      checkWebm(bytes);
      return tracksOf(bytes, format);
    case "mp3":
      return content(format, { durationSeconds: rounded(checkMp3(bytes)) });
    case "wav":
      return content(format, { durationSeconds: rounded(checkWav(bytes)) });
    case "ogg":
      return content(format, { durationSeconds: rounded(checkOgg(bytes)) });
  }
};

/**
 * What the file is (contract H1). Rejects with a `MediaDamage` whatever is wrong with the bytes: anything that a reader of a format
 * stumbles over makes the file a broken one.
 */
export const inspectMedia = async (bytes: Buffer): Promise<MediaContent> => {
  const format = sniff(bytes);
  try {
    return await checked(bytes, format);
  } catch (error) {
    throw error instanceof MediaDamage || error instanceof ImagesUnusable
      ? error
      : MediaDamage.broken(format);
  }
};

/** The thumbnail of an image that was accepted (contract H2). */
export const thumbnailOf = async (bytes: Buffer): Promise<Buffer> => {
  const { makeThumbnail } = await images();
  return makeThumbnail(bytes);
};
