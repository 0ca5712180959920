import { Effect, Option } from "effect";
import { Argument, Command, Flag } from "effect/cli";
import { eventTypes } from "../../outbox/EventType.ts";
import { type Webhook, WebhookDraft, type WebhookWithSecret, WholeWebhook } from "../../webhooks/Webhook.ts";
import { isUuid } from "../../wire/Ids.ts";
import { findIdByName, limitFlag } from "../Lookups.ts";
import { operatorFlags } from "../Operator.ts";
import { parseFlags } from "../RequestBodies.ts";
import { formatInstant } from "../terminal/Formats.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";
import { openWebhooks, webhookAccessFlags } from "../WebhookAccess.ts";

const example = "--workspace Acme --environment production";

const shownInstant = (instant: string | null): string => (instant === null ? "-" : formatInstant(instant));

const card = (webhook: Webhook): string =>
  details([
    ["id", webhook.id],
    ["url", webhook.url],
    ["description", webhook.description ?? "-"],
    ["events", webhook.events.join(", ")],
    ["batch", webhook.batch ? "yes" : "no"],
    ["status", webhook.status],
    ["disabled", shownInstant(webhook.disabled_at)],
    ["last attempt", shownInstant(webhook.last_attempt_at)],
    ["created", formatInstant(webhook.created_at)],
  ]);

const withSecret = (sentence: string, webhook: WebhookWithSecret): string =>
  [sentence, "Copy the secret now: it is not shown again.", "", webhook.secret, "", card(webhook)].join("\n");

const splitEvents = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");

const oneFlags = {
  ...webhookAccessFlags,
  webhook: Argument.String("webhook").pipe(Argument.withDescription("The webhook, by id or url")),
};

type OneFlags = Parameters<typeof openWebhooks>[0] & { readonly webhook: string };

/** The access, and the id of the webhook that the argument names. */
const openWebhook = Effect.fnUntraced(function* (flags: OneFlags) {
  const webhooks = yield* openWebhooks(flags);
  const id = isUuid(flags.webhook)
    ? flags.webhook
    : yield* findIdByName("webhook", flags.webhook, webhooks.list, ({ url }) => url);
  return { webhooks, id };
});

const eventsFlag = Flag.String("events").pipe(
  Flag.withDescription(`Event types, separated by commas, or * for all: ${eventTypes.join(", ")}`),
);
const urlFlag = Flag.String("to").pipe(
  Flag.withDescription("Address to call, such as https://example.com/waypost"),
);
const descriptionFlag = Flag.String("description").pipe(
  Flag.withDescription("What the webhook is for"),
  Flag.optional,
);

const create = Command.make(
  "create",
  {
    ...webhookAccessFlags,
    to: urlFlag,
    events: eventsFlag.pipe(Flag.withDefault("*")),
    description: descriptionFlag,
    batch: Flag.Boolean("batch").pipe(
      Flag.withDescription("Send up to 500 events in a call"),
      Flag.withDefault(false),
    ),
  },
  Effect.fn(function* (flags) {
    const payload = yield* parseFlags(WebhookDraft, {
      url: flags.to,
      events: splitEvents(flags.events),
      description: Option.getOrUndefined(flags.description),
      batch: flags.batch,
    });
    const { data } = yield* (yield* openWebhooks(flags)).create(payload);
    yield* printOne(data, (webhook) => withSecret("Created the webhook.", webhook));
  }),
).pipe(
  Command.withDescription("Create a webhook and print its secret"),
  Command.withExamples([
    { command: `waypost webhook create ${example} --to https://example.com/waypost --batch` },
  ]),
);

const list = Command.make(
  "list",
  { ...webhookAccessFlags, limit: limitFlag },
  Effect.fn(function* (flags) {
    const webhooks = yield* openWebhooks(flags);
    yield* printList(
      flags.limit,
      webhooks.list,
      [
        { heading: "ID", kind: "id", cell: ({ id }) => id },
        { heading: "URL", cell: ({ url }) => url },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "EVENTS", cell: ({ events }) => events.join(",") },
        { heading: "LAST ATTEMPT", kind: "instant", cell: (webhook) => webhook.last_attempt_at },
      ],
      "The environment has no webhooks yet. See waypost webhook create --help.",
    );
  }),
).pipe(
  Command.withDescription("List the webhooks of an environment"),
  Command.withExamples([{ command: `waypost webhook list ${example}` }]),
);

const show = Command.make(
  "show",
  oneFlags,
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    yield* printOne((yield* webhooks.get(id)).data, card);
  }),
).pipe(
  Command.withDescription("Show a webhook"),
  Command.withExamples([{ command: `waypost webhook show https://example.com/waypost ${example}` }]),
);

const update = Command.make(
  "update",
  {
    ...oneFlags,
    to: Flag.optional(urlFlag),
    events: Flag.optional(eventsFlag),
    description: descriptionFlag,
    batch: Flag.Boolean("batch").pipe(
      Flag.withDescription("Whether to send up to 500 events in a call"),
      Flag.optional,
    ),
  },
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    const stored = (yield* webhooks.get(id)).data;
    const payload = yield* parseFlags(WholeWebhook, {
      url: Option.getOrElse(flags.to, () => stored.url),
      events: Option.match(flags.events, { onNone: () => stored.events, onSome: splitEvents }),
      description: Option.getOrElse(flags.description, () => stored.description),
      batch: Option.getOrElse(flags.batch, () => stored.batch),
    });
    const { data } = yield* webhooks.update(id, payload);
    yield* printOne(data, (webhook) => `Updated the webhook.\n\n${card(webhook)}`);
  }),
).pipe(
  Command.withDescription("Change what is given of a webhook, and keep the rest"),
  Command.withExamples([
    { command: `waypost webhook update https://example.com/waypost ${example} --events survey.answered` },
  ]),
);

const setStatus = (name: "enable" | "disable", status: "active" | "disabled", description: string) =>
  Command.make(
    name,
    oneFlags,
    Effect.fn(function* (flags) {
      const { id, webhooks } = yield* openWebhook(flags);
      yield* printOne((yield* webhooks.update(id, { status })).data, card);
    }),
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `waypost webhook ${name} https://example.com/waypost ${example}` }]),
  );

const remove = Command.make(
  "delete",
  oneFlags,
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    const { data } = yield* webhooks.delete(id);
    yield* printOne(data, () => `Deleted the webhook ${id}. Events that waited for it are not sent.`);
  }),
).pipe(
  Command.withDescription("Delete a webhook"),
  Command.withExamples([{ command: `waypost webhook delete https://example.com/waypost ${example}` }]),
);

const secret = Command.make(
  "secret",
  oneFlags,
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    const { data } = yield* webhooks.secret(id);
    yield* printOne(data, (webhook) =>
      withSecret("Replaced the secret. The old one signs too for 24 hours.", webhook),
    );
  }),
).pipe(
  Command.withDescription("Replace the secret of a webhook; the old one signs too for 24 hours"),
  Command.withExamples([{ command: `waypost webhook secret https://example.com/waypost ${example}` }]),
);

const attempts = Command.make(
  "attempts",
  { ...oneFlags, limit: limitFlag },
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    yield* printList(
      flags.limit,
      (query) => webhooks.attempts(id, query),
      [
        { heading: "EVENT", kind: "id", cell: ({ event_id }) => event_id },
        { heading: "TYPE", cell: ({ event_type }) => event_type },
        { heading: "ATTEMPT", kind: "figure", cell: ({ attempt }) => attempt },
        { heading: "STATUS", kind: "figure", cell: ({ status_code }) => status_code },
        { heading: "MS", kind: "figure", cell: ({ duration_ms }) => duration_ms },
        { heading: "AT", kind: "instant", cell: ({ created_at }) => created_at },
        { heading: "NEXT", kind: "instant", cell: (attempt) => attempt.next_attempt_at },
        { heading: "ERROR", cell: ({ error }) => error ?? "" },
      ],
      "The webhook was not called yet.",
    );
  }),
).pipe(
  Command.withDescription("List the calls of a webhook, with their errors"),
  Command.withExamples([{ command: `waypost webhook attempts https://example.com/waypost ${example}` }]),
);

const resend = Command.make(
  "resend",
  {
    ...oneFlags,
    event: Argument.String("event").pipe(Argument.withDescription("Id of the event")),
  },
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    const { data } = yield* webhooks.resend(id, flags.event);
    yield* printOne(data, ({ event_id }) => `The event ${event_id} is sent again.`);
  }),
).pipe(
  Command.withDescription("Send an event again"),
  Command.withExamples([
    {
      command:
        "waypost webhook resend https://example.com/waypost 00000000-0000-8a41-9000-000000000000 " + example,
    },
  ]),
);

const test = Command.make(
  "test",
  oneFlags,
  Effect.fn(function* (flags) {
    const { id, webhooks } = yield* openWebhook(flags);
    const { data } = yield* webhooks.test(id);
    yield* printOne(data, ({ body, duration_ms, error, status_code }) =>
      details([
        ["status", status_code === null ? "-" : String(status_code)],
        ["error", error ?? "none"],
        ["took", `${duration_ms} ms`],
        ["answer", body ?? "-"],
      ]),
    );
  }),
).pipe(
  Command.withDescription("Call a webhook with a test event, and print the answer"),
  Command.withExamples([{ command: `waypost webhook test https://example.com/waypost ${example}` }]),
);

/** `waypost webhook …` */
export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("Webhooks: addresses that receive the events of an environment"),
  Command.withSubcommands([
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
  ]),
  Command.withExamples([
    { command: `waypost webhook list ${example}` },
    { command: "waypost webhook list --token wpp_0000000000000000000000000000000000000000" },
  ]),
  Command.withGlobalFlags(operatorFlags),
);
