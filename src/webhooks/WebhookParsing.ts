import { Effect } from "effect";
import { type ParsedBody, parseFields } from "../wire/ParsedBody.ts";
import { readJson, type RequestInput } from "../wire/RequestBody.ts";
import { fieldSentence } from "../wire/SchemaProblems.ts";
import { StatusOnly, WebhookDraft, type WebhookPatch, WholeWebhook } from "./Webhook.ts";

type Body = { readonly [field: string]: unknown };

const maxEntries = 100;

/** A list of event types that is too long is reported as such, not entry by entry. */
const parse = <A extends object>(input: Body, parseBody: (input: Body) => ParsedBody<A>): ParsedBody<A> => {
  const { events } = input;
  if (!Array.isArray(events) || events.length <= maxEntries) return parseBody(input);
  const parsed = parseBody({ ...input, events: ["*"] });
  parsed.problems.add(
    "events",
    fieldSentence(`The {field} can have at most ${maxEntries} entries.`, ["events"]),
  );
  return parsed;
};

/** Reads the body of a new webhook. */
export const readWebhook = (input: RequestInput) =>
  Effect.map(readJson(input), (body) => parse(body, (fields) => parseFields(WebhookDraft, fields)));

const wholeFields = ["url", "events", "description", "batch"];

/** Reads the body of a change: the status alone, or the whole webhook (contract N1). */
export const readWebhookPatch = (
  input: RequestInput,
): Effect.Effect<ParsedBody<WebhookPatch>, Effect.Error<ReturnType<typeof readJson>>> =>
  Effect.map(readJson(input), (body) =>
    Object.hasOwn(body, "status") && !wholeFields.some((name) => Object.hasOwn(body, name))
      ? (parseFields(StatusOnly, body) as ParsedBody<WebhookPatch>)
      : (parse(body, (fields) => parseFields(WholeWebhook, fields)) as ParsedBody<WebhookPatch>),
  );
