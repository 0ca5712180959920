import { Option } from "effect";
import { Flag } from "effect/cli";
import type { Webhook, WebhookWithSecret } from "../../client/WaypostClient.ts";
import { eventTypes } from "../../outbox/EventType.ts";
import { WebhookDraft, WholeWebhook } from "../../webhooks/Webhook.ts";
import { commaList } from "../../wire/Text.ts";
import { command, operatorCommands } from "../DeclaredCommand.ts";
import { limitFlag, optionalFlag, switchFlag, textFlag } from "../Flags.ts";
import { openPlatform, platformFlags } from "../Platform.ts";
import { parseFlags } from "../RequestBodies.ts";
import { formatInstant, yesNo } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import {
  attempts,
  exampleFlags as example,
  openWebhook,
  pages,
  resend,
  test,
  webhookFlags,
} from "./WebhookCalls.ts";

const card = (webhook: Webhook): string =>
  details([
    ["id", webhook.id],
    ["url", webhook.url],
    ["description", webhook.description ?? "-"],
    ["events", webhook.events.join(", ")],
    ["batch", yesNo(webhook.batch)],
    ["status", webhook.status],
    ["disabled", formatInstant(webhook.disabled_at)],
    ["last attempt", formatInstant(webhook.last_attempt_at)],
    ["created", formatInstant(webhook.created_at)],
  ]);

const withSecret = (sentence: string, webhook: WebhookWithSecret): string =>
  [sentence, "Copy the secret now: it is not shown again.", "", webhook.secret, "", card(webhook)].join("\n");

const eventsFlag = textFlag(
  "events",
  `Event types, separated by commas, or * for all: ${eventTypes.join(", ")}`,
);
const urlFlag = textFlag("to", "Address to call, such as https://example.com/waypost");
const descriptionFlag = optionalFlag("description", "What the webhook is for");

const create = command("create", {
  description: "Create a webhook and print its secret",
  examples: [`waypost webhook create ${example} --to https://example.com/waypost --batch`],
  flags: {
    ...platformFlags,
    to: urlFlag,
    events: eventsFlag.pipe(Flag.withDefault("*")),
    description: descriptionFlag,
    batch: switchFlag("batch", "Send up to 500 events in a call"),
  },
  *run(flags) {
    const payload = yield* parseFlags(WebhookDraft, {
      url: flags.to,
      events: commaList(flags.events),
      description: Option.getOrUndefined(flags.description),
      batch: flags.batch,
    });
    const platform = yield* openPlatform(flags);
    const created = yield* platform((client) => client.webhooks.create(payload));
    yield* printOne(created, (webhook) => withSecret("Created the webhook.", webhook));
  },
});

const list = command("list", {
  description: "List the webhooks of an environment",
  examples: [`waypost webhook list ${example}`],
  flags: { ...platformFlags, limit: limitFlag },
  *run(flags) {
    yield* printList(
      flags.limit,
      pages(yield* openPlatform(flags)),
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "URL", cell: ({ url }) => url },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "EVENTS", cell: ({ events }) => events.join(",") },
        { heading: "LAST ATTEMPT", kind: "instant", cell: (webhook) => webhook.last_attempt_at },
      ],
      "The environment has no webhooks yet. See waypost webhook create --help.",
    );
  },
});

const show = command("show", {
  description: "Show a webhook",
  examples: [`waypost webhook show https://example.com/waypost ${example}`],
  flags: webhookFlags,
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    yield* printOne(yield* platform(({ webhooks }) => webhooks.get(id)), card);
  },
});

const update = command("update", {
  description: "Change what is given of a webhook, and keep the rest",
  examples: [`waypost webhook update https://example.com/waypost ${example} --events survey.answered`],
  flags: {
    ...webhookFlags,
    to: Flag.optional(urlFlag),
    events: Flag.optional(eventsFlag),
    description: descriptionFlag,
    batch: Flag.Boolean("batch").pipe(
      Flag.withDescription("Whether to send up to 500 events in a call"),
      Flag.optional,
    ),
  },
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    const stored = yield* platform(({ webhooks }) => webhooks.get(id));
    const payload = yield* parseFlags(WholeWebhook, {
      url: Option.getOrElse(flags.to, () => stored.url),
      events: Option.match(flags.events, { onNone: () => stored.events, onSome: commaList }),
      description: Option.getOrElse(flags.description, () => stored.description),
      batch: Option.getOrElse(flags.batch, () => stored.batch),
    });
    const updated = yield* platform(({ webhooks }) => webhooks.update(id, payload));
    yield* printOne(updated, (webhook) => `Updated the webhook.\n\n${card(webhook)}`);
  },
});

const setStatus = (name: "enable" | "disable", status: "active" | "disabled", description: string) =>
  command(name, {
    description: description,
    examples: [`waypost webhook ${name} https://example.com/waypost ${example}`],
    flags: webhookFlags,
    *run(flags) {
      const { id, platform } = yield* openWebhook(flags);
      yield* printOne(yield* platform(({ webhooks }) => webhooks.update(id, { status })), card);
    },
  });

const remove = command("delete", {
  description: "Delete a webhook",
  examples: [`waypost webhook delete https://example.com/waypost ${example}`],
  flags: webhookFlags,
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    const deleted = yield* platform(({ webhooks }) => webhooks.delete(id));
    yield* printOne(deleted, () => `Deleted the webhook ${id}. Events that waited for it are not sent.`);
  },
});

const secret = command("secret", {
  description: "Replace the secret of a webhook; the old one signs too for 24 hours",
  examples: [`waypost webhook secret https://example.com/waypost ${example}`],
  flags: webhookFlags,
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    const replaced = yield* platform(({ webhooks }) => webhooks.secret(id));
    yield* printOne(replaced, (webhook) =>
      withSecret("Replaced the secret. The old one signs too for 24 hours.", webhook),
    );
  },
});

/** `waypost webhook …` */
export const webhookCommand = operatorCommands("webhook", {
  description: "Webhooks: addresses that receive the events of an environment",
  examples: [
    `waypost webhook list ${example}`,
    "waypost webhook list --token wpp_0000000000000000000000000000000000000000",
  ],
  commands: [
    create,
    list,
    show,
    update,
    setStatus("enable", "active", "Call a disabled webhook again; what waited is sent"),
    setStatus("disable", "disabled", "Stop calling a webhook; no events are recorded for it"),
    remove,
    secret,
    attempts,
    resend,
    test,
  ],
});
