import { Effect, Option } from "effect";
import { type Command, Flag } from "effect/cli";
import type { Notification, NotificationDraft } from "../../client/WaypostClient.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { parseJson } from "../RequestBodies.ts";
import { choiceFlag, optionalFlag, switchFlag, textFlag } from "../Flags.ts";
import { findCampaign, openPlatform } from "../Platform.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { campaignFlags, findNotification, oneFlags, pages } from "./NotificationFlags.ts";
import { previewCommand, testCommand } from "./NotificationTests.ts";

/** When a notification is sent: its time, or what triggers it. */
const triggerOf = ({ trigger_config: config, trigger_type: type }: Notification): string =>
  config?.local === true
    ? `${config.send_at} local`
    : (config?.send_at ??
      config?.event ??
      (config?.minutes === undefined ? type : `${type} (${config.minutes} min)`));

/** The push options that are set, as JSON. */
const pushText = (push: Notification["push"]): string => {
  const set = Object.entries(push ?? {}).filter(([, value]) => value !== null);
  return set.length === 0 ? "none" : JSON.stringify(Object.fromEntries(set));
};

const variantsText = ({ variants }: Notification): string =>
  variants.length === 0 ? "none" : variants.map(({ key, weight }) => `${key} ${weight} %`).join(", ");

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
    ["push", pushText(notification.push)],
    ["variants", variantsText(notification)],
    ["trigger", triggerOf(notification)],
    ["from", formatInstant(notification.starts_at)],
    ["until", formatInstant(notification.ends_at)],
    ["updated", formatInstant(notification.updated_at)],
  ]);

const list = command("list", {
  description: "List the notifications of a campaign",
  examples: ['waypost notification list --campaign "Opening week" --workspace Acme --environment sandbox'],
  flags: campaignFlags,
  *run(flags) {
    const platform = yield* openPlatform(flags);
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
  },
});

const wholeFlag = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional);

const triggerFlags = {
  trigger: choiceFlag(
    "trigger",
    ["on_enter", "on_exit", "on_dwell"],
    "Of a geo campaign: send when a device enters or leaves a location, or has been inside for --minutes",
  ),
  minutes: wholeFlag("minutes", "With --trigger on_dwell: minutes inside without an exit, 1 to 1440"),
  maxSilence: wholeFlag(
    "max-silence",
    "With --trigger on_dwell: not if the device has reported nothing for so many minutes",
  ),
  event: optionalFlag("event", "Of an event campaign: send on the custom event with this name"),
  where: optionalFlag(
    "where",
    'With --event: a rule over its properties as JSON: "match", and "conditions" as those of a segment',
  ),
  delay: wholeFlag("delay", "With --event: minutes to wait after it, up to 43200"),
  unless: optionalFlag("unless", "With --delay: not if this event comes meanwhile"),
  sendAt: optionalFlag("send-at", "Of a push campaign: send at HH:MM on the campaign's day"),
  local: switchFlag("local", "With --send-at: in the time zone of each device"),
  late: choiceFlag(
    "late",
    ["send", "skip"],
    "With --local: send at once where the time has passed, or skip it (the default)",
  ),
};

type TriggerConfig = NonNullable<NotificationDraft["trigger_config"]>;

/** The trigger of a draft. The server checks that its parts belong together. */
const triggerDraft = Effect.fnUntraced(function* (flags: Command.Command.Config.Infer<typeof triggerFlags>) {
  const where = Option.getOrUndefined(flags.where);
  const config = {
    send_at: Option.getOrUndefined(flags.sendAt),
    local: flags.local || undefined,
    late: Option.getOrUndefined(flags.late),
    minutes: Option.getOrUndefined(flags.minutes),
    max_silence_minutes: Option.getOrUndefined(flags.maxSilence),
    event: Option.getOrUndefined(flags.event),
    where:
      where === undefined
        ? undefined
        : ((yield* parseJson(where, "The rule of --where must be JSON.")) as TriggerConfig["where"]),
    delay_minutes: Option.getOrUndefined(flags.delay),
    unless_event: Option.getOrUndefined(flags.unless),
  };
  const isEvent = Option.isSome(flags.event);
  const otherwise = isEvent ? ("on_event" as const) : ("on_enter" as const);
  const trigger: Pick<NotificationDraft, "trigger_type" | "trigger_config"> = {
    trigger_type: Option.isSome(flags.sendAt)
      ? "fixed_time"
      : Option.getOrElse(flags.trigger, () => otherwise),
    trigger_config: Object.values(config).every((value) => value === undefined) ? null : config,
  };
  return trigger;
});

const create = command("create", {
  description: "Add a message to a campaign",
  examples: [
    'waypost notification create --campaign "Opening week" --workspace Acme --environment sandbox ' +
      '--name Hello --headline Welcome --body "Coffee is on us today." --trigger on_enter ' +
      `--push '{"sound":"none","ttl_seconds":3600}'`,
  ],
  flags: {
    ...campaignFlags,
    name: textFlag("name", "Name of the notification, not shown to people"),
    headline: textFlag("headline", "Headline of the message"),
    body: textFlag("body", "Text of the message"),
    ...triggerFlags,
    ctaLabel: optionalFlag("cta-label", "Label of the button"),
    ctaUrl: optionalFlag("cta-url", "Address that the button opens"),
    media: optionalFlag("media", "Id of a media file"),
    template: choiceFlag(
      "template",
      ["liquid"],
      "The texts are templates in this language, rendered for each device",
    ),
    push: optionalFlag("push", 'Push options as a JSON object, such as {"sound":"none"}'),
    variants: optionalFlag(
      "variants",
      'What shares of people get instead, as JSON: [{"key":"b","weight":50,"headline":"Coffee?"}]',
    ),
  },
  *run(flags) {
    const draft: NotificationDraft = {
      name: flags.name,
      type: "message",
      headline: flags.headline,
      body: flags.body,
      ...(yield* triggerDraft(flags)),
      cta_label: Option.getOrUndefined(flags.ctaLabel),
      cta_url: Option.getOrUndefined(flags.ctaUrl),
      media_asset_id: Option.getOrUndefined(flags.media),
      template: Option.getOrUndefined(flags.template),
      push: Option.isNone(flags.push)
        ? null
        : ((yield* parseJson(
            flags.push.value,
            'The push options must be a JSON object, such as {"sound":"none"}.',
          )) as NotificationDraft["push"]),
      variants: Option.isNone(flags.variants)
        ? null
        : ((yield* parseJson(
            flags.variants.value,
            'The variants must be a JSON list, such as [{"key":"b","weight":50}].',
          )) as NotificationDraft["variants"]),
    };
    const platform = yield* openPlatform(flags);
    const campaign = yield* findCampaign(platform, flags.campaign);
    const created = yield* platform((client) => client.notifications.create(campaign, draft));
    yield* printOne(created, (made) => `Created the notification "${made.name}".\n\n${card(made)}`);
  },
});

const show = command("show", {
  description: "Show a notification of a campaign",
  examples: [
    'waypost notification show Hello --campaign "Opening week" --workspace Acme --environment sandbox',
  ],
  flags: oneFlags,
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const [campaign, id] = yield* findNotification(platform, flags);
    yield* printOne(yield* platform((client) => client.notifications.get(campaign, id)), card);
  },
});

const remove = command("delete", {
  description: "Take a notification off a campaign. Content that is on no campaign is deleted",
  examples: [
    'waypost notification delete Hello --campaign "Opening week" --workspace Acme --environment sandbox',
  ],
  flags: oneFlags,
  *run(flags) {
    const platform = yield* openPlatform(flags);
    const [campaign, id] = yield* findNotification(platform, flags);
    const deleted = yield* platform((client) => client.notifications.delete(campaign, id));
    yield* printOne(deleted, () => `Took the notification ${id} off the campaign.`);
  },
});

/** `waypost notification …` */
export const notificationCommand = operatorCommands("notification", {
  description: "The notifications of a campaign: what people read, and when",
  examples: ['waypost notification list --campaign "Opening week" --workspace Acme --environment sandbox'],
  commands: [create, list, show, previewCommand, testCommand, remove],
});
