/** Reasons for which a campaign does not reach a device, in order of precedence (contract S6). */
const explained = {
  paused: "The campaign is paused.",
  not_started: "The campaign has not started.",
  ended: "The campaign has ended.",
  no_notification: "The campaign has no notification that can still be sent.",
  not_approved: "The device is not an approved test device.",
  unsubscribed: "The device wants no messages.",
  not_in_segment: "The device is not in the segments of the campaign.",
  holdout: "The device is held out of the campaign's experiment.",
  address_gone: "The push service has said that the device's address is gone.",
  transport_not_configured: "No credentials are set for the push service of the device in this environment.",
  passed: "The time of the message has passed in the device's time zone.",
  already_sent: "The message was already sent.",
  capped: "The frequency cap of the campaign is reached.",
  quiet_hours: "It is in quiet hours for the device.",
  cooldown: "The cooldown of the campaign at the location has not passed.",
  outside: "The device is in none of the locations of the campaign.",
  scheduled: "The message is still to come.",
} as const;

/** Further reasons of explanations of the past. */
const explainedPast = {
  failed: "The message could not be delivered.",
  unknown: "Nothing is kept that says what happened then.",
} as const;

/** A reason of an explanation. */
export type Reason = keyof typeof explained;

/** The reasons of explanations. Of several that apply the first is given. */
export const reasons = Object.keys(explained) as ReadonlyArray<Reason>;

/** A reason of an explanation of an instant in the past. */
export type PastReason = Reason | keyof typeof explainedPast;

/** The reasons of all explanations. */
export const allReasons = Object.keys({ ...explained, ...explainedPast }) as ReadonlyArray<PastReason>;

/**
 * Every reason that prevents a message, with its sentence: those of explanations, and those that a message
 * only meets between its creation and its sending (contract L3, P2). This file imports nothing, so that the
 * browser's program can import it.
 */
export const obstacles = {
  ...explained,
  ...explainedPast,
  stopped: "The send was stopped.",
  deleted: "The campaign was deleted.",
  detached: "The notification was deleted.",
  closing: "The workspace is scheduled for deletion.",
  unregistered: "The device has unregistered.",
} as const;

/** A reason that prevents a message. */
export type Obstacle = keyof typeof obstacles;

/** An obstacle to every message for a device, whatever the campaign. */
export type DeviceObstacle = "unregistered" | "not_approved" | "unsubscribed" | "address_gone";
