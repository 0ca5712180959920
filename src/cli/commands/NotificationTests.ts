/** Previews and test sends of a notification. */
import { Option } from "effect";
import { Flag } from "effect/cli";
import { counted } from "../../wire/Text.ts";
import { command } from "../DeclaredCommand.ts";
import { optionalFlag } from "../Flags.ts";
import { openPlatform } from "../Platform.ts";
import { printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { findNotification, oneFlags } from "./NotificationFlags.ts";

/** `waypost notification preview` */
export const previewCommand = command("preview", {
  description: "Show what a device would get of a notification",
  examples: [
    'waypost notification preview Hello --campaign "Opening week" --workspace Acme ' +
      "--environment sandbox --locale nl-NL",
  ],
  flags: {
    ...oneFlags,
    device: optionalFlag("device", "Id of the device to show it for"),
    locale: optionalFlag("locale", "Language and region to show it in, instead of a device"),
    location: optionalFlag("location", "Id of the location whose event triggers it"),
    variant: optionalFlag("variant", "Variant to show, or control; that of the device if left out"),
  },
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const [campaign_id, notification_id] = yield* findNotification(platform, flags);
    const shown = yield* platform((client) =>
      client.previews.preview(
        {
          campaign_id,
          notification_id,
          device_id: Option.getOrNull(flags.device),
          locale: Option.getOrNull(flags.locale),
          location_id: Option.getOrNull(flags.location),
        },
        Option.isSome(flags.variant) ? { variant: flags.variant.value } : {},
      ),
    );
    yield* printOne(shown, ({ failure, message, pushes }) =>
      message === null || pushes === null
        ? `The message would fail: ${failure ?? ""}`
        : details([
            ...(message.variant === null ? [] : [["variant", message.variant] as const]),
            ["headline", message.headline],
            ["body", message.body],
            ["button", message.cta_url === null ? "none" : `${message.cta_label ?? ""} (${message.cta_url})`],
            ...(["fcm", "apns", "webpush"] as const).map((name): readonly [string, string] => {
              const { bytes, cut } = pushes[name];
              return [name, `${bytes} bytes${cut.length === 0 ? "" : `, cut: ${cut.join(", ")}`}`];
            }),
          ]),
    );
  },
});

/** `waypost notification test` */
export const testCommand = command("test", {
  description: "Send a notification to approved test devices now. It counts in no report",
  examples: [
    'waypost notification test Hello --campaign "Opening week" --workspace Acme ' +
      "--environment sandbox --device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64",
  ],
  flags: {
    ...oneFlags,
    device: Flag.String("device").pipe(
      Flag.withDescription("Id of an approved test device. May be repeated"),
      Flag.atLeast(1),
    ),
    location: optionalFlag("location", "Id of the location that the message is for"),
    variant: optionalFlag("variant", "Variant to send, or control; that of each device if left out"),
  },
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const [campaign, id] = yield* findNotification(platform, flags);
    const body = {
      device_ids: flags.device,
      location_id: Option.getOrNull(flags.location),
      variant: Option.getOrNull(flags.variant),
    };
    const sent = yield* platform((client) => client.testSends.send(campaign, id, body));
    yield* printOne(sent, ({ deliveries }) => {
      const failed = deliveries.filter(({ status }) => status === "failed");
      return [
        `Sent it to ${counted(deliveries.length - failed.length, "test device")}.`,
        ...failed.map(({ device_id, last_error }) => `It failed for ${device_id}: ${last_error ?? ""}`),
      ].join("\n");
    });
  },
});
