import { Effect } from "effect";
import { type Command, Flag } from "effect/cli";
import type { NotificationDraft } from "../../client/WaypostClient.ts";
import { commandOn } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { choiceFlag, optional, optionalFlag, switchFlag, textFlag } from "../Flags.ts";
import { optionalJson } from "../RequestBodies.ts";
import { printOne } from "../terminal/Output.ts";
import { campaignTarget, inCampaign, notifications } from "./NotificationResource.ts";
import { previewCommand, testCommand } from "./NotificationTests.ts";

const wholeFlag = (name: string, description: string) =>
  optional(Flag.Int(name).pipe(Flag.withDescription(description)));

const triggerFlags = {
  trigger: choiceFlag(
    "trigger",
    ["on_enter", "on_exit", "on_dwell"],
    "Of a geo campaign: send when a device enters or leaves a location, or has been inside for --minutes",
  ),
  minutes: wholeFlag("minutes", "With --trigger on_dwell: minutes inside without an exit, 1 to 1440"),
  max_silence_minutes: wholeFlag(
    "max-silence",
    "With --trigger on_dwell: not if the device has reported nothing for so many minutes",
  ),
  event: optionalFlag("event", "Of an event campaign: send on the custom event with this name"),
  where: optionalFlag(
    "where",
    'With --event: a rule over its properties as JSON: "match", and "conditions" as those of a segment',
  ),
  delay_minutes: wholeFlag("delay", "With --event: minutes to wait after it, up to 43200"),
  unless_event: optionalFlag("unless", "With --delay: not if this event comes meanwhile"),
  send_at: optionalFlag("send-at", "Of a push campaign: send at HH:MM on the campaign's day"),
  local: switchFlag("local", "With --send-at: in the time zone of each device"),
  late: choiceFlag(
    "late",
    ["send", "skip"],
    "With --local: send at once where the time has passed, or skip it (the default)",
  ),
};

type TriggerConfig = NonNullable<NotificationDraft["trigger_config"]>;

/** The trigger of a draft. The server checks that its parts belong together. */
const triggerDraft = Effect.fnUntraced(function* ({
  trigger,
  ...flags
}: Command.Command.Config.Infer<typeof triggerFlags>) {
  const where = yield* optionalJson(flags.where, "The rule of --where must be JSON.");
  const config = {
    ...flags,
    local: flags.local || undefined,
    where: (where ?? undefined) as TriggerConfig["where"],
  };
  const otherwise = flags.event === undefined ? ("on_enter" as const) : ("on_event" as const);
  const draft: Pick<NotificationDraft, "trigger_type" | "trigger_config"> = {
    trigger_type: flags.send_at === undefined ? (trigger ?? otherwise) : "fixed_time",
    trigger_config: Object.values(config).every((value) => value === undefined) ? null : config,
  };
  return draft;
});

const create = commandOn(campaignTarget, "create", {
  description: "Add a message to a campaign",
  examples: [
    `waypost notification create ${inCampaign} ` +
      '--name Hello --headline Welcome --body "Coffee is on us today." --trigger on_enter ' +
      `--push '{"sound":"none","ttl_seconds":3600}'`,
  ],
  flags: {
    name: textFlag("name", "Name of the notification, not shown to people"),
    headline: textFlag("headline", "Headline of the message"),
    body: textFlag("body", "Text of the message"),
    ...triggerFlags,
    cta_label: optionalFlag("cta-label", "Label of the button"),
    cta_url: optionalFlag("cta-url", "Address that the button opens"),
    media_asset_id: optionalFlag("media", "Id of a media file"),
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
  *run(
    ask,
    { body, cta_label, cta_url, headline, media_asset_id, name, push, template, variants, ...trigger },
  ) {
    const draft: NotificationDraft = {
      name,
      type: "message",
      headline,
      body,
      ...(yield* triggerDraft(trigger)),
      cta_label,
      cta_url,
      media_asset_id,
      template,
      push: (yield* optionalJson(
        push,
        'The push options must be a JSON object, such as {"sound":"none"}.',
      )) as NotificationDraft["push"],
      variants: (yield* optionalJson(
        variants,
        'The variants must be a JSON list, such as [{"key":"b","weight":50}].',
      )) as NotificationDraft["variants"],
    };
    const created = yield* ask((client, campaign) => client.notifications.create(campaign, draft));
    yield* printOne(created, notifications.created);
  },
});

/** `waypost notification …` */
export const notificationCommand = operatorCommands("notification", {
  description: "The notifications of a campaign: what people read, and when",
  examples: [`waypost notification list ${inCampaign}`],
  commands: [
    create,
    notifications.list({
      description: "List the notifications of a campaign",
      examples: [`waypost notification list ${inCampaign}`],
      whenEmpty: "The campaign has no notifications yet. See waypost notification create --help.",
    }),
    notifications.show("Show a notification of a campaign", (client, campaign, id) =>
      client.notifications.get(campaign, id),
    ),
    previewCommand,
    testCommand,
    notifications.item("delete", {
      description: "Take a notification off a campaign. Content that is on no campaign is deleted",
      request: (client, campaign, id) => client.notifications.delete(campaign, id),
      text: ({ id }) => `Took the notification ${id} off the campaign.`,
    }),
  ],
});
