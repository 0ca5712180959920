import { Flag } from "effect/cli";
import type { Webhook, WebhookWithSecret } from "../../client/WaypostClient.ts";
import { eventTypes } from "../../outbox/EventType.ts";
import { WebhookDraft } from "../../webhooks/Webhook.ts";
import { commaList } from "../../wire/Text.ts";
import { commandOn, platform } from "../CommandTarget.ts";
import { operatorCommands } from "../DeclaredCommand.ts";
import { limitFlag, optional, optionalFlag, switchFlag, textArgument, textFlag } from "../Flags.ts";
import { findBy } from "../Lookups.ts";
import { parseFlags } from "../RequestBodies.ts";
import { inProduction, resource } from "../Resource.ts";
import { figures } from "../terminal/ItemFields.ts";
import { printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

const webhooks = resource({
  target: platform,
  command: "webhook",
  at: inProduction,
  sample: "https://example.com/waypost",
  argument: textArgument("webhook", "The webhook, by id or url"),
  list: (client, query) => client.webhooks.list(query),
  find: findBy((webhook: Webhook) => webhook.url),
  columns: (each) => ["id", "url", "status", ["events", each.events.join(",")], "last_attempt_at"],
  card: ({ events }) => [
    "id",
    "url",
    "description",
    ["events", events.join(", ")],
    "batch",
    "status",
    "disabled_at",
    "last_attempt_at",
    "created_at",
  ],
});

const withSecret = (sentence: string, webhook: WebhookWithSecret): string =>
  [
    sentence,
    "Copy the secret now: it is not shown again.",
    "",
    webhook.secret,
    "",
    webhooks.card(webhook),
  ].join("\n");

const events = textFlag("events", `Event types, separated by commas, or * for all: ${eventTypes.join(", ")}`);
const to = textFlag("to", "Address to call, such as https://example.com/waypost");
const description = optionalFlag("description", "What the webhook is for");

const create = commandOn(platform, "create", {
  description: "Create a webhook and print its secret",
  examples: [`waypost webhook create ${inProduction} --to https://example.com/waypost --batch`],
  flags: {
    url: to,
    events: events.pipe(Flag.withDefault("*")),
    description,
    batch: switchFlag("batch", "Send up to 500 events in a call"),
  },
  *run(ask, flags) {
    const payload = yield* parseFlags(WebhookDraft, { ...flags, events: commaList(flags.events) });
    const created = yield* ask((client) => client.webhooks.create(payload));
    yield* printOne(created, (webhook) => withSecret("Created the webhook.", webhook));
  },
});

const update = webhooks.command("update", {
  description: "Change what is given of a webhook, and keep the rest",
  examples: [`waypost webhook update https://example.com/waypost ${inProduction} --events survey.answered`],
  flags: {
    url: optional(to),
    events: optional(Flag.map(events, commaList)),
    description,
    batch: optional(
      Flag.Boolean("batch").pipe(Flag.withDescription("Whether to send up to 500 events in a call")),
    ),
  },
  *run(ask, flags) {
    const stored = yield* ask((client, id) => client.webhooks.get(id));
    const payload = yield* parseFlags(WebhookDraft, {
      url: flags.url ?? stored.url,
      events: flags.events ?? stored.events,
      description: flags.description ?? stored.description,
      batch: flags.batch ?? stored.batch,
    });
    const updated = yield* ask((client, id) => client.webhooks.update(id, payload));
    yield* printOne(updated, (webhook) => `Updated the webhook.\n\n${webhooks.card(webhook)}`);
  },
});

const setStatus = (name: "enable" | "disable", status: "active" | "disabled", what: string) =>
  webhooks.item(name, {
    description: what,
    request: (client, id) => client.webhooks.update(id, { status }),
    text: webhooks.card,
  });

/** `waypost webhook …` */
export const webhookCommand = operatorCommands("webhook", {
  description: "Webhooks: addresses that receive the events of an environment",
  examples: [
    `waypost webhook list ${inProduction}`,
    "waypost webhook list --token wpp_0000000000000000000000000000000000000000",
  ],
  commands: [
    create,
    webhooks.list({
      description: "List the webhooks of an environment",
      whenEmpty: "The environment has no webhooks yet. See waypost webhook create --help.",
    }),
    webhooks.show("Show a webhook", (client, id) => client.webhooks.get(id)),
    update,
    setStatus("enable", "active", "Call a disabled webhook again; what waited is sent"),
    setStatus("disable", "disabled", "Stop calling a webhook; no events are recorded for it"),
    webhooks.item("delete", {
      description: "Delete a webhook",
      request: (client, id) => client.webhooks.delete(id),
      text: ({ id }) => `Deleted the webhook ${id}. Events that waited for it are not sent.`,
    }),
    webhooks.item("secret", {
      description: "Replace the secret of a webhook; the old one signs too for 24 hours",
      request: (client, id) => client.webhooks.secret(id),
      text: (webhook) => withSecret("Replaced the secret. The old one signs too for 24 hours.", webhook),
    }),
    webhooks.items("attempts", {
      description: "List the calls of a webhook, with their errors",
      flags: { limit: limitFlag },
      list: (client, query, id) => client.webhooks.attempts(id, query),
      columns: (call) => [
        "event_id",
        ["type", call.event_type],
        ...figures(call, "attempt"),
        ["status", call.status_code, "figure"],
        ["ms", call.duration_ms, "figure"],
        ["at", call.created_at, "instant"],
        ["next", call.next_attempt_at, "instant"],
        ["error", call.error ?? ""],
      ],
      whenEmpty: "The webhook was not called yet.",
    }),
    webhooks.item("resend", {
      description: "Send an event again",
      examples: [
        "waypost webhook resend https://example.com/waypost 3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874 " +
          inProduction,
      ],
      flags: { event: textArgument("event", "Id of the event") },
      request: (client, id, { event }) => client.webhooks.resend(id, event),
      text: ({ event_id }) => `The event ${event_id} is sent again.`,
    }),
    webhooks.item("test", {
      description: "Call a webhook with a test event, and print the answer",
      request: (client, id) => client.webhooks.test(id),
      text: ({ body, duration_ms, error, status_code }) =>
        details([
          ["status", status_code === null ? "-" : String(status_code)],
          ["error", error ?? "none"],
          ["took", `${duration_ms} ms`],
          ["answer", body ?? "-"],
        ]),
    }),
  ],
});
