import { Effect, Option } from "effect";
import { Command, Flag } from "effect/cli";
import type { Notification, NotificationDraft } from "../../client/WaypostClient.ts";
import { findId, nameArgument } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { findCampaign, openPlatform, pageOf, type Platform, platformFlags } from "../Platform.ts";
import { counted } from "../../wire/Text.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const campaignFlags = {
  ...platformFlags,
  campaign: Flag.String("campaign").pipe(Flag.withDescription("The campaign, by id or name")),
};

/** When a notification is sent: its time, or what triggers it. */
const triggerOf = ({ trigger_config: config, trigger_type: type }: Notification): string =>
  config?.local === true
    ? `${config.send_at} local`
    : (config?.send_at ?? (config?.minutes === undefined ? type : `${type} (${config.minutes} min)`));

const card = (notification: Notification): string =>
  details([
    ["id", notification.id],
    ["name", notification.name],
    ["type", notification.type],
    ["headline", notification.headline],
    ["body", notification.body],
    ["media", notification.media?.url ?? "none"],
    [
      "button",
      notification.cta_url === null ? "none" : `${notification.cta_label ?? ""} (${notification.cta_url})`,
    ],
    ["questions", String(notification.questions.length)],
    ["trigger", triggerOf(notification)],
    ["from", formatInstant(notification.starts_at)],
    ["until", formatInstant(notification.ends_at)],
    ["updated", formatInstant(notification.updated_at)],
  ]);

const pages = (platform: Platform, campaign: string) =>
  pageOf(platform, (client) => client.notifications.list(campaign));

const list = Command.make(
  "list",
  campaignFlags,
  Effect.fn(function* (flags) {
    const platform = yield* openPlatform(flags, ["campaigns:read", "notifications:read"]);
    const campaign = yield* findCampaign(platform, flags.campaign);
    yield* printList(
      Number.POSITIVE_INFINITY,
      pages(platform, campaign),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "NAME", cell: ({ name }) => name },
        { heading: "TYPE", cell: ({ type }) => type },
        { heading: "HEADLINE", cell: ({ headline }) => headline },
        { heading: "TRIGGER", cell: triggerOf },
      ],
      "The campaign has no notifications yet. See waypost notification create --help.",
    );
  }, Effect.scoped),
).pipe(
  Command.withDescription("List the notifications of a campaign"),
  Command.withExamples([
    { command: 'waypost notification list --campaign "Opening week" --workspace Acme --environment sandbox' },
  ]),
);

const optionalFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

const wholeFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional);

interface TriggerFlags {
  readonly trigger: Option.Option<"on_enter" | "on_exit" | "on_dwell">;
  readonly minutes: Option.Option<number>;
  readonly maxSilence: Option.Option<number>;
  readonly sendAt: Option.Option<string>;
  readonly local: boolean;
  readonly late: Option.Option<"send" | "skip">;
}

/** The trigger of a draft. The server checks that its parts belong together. */
const triggerDraft = (flags: TriggerFlags): Pick<NotificationDraft, "trigger_type" | "trigger_config"> => {
  const config = {
    ...Option.match(flags.sendAt, { onNone: () => ({}), onSome: (send_at) => ({ send_at }) }),
    ...(flags.local ? { local: true } : {}),
    ...Option.match(flags.late, { onNone: () => ({}), onSome: (late) => ({ late }) }),
    ...Option.match(flags.minutes, { onNone: () => ({}), onSome: (minutes) => ({ minutes }) }),
    ...Option.match(flags.maxSilence, {
      onNone: () => ({}),
      onSome: (minutes) => ({ max_silence_minutes: minutes }),
    }),
  };
  return {
    trigger_type: Option.isSome(flags.sendAt)
      ? "fixed_time"
      : Option.getOrElse(flags.trigger, () => "on_enter" as const),
    trigger_config: Object.keys(config).length === 0 ? null : config,
  };
};

const create = Command.make(
  "create",
  {
    ...campaignFlags,
    name: Flag.String("name").pipe(Flag.withDescription("Name of the notification, not shown to people")),
    headline: Flag.String("headline").pipe(Flag.withDescription("Headline of the message")),
    body: Flag.String("body").pipe(Flag.withDescription("Text of the message")),
    trigger: Flag.Literals("trigger", ["on_enter", "on_exit", "on_dwell"]).pipe(
      Flag.withDescription(
        "Of a geo campaign: send when a device enters or leaves a location, or has been inside for --minutes",
      ),
      Flag.optional,
    ),
    minutes: wholeFlag("minutes", "With --trigger on_dwell: minutes inside without an exit, 1 to 1440"),
    maxSilence: wholeFlag(
      "max-silence",
      "With --trigger on_dwell: not if the device has reported nothing for so many minutes",
    ),
    sendAt: optionalFlag("send-at", "Of a push campaign: send at HH:MM on the campaign's day"),
    local: Flag.Boolean("local").pipe(
      Flag.withDescription("With --send-at: in the time zone of each device"),
      Flag.withDefault(false),
    ),
    late: Flag.Literals("late", ["send", "skip"]).pipe(
      Flag.withDescription("With --local: send at once where the time has passed, or skip it (the default)"),
      Flag.optional,
    ),
    ctaLabel: optionalFlag("cta-label", "Label of the button"),
    ctaUrl: optionalFlag("cta-url", "Address that the button opens"),
    media: optionalFlag("media", "Id of a media file"),
  },
  Effect.fn(function* (flags) {
    const draft: NotificationDraft = {
      name: flags.name,
      type: "message",
      headline: flags.headline,
      body: flags.body,
      ...triggerDraft(flags),
      cta_label: Option.getOrUndefined(flags.ctaLabel),
      cta_url: Option.getOrUndefined(flags.ctaUrl),
      media_asset_id: Option.getOrUndefined(flags.media),
    };
    const platform = yield* openPlatform(flags, ["campaigns:read", "notifications:write"]);
    const campaign = yield* findCampaign(platform, flags.campaign);
    const created = yield* platform((client) => client.notifications.create(campaign, draft));
    yield* printOne(created, (made) => `Created the notification "${made.name}".\n\n${card(made)}`);
  }, Effect.scoped),
).pipe(
  Command.withDescription("Add a message to a campaign"),
  Command.withExamples([
    {
      command:
        'waypost notification create --campaign "Opening week" --workspace Acme --environment sandbox ' +
        '--name Hello --headline Welcome --body "Coffee is on us today." --trigger on_enter',
    },
  ]),
);

const oneFlags = { ...campaignFlags, notification: nameArgument("notification") };

const findNotification = Effect.fnUntraced(function* (
  platform: Platform,
  flags: { readonly campaign: string; readonly notification: string },
) {
  const campaign = yield* findCampaign(platform, flags.campaign);
  const id = yield* findId("notification", flags.notification, pages(platform, campaign));
  return [campaign, id] as const;
});

const show = Command.make(
  "show",
  oneFlags,
  Effect.fn(function* (flags) {
    const platform = yield* openPlatform(flags, ["campaigns:read", "notifications:read"]);
    const [campaign, id] = yield* findNotification(platform, flags);
    yield* printOne(yield* platform((client) => client.notifications.get(campaign, id)), card);
  }, Effect.scoped),
).pipe(
  Command.withDescription("Show a notification of a campaign"),
  Command.withExamples([
    {
      command:
        'waypost notification show Hello --campaign "Opening week" --workspace Acme --environment sandbox',
    },
  ]),
);

const remove = Command.make(
  "delete",
  oneFlags,
  Effect.fn(function* (flags) {
    const needed = ["campaigns:read", "notifications:read", "notifications:write"] as const;
    const platform = yield* openPlatform(flags, needed);
    const [campaign, id] = yield* findNotification(platform, flags);
    const deleted = yield* platform((client) => client.notifications.delete(campaign, id));
    yield* printOne(deleted, () => `Took the notification ${id} off the campaign.`);
  }, Effect.scoped),
).pipe(
  Command.withDescription("Take a notification off a campaign. Content that is on no campaign is deleted"),
  Command.withExamples([
    {
      command:
        'waypost notification delete Hello --campaign "Opening week" --workspace Acme --environment sandbox',
    },
  ]),
);

const preview = Command.make(
  "preview",
  {
    ...oneFlags,
    device: optionalFlag("device", "Id of the device to show it for"),
    locale: optionalFlag("locale", "Language and region to show it in, instead of a device"),
    location: optionalFlag("location", "Id of the location whose event triggers it"),
  },
  Effect.fn(function* (flags) {
    const platform = yield* openPlatform(flags, ["campaigns:read", "notifications:read"]);
    const [campaign_id, notification_id] = yield* findNotification(platform, flags);
    const shown = yield* platform((client) =>
      client.previews.preview({
        campaign_id,
        notification_id,
        device_id: Option.getOrNull(flags.device),
        locale: Option.getOrNull(flags.locale),
        location_id: Option.getOrNull(flags.location),
      }),
    );
    yield* printOne(shown, ({ failure, message, pushes }) =>
      message === null || pushes === null
        ? `The message would fail: ${failure ?? ""}`
        : details([
            ["headline", message.headline],
            ["body", message.body],
            ["button", message.cta_url === null ? "none" : `${message.cta_label ?? ""} (${message.cta_url})`],
            ...(["fcm", "apns", "webpush"] as const).map((name): readonly [string, string] => {
              const { bytes, cut } = pushes[name];
              return [name, `${bytes} bytes${cut.length === 0 ? "" : `, cut: ${cut.join(", ")}`}`];
            }),
          ]),
    );
  }, Effect.scoped),
).pipe(
  Command.withDescription("Show what a device would get of a notification"),
  Command.withExamples([
    {
      command:
        'waypost notification preview Hello --campaign "Opening week" --workspace Acme ' +
        "--environment sandbox --locale nl-NL",
    },
  ]),
);

const test = Command.make(
  "test",
  {
    ...oneFlags,
    device: Flag.String("device").pipe(
      Flag.withDescription("Id of an approved test device. May be repeated"),
      Flag.atLeast(1),
    ),
    location: optionalFlag("location", "Id of the location that the message is for"),
  },
  Effect.fn(function* (flags) {
    const needed = ["campaigns:read", "notifications:read", "notifications:write"] as const;
    const platform = yield* openPlatform(flags, needed);
    const [campaign, id] = yield* findNotification(platform, flags);
    const body = { device_ids: flags.device, location_id: Option.getOrNull(flags.location) };
    const sent = yield* platform((client) => client.testSends.send(campaign, id, body));
    yield* printOne(sent, ({ deliveries }) => `Sent it to ${counted(deliveries.length, "test device")}.`);
  }, Effect.scoped),
).pipe(
  Command.withDescription("Send a notification to approved test devices now. It counts in no report"),
  Command.withExamples([
    {
      command:
        'waypost notification test Hello --campaign "Opening week" --workspace Acme ' +
        "--environment sandbox --device 01980a6c-0f3e-7c52-9a41-3f1f5d7a2b64",
    },
  ]),
);

/** `waypost notification …` */
export const notificationCommand = Command.make("notification").pipe(
  Command.withDescription("The notifications of a campaign: what people read, and when"),
  Command.withSubcommands([create, list, show, preview, test, remove]),
  Command.withExamples([
    { command: 'waypost notification list --campaign "Opening week" --workspace Acme --environment sandbox' },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
