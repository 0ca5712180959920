import { type MediaFormat, mediaFormats } from "./MediaFormat.ts";

/** The end of every refusal of a format. */
const acceptedKinds =
  "Send a JPEG, PNG, GIF or WebP image, an MP4, MOV or WebM video, or MP3, M4A, WAV or OGG audio.";

/** A file that is refused. The message is a full sentence for the field `file` (contract H1). */
export class MediaDamage extends Error {
  /** The format is not accepted; `name` is its name with an article, if it is known. */
  static notAccepted(name?: string): MediaDamage {
    return new MediaDamage(
      name === undefined
        ? `The file is of no kind that is accepted. ${acceptedKinds}`
        : `The file is ${name}, which is not accepted. ${acceptedKinds}`,
    );
  }
  /** The file ends before its format says so. */
  static truncated(format: MediaFormat): MediaDamage {
    return new MediaDamage(`The ${named(format)} is cut short: its end is missing. Send the whole file.`);
  }
  /** The file contradicts its format. */
  static broken(format: MediaFormat): MediaDamage {
    return new MediaDamage(`The ${named(format)} is broken and cannot be shown. Send one that is whole.`);
  }
  /** Reading the file would take more time or memory than one file may. */
  static tooComplex(format: MediaFormat): MediaDamage {
    return new MediaDamage(
      `The ${named(format)} takes too much time or memory to read: send a simpler or a smaller one.`,
    );
  }
  /** The file is intact but holds no pictures or sound. */
  static empty(format: MediaFormat): MediaDamage {
    const missing = mediaFormats[format].kind === "audio" ? "sound" : "pictures";
    return new MediaDamage(`The ${named(format)} has no ${missing}. ${acceptedKinds}`);
  }
}

const named = (format: MediaFormat): string => {
  const { name, kind } = mediaFormats[format];
  return kind === "audio" ? `${name} audio file` : `${name} ${kind}`;
};
