/** Previews and test sends of a notification. */
import { Flag } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { optionalFlag, textFlag } from "../Flags.ts";
import { details } from "../terminal/Table.ts";
import { buttonText, inCampaign, notifications } from "./NotificationResource.ts";

/** `waypost notification preview` */
export const previewCommand = notifications.item("preview", {
  description: "Show what a device would get of a notification",
  examples: [`waypost notification preview Hello ${inCampaign} --locale nl-NL`],
  flags: {
    device_id: optionalFlag("device", "Id of the device to show it for"),
    locale: optionalFlag("locale", "Language and region to show it in, instead of a device"),
    location_id: optionalFlag("location", "Id of the location whose event triggers it"),
    variant: optionalFlag("variant", "Variant to show, or control; that of the device if left out"),
  },
  request: (client, campaign_id, notification_id, { variant, ...shownFor }) =>
    client.previews.preview(
      { campaign_id, notification_id, ...shownFor },
      variant === undefined ? {} : { variant },
    ),
  text: ({ failure, message, pushes }) =>
    message === null || pushes === null
      ? `The message would fail: ${failure ?? ""}`
      : details([
          ...(message.variant === null ? [] : [["variant", message.variant] as const]),
          ["headline", message.headline],
          ["body", message.body],
          ["button", buttonText(message)],
          ...(["fcm", "apns", "webpush"] as const).map((name): readonly [string, string] => {
            const { bytes, cut } = pushes[name];
            return [name, `${bytes} bytes${cut.length === 0 ? "" : `, cut: ${cut.join(", ")}`}`];
          }),
        ]),
});

/** `waypost notification test` */
export const testCommand = notifications.item("test", {
  description: "Send a notification to approved test devices now. It counts in no report",
  examples: [`waypost notification test Hello ${inCampaign} --device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64`],
  flags: {
    device_ids: textFlag("device", "Id of an approved test device. May be repeated").pipe(Flag.atLeast(1)),
    location_id: optionalFlag("location", "Id of the location that the message is for"),
    variant: optionalFlag("variant", "Variant to send, or control; that of each device if left out"),
  },
  request: (client, campaign, id, body) => client.testSends.send(campaign, id, body),
  text: ({ deliveries }) => {
    const failed = deliveries.filter(({ status }) => status === "failed");
    return [
      `Sent it to ${counted(deliveries.length - failed.length, "test device")}.`,
      ...failed.map(({ device_id, last_error }) => `It failed for ${device_id}: ${last_error ?? ""}`),
    ].join("\n");
  },
});
