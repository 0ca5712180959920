/** The commands about the calls of a webhook. */
import { Effect } from "effect";
import { isUuid } from "../../wire/Ids.ts";
import { listOf } from "../Ask.ts";
import { command } from "../DeclaredCommand.ts";
import { limitFlag, textArgument } from "../Flags.ts";
import { findIdByName } from "../Lookups.ts";
import { openPlatform, type Platform, type PlatformFlags, platformFlags } from "../Platform.ts";
import { printList, printOne } from "../terminal/Output.ts";
import { details } from "../terminal/Table.ts";

/** Flags of a command about one webhook. */
export const webhookFlags = {
  ...platformFlags,
  webhook: textArgument("webhook", "The webhook, by id or url"),
};

/** The webhooks of an environment, in pages. */
export const pages = (platform: Platform) => listOf(platform, (client, query) => client.webhooks.list(query));

/** The platform API, and the id of the webhook that the argument names. */
export const openWebhook = Effect.fnUntraced(function* (flags: PlatformFlags & { readonly webhook: string }) {
  const platform = yield* openPlatform(flags);
  const id = isUuid(flags.webhook)
    ? flags.webhook
    : yield* findIdByName("webhook", flags.webhook, pages(platform), ({ url }) => url);
  return { platform, id };
});

/** The flags of examples. */
export const exampleFlags = "--workspace Acme --environment production";

const example = exampleFlags;

/** `waypost webhook attempts` */
export const attempts = command("attempts", {
  description: "List the calls of a webhook, with their errors",
  examples: [`waypost webhook attempts https://example.com/waypost ${example}`],
  flags: { ...webhookFlags, limit: limitFlag },
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    yield* printList(
      flags.limit,
      listOf(platform, (client, query) => client.webhooks.attempts(id, query)),
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
  },
});

/** `waypost webhook resend` */
export const resend = command("resend", {
  description: "Send an event again",
  examples: [
    "waypost webhook resend https://example.com/waypost 3f9a1c52-7be0-8d41-a6c3-5e2f90d1b874 " + example,
  ],
  flags: {
    ...webhookFlags,
    event: textArgument("event", "Id of the event"),
  },
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    const resent = yield* platform(({ webhooks }) => webhooks.resend(id, flags.event));
    yield* printOne(resent, ({ event_id }) => `The event ${event_id} is sent again.`);
  },
});

/** `waypost webhook test` */
export const test = command("test", {
  description: "Call a webhook with a test event, and print the answer",
  examples: [`waypost webhook test https://example.com/waypost ${example}`],
  flags: webhookFlags,
  *run(flags) {
    const { id, platform } = yield* openWebhook(flags);
    const result = yield* platform(({ webhooks }) => webhooks.test(id));
    yield* printOne(result, ({ body, duration_ms, error, status_code }) =>
      details([
        ["status", status_code === null ? "-" : String(status_code)],
        ["error", error ?? "none"],
        ["took", `${duration_ms} ms`],
        ["answer", body ?? "-"],
      ]),
    );
  },
});
