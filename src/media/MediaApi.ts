import { Schema } from "effect";
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api";
import { Needs } from "../access/Access.ts";
import { Idempotency } from "../http/Idempotency.ts";
import {
  Conflict,
  Forbidden,
  NotFound,
  PayloadTooLarge,
  Unprocessable,
  UnsupportedMediaType,
} from "../wire/ApiError.ts";
import { Data, Deleted, PageOf, PageQuery } from "../wire/Envelope.ts";
import { BodyRules } from "../wire/RequestBody.ts";
import { searchParameter } from "../wire/SearchText.ts";
import { MediaKind } from "../workspaces/Plan.ts";
import { maxFileBytes, MediaFile, MediaId, MediaUpload, UsedMediaFile } from "./MediaFile.ts";

const params = { media: MediaId };

/** Media files of an environment. Notifications show them. */
export class MediaApi extends HttpApiGroup.make("media")
  .add(
    HttpApiEndpoint.get("list", "/media", {
      query: { ...PageQuery, type: Schema.optionalKey(MediaKind), q: searchParameter("logo") },
      success: PageOf(MediaFile),
      error: [Unprocessable],
    })
      .annotate(Needs, "media:read")
      .annotate(OpenApi.Summary, "List media files")
      .annotate(OpenApi.Description, "Newest first. `type` filters by kind, `q` searches the names."),
    HttpApiEndpoint.post("upload", "/media", {
      payload: MediaUpload.pipe(HttpApiSchema.asMultipart()),
      success: Data(MediaFile).pipe(HttpApiSchema.status(201)),
      error: [Forbidden, PayloadTooLarge, UnsupportedMediaType, Unprocessable],
    })
      // The file, and one MiB for all other parts.
      .annotate(BodyRules, { maxBytes: maxFileBytes + 1_048_576, contentTypes: ["multipart/form-data"] })
      .middleware(Idempotency)
      .annotate(Needs, "media:write")
      .annotate(OpenApi.Summary, "Upload a media file")
      .annotate(
        OpenApi.Description,
        "The plan says which kinds can be uploaded and how many bytes in all (`max_media_bytes`). " +
          "A Sandbox holds at most 209,715,200 bytes. Without an Idempotency-Key a retry adds a second file.",
      ),
    HttpApiEndpoint.get("get", "/media/:media", { params, success: Data(UsedMediaFile), error: [NotFound] })
      .annotate(Needs, "media:read")
      .annotate(OpenApi.Summary, "Show a media file")
      .annotate(OpenApi.Description, "With the notifications whose content shows it."),
    HttpApiEndpoint.delete("delete", "/media/:media", {
      params,
      success: Deleted,
      error: [NotFound, Conflict],
    })
      .middleware(Idempotency)
      .annotate(Needs, "media:write")
      .annotate(OpenApi.Summary, "Delete a media file")
      .annotate(
        OpenApi.Description,
        "Its address is gone at once. Refused with `media_in_use` while notifications show it: the message " +
          "lists their ids; change their `media_asset_id` first.",
      ),
  )
  .annotate(OpenApi.Title, "Media")
  .annotate(OpenApi.Description, "Images, video and audio that notifications show.") {}
