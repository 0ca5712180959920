import type { MediaContent } from "./formats/MediaFormat.ts";
import { Schema } from "effect";
import { shownId, shownInteger, shownText } from "../wire/ShownFields.ts";
import { optionalText, Timestamp } from "../wire/Text.ts";
import { MediaKind } from "../workspaces/Plan.ts";

/** The maximum size of a file in bytes: 51,200 KB. */
export const maxFileBytes = 51_200 * 1024;

/** The maximum size of all media of a Sandbox in bytes, whatever the plan allows (contract H4). */
export const maxSandboxBytes = 209_715_200;

/** The id of a media file. */
export const MediaId = shownId("Id of the media file.", "01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91");

/** The fields of an upload besides the file. */
export const MediaDraft = Schema.Struct({
  name: optionalText({
    max: 255,
    description: "A name for people. If it is missing or empty, the name of the uploaded file.",
    example: "Autumn offer",
  }),
});

/** The parts of an upload, for the API documentation. */
export const MediaUpload = Schema.Struct({
  file: Schema.String.annotate({
    format: "binary",
    examples: ["(the bytes of the file)"],
    description:
      "The file, with at most 51,200 KB: a JPEG, PNG, GIF or WebP image of at most 100 megapixels, an MP4, " +
      "MOV or WebM video, or MP3, M4A, WAV or OGG audio. Its bytes decide its type, not its name.",
  }),
  ...MediaDraft.fields,
}).annotate({ identifier: "MediaUpload" });

const nullable = (description: string, example: number) =>
  Schema.NullOr(Schema.Finite).annotate({ description, examples: [example] });

/** A notification that shows a media file. */
export const MediaUser = Schema.Struct({
  id: shownId("Id of the notification.", "01980a6c-3e77-7a18-b2c4-91d5e6f70a11"),
  name: shownText("Name of the notification.", "Autumn offer"),
}).annotate({ identifier: "MediaUser" });
export type MediaUser = typeof MediaUser.Type;

const fileFields = {
  id: MediaId,
  name: shownText("A name for people.", "Autumn offer"),
  type: MediaKind,
  mime_type: shownText("The type the file is served as, detected from its bytes.", "image/jpeg"),
  size_bytes: shownInteger("Size of the file in bytes.", 183_402),
  width: nullable("Displayed width in pixels; null for audio.", 1600),
  height: nullable("Displayed height in pixels; null for audio.", 900),
  duration_seconds: nullable(
    "Length in seconds, to the millisecond; null for images and for files without a known length.",
    12.48,
  ),
  source: Schema.Literal("upload").annotate({
    description: "The origin of the file: always `upload`.",
    examples: ["upload"],
  }),
  url: shownText(
    "Public address of the file. It cannot be guessed, and is 404 once the file is deleted.",
    "https://push.example.com/media/5J0Zz4m0TjVq3c8o0b1XyQdWn7Kf2LhR",
  ),
  thumbnail_url: shownText(
    "Address of a picture of at most 400 by 400 pixels: the thumbnail of an image, drawn within seconds " +
      "after the upload, or a fixed picture for video and audio.",
    "https://push.example.com/media/5J0Zz4m0TjVq3c8o0b1XyQdWn7Kf2LhR/thumbnail",
  ),
  created_at: Timestamp.annotate({ description: "When the file was uploaded, in UTC." }),
  updated_at: Timestamp.annotate({ description: "When the file was last changed, in UTC." }),
};

/** A media file of the platform API. */
export const MediaFile = Schema.Struct(fileFields).annotate({ identifier: "MediaFile" });
export type MediaFile = typeof MediaFile.Type;

/** A media file, with the notifications that show it (contract S7). */
export const UsedMediaFile = Schema.Struct({
  ...fileFields,
  notifications: Schema.Array(MediaUser).annotate({
    description: "The notifications whose content shows the file, oldest first.",
  }),
}).annotate({ identifier: "UsedMediaFile" });

/** A media file without its addresses. */
export interface MediaRow extends Omit<MediaFile, "url" | "thumbnail_url" | "source"> {
  readonly key: string;
}

/** Stored bytes that are about to become a file. */
export interface NewFile {
  readonly key: string;
  readonly name: string;
  readonly bytes: number;
  readonly content: Omit<MediaContent, "extension">;
}
