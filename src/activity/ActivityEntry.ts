import { Schema } from "effect";
import { ActorType } from "../access/Actor.ts";
import { nullableId, nullableText, shownId, shownInstant, shownText } from "../wire/ShownFields.ts";

/** Actions on a resource. */
export const ActivityAction = Schema.Literals([
  "create",
  "update",
  "delete",
  "pause",
  "publish",
  "archive",
  "unarchive",
  "attach",
  "detach",
  "import",
  "revoke",
  "stop",
]).annotate({ description: "The action.", examples: ["update"] });
export type ActivityAction = typeof ActivityAction.Type;

/** The kinds of resources that can be changed. */
export const ActivityResourceType = Schema.Literals([
  "campaign",
  "notification",
  "location",
  "media",
  "segment",
  "device",
  "token",
  "sdk_key",
  "user_secret",
  "person",
  "transport",
  "webhook",
  "workspace",
]).annotate({ description: "The kind of the resource.", examples: ["campaign"] });
export type ActivityResourceType = typeof ActivityResourceType.Type;

/** The resource of a change. */
export const ActivityResource = Schema.Struct({
  type: ActivityResourceType,
  id: nullableText(
    "Id of the resource, also once it is deleted; null for an import and for a person.",
    "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b62",
  ),
  name: nullableText("Its name after the change; null if it has none.", "Autumn sale"),
});
export type ActivityResource = typeof ActivityResource.Type;

const value = (description: string, example: string) =>
  Schema.Json.annotate({ description, examples: [example] });

/** One change of a resource. */
export const ActivityEntry = Schema.Struct({
  id: shownId("Id of the entry.", "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b60"),
  at: shownInstant("When the change was made, in UTC."),
  actor: Schema.Struct({
    type: ActorType,
    id: nullableId(
      "Id of the token or session; null for the operator.",
      "01980a6c-0f3e-7c52-9a41-3f1f5d7a2b61",
    ),
    name: shownText("Name of the token or person; `operator` for the operator.", "Warehouse sync"),
  }),
  action: ActivityAction,
  resource: ActivityResource,
  changes: Schema.Record(
    Schema.String,
    Schema.Struct({
      old: value("The value before; null for none.", "Autumn"),
      new: value("The value after; null for none.", "Autumn sale"),
    }),
  ).annotate({
    description:
      "The changed fields by dotted name. Texts are cut after 200 characters and lists after 20 elements. " +
      "Of credentials both values are null.",
    examples: [{ name: { old: "Autumn", new: "Autumn sale" } }],
  }),
}).annotate({ identifier: "ActivityEntry" });
export type ActivityEntry = typeof ActivityEntry.Type;
