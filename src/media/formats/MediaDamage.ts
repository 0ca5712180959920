import { type MediaFormat, mediaFormats } from "./MediaFormat.ts";

/** What a person can send instead; every refusal of a kind ends with it. */
const acceptedKinds =
  "Send a JPEG, PNG, GIF or WebP image, an MP4, MOV or WebM video, or MP3, M4A, WAV or OGG audio.";

/** Why a file is refused; the message is a full sentence for the field `file` (contract H1). */
export class MediaDamage extends Error {
  /** Bytes that are none of the accepted formats; `what` names them with their article, where they are known. */
  static notAccepted(what?: string): MediaDamage {
    return new MediaDamage(
      what === undefined
        ? `The file is of no kind that is accepted. ${acceptedKinds}`
        : `The file is ${what}, which is not accepted. ${acceptedKinds}`,
    );
  }
  /** The file ends before the format says that it does. */
  static cutShort(format: MediaFormat): MediaDamage {
    return new MediaDamage(`The ${named(format)} is cut short: its end is missing. Send the whole file.`);
  }
  /** The file contradicts its format. */
  static broken(format: MediaFormat): MediaDamage {
    return new MediaDamage(`The ${named(format)} is broken and cannot be shown. Send one that is whole.`);
  }
  /** The parts are in order, but there is nothing to see or to hear in them. */
  static nothingIn(format: MediaFormat): MediaDamage {
    const missing = mediaFormats[format].kind === "audio" ? "sound" : "pictures";
    return new MediaDamage(`The ${named(format)} has no ${missing}. ${acceptedKinds}`);
  }
}

const named = (format: MediaFormat): string => {
  const { name, kind } = mediaFormats[format];
  return kind === "audio" ? `${name} audio file` : `${name} ${kind}`;
};
