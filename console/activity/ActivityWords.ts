/** Actors, resources and actions in words. */
import type { ActivityEntry } from "../data/Resources.ts";

/** The kinds of actors. */
export const actorTypes: Record<ActivityEntry["actor"]["type"], string> = {
  token: "Token",
  operator: "Operator",
  session: "Console session",
};

/** The kinds of resources. */
export const resourceTexts: Record<ActivityEntry["resource"]["type"], string> = {
  campaign: "Campaign",
  notification: "Notification",
  location: "Location",
  media: "Media",
  segment: "Segment",
  device: "Device",
  token: "Token",
  sdk_key: "SDK key",
  transport: "Transport",
  webhook: "Webhook",
  person: "Person",
  user_secret: "User secret",
  workspace: "Workspace",
};

/** Texts of actions. */
export const actionTexts: Record<ActivityEntry["action"], string> = {
  create: "Created",
  update: "Updated",
  delete: "Deleted",
  pause: "Paused",
  publish: "Published",
  stop: "Stopped the experiment",
  archive: "Archived",
  unarchive: "Unarchived",
  attach: "Attached",
  detach: "Detached",
  import: "Imported",
  revoke: "Revoked",
};
