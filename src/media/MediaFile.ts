import { Schema } from "effect";
import { optionalText, Timestamp } from "../wire/Text.ts";
import { MediaKind } from "../workspaces/Plan.ts";

/** Most bytes of one file: 51,200 KB. */
export const maxFileBytes = 51_200 * 1024;

/** Most bytes of all media of a Sandbox, whatever the plan says (contract H4). */
export const maxSandboxBytes = 209_715_200;

/** The fields of an upload beside the file itself. */
export const MediaDraft = Schema.Struct({
  name: optionalText({
    max: 255,
    description: "A name for people; left out or empty: the file's own name.",
    example: "Autumn offer",
  }),
});

/** The parts of an upload, as the documentation shows them. */
export const MediaUpload = Schema.Struct({
  file: Schema.String.annotate({
    format: "binary",
    examples: ["(the bytes of the file)"],
    description:
      "The file, with at most 51,200 KB: a JPEG, PNG, GIF or WebP image of at most 100 megapixels, an MP4, MOV or WebM " +
      "video, or MP3, M4A, WAV or OGG audio. What it is is told by its bytes, not by its name or declared type.",
  }),
  ...MediaDraft.fields,
}).annotate({ identifier: "MediaUpload" });

const maybe = (description: string, example: number) =>
  Schema.NullOr(Schema.Finite).annotate({ description, examples: [example] });

/** A media file as the platform API shows it. */
export const MediaFile = Schema.Struct({
  id: Schema.String.annotate({
    description: "Id of the media file.",
    format: "uuid",
    examples: ["01980a6c-5a20-7b3c-8d11-2e4f6a8c0b91"],
  }),
  name: Schema.String.annotate({ description: "A name for people.", examples: ["Autumn offer"] }),
  type: MediaKind,
  mime_type: Schema.String.annotate({
    description: "The type that the file is served as, by its bytes.",
    examples: ["image/jpeg"],
  }),
  size_bytes: Schema.Int.annotate({ description: "Size of the file in bytes.", examples: [183_402] }),
  width: maybe("Width in pixels, as shown; null for audio, and where the file does not tell.", 1600),
  height: maybe("Height in pixels, as shown; null for audio, and where the file does not tell.", 900),
  duration_seconds: maybe(
    "Length in seconds, to the millisecond; null for images, and where the file does not tell.",
    12.48,
  ),
  source: Schema.Literal("upload").annotate({
    description: "Where the file comes from: always `upload`.",
    examples: ["upload"],
  }),
  url: Schema.String.annotate({
    description: "Public address of the file; it cannot be guessed, and is 404 once the file is deleted.",
    examples: ["https://push.example.com/media/5J0Zz4m0TjVq3c8o0b1XyQdWn7Kf2LhR"],
  }),
  thumbnail_url: Schema.String.annotate({
    description:
      "Address of a picture that fits 400 by 400 pixels: of the image itself, made a few seconds after the upload, or one that " +
      "stands for any video or audio.",
    examples: ["https://push.example.com/media/5J0Zz4m0TjVq3c8o0b1XyQdWn7Kf2LhR/thumbnail"],
  }),
  created_at: Timestamp.annotate({ description: "When the file was uploaded, in UTC." }),
  updated_at: Timestamp.annotate({ description: "When the file was last changed, in UTC." }),
}).annotate({ identifier: "MediaFile" });
export type MediaFile = typeof MediaFile.Type;
