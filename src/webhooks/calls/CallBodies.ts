import { utcText } from "../../time/LocalTime.ts";
import { callId } from "../EventId.ts";
import { maxBatchSize } from "../Webhook.ts";
import type { DueWebhook, NewCall } from "./CallQueueSql.ts";
import type { EventRow } from "./EventRowsSql.ts";

/** The webhook that an event is for, as far as its calls depend on it. */
type Receiver = Pick<DueWebhook, "workspaceId" | "environment" | "id" | "workspace" | "batch">;

/** An event as JSON, with its id. */
type EventText = Pick<EventRow, "id" | "type" | "recordedAt"> & { readonly text: string };

/**
 * The most characters of the events of one batch: receivers often refuse bodies over a megabyte. An event is
 * never split, and one of any size is sent.
 */
const maxBatchLength = 500_000;

/** The JSON of an event (contract N2): `data` is the resource with its environment and workspace. */
export const eventText = (
  { environment, workspace }: Pick<Receiver, "environment" | "workspace">,
  { data, id, recordedAt, type }: EventRow,
): EventText | null => {
  if (data === null) return null;
  const open = data.slice(0, data.lastIndexOf("}"));
  return {
    id,
    type,
    recordedAt,
    text:
      `{"id":"${id}","type":"${type}","timestamp":"${utcText(recordedAt)}",` +
      `"data":${open},"environment":"${environment}","workspace_id":"${workspace}"}}`,
  };
};

/** The body of a batch (contract N3). */
export const batchBody = (events: ReadonlyArray<{ readonly text: string }>, now: number): string =>
  `{"type":"batch","timestamp":"${utcText(now)}","data":[${events.map(({ text }) => text).join(",")}]}`;

const callOf = (receiver: Receiver, events: ReadonlyArray<EventText>, now: number): NewCall => {
  const { batch, environment, id: webhookId, workspaceId } = receiver;
  const eventIds = events.map(({ id }) => id);
  const [first] = events;
  return {
    workspaceId,
    environment,
    webhookId,
    id: callId(webhookId, eventIds),
    type: batch ? "batch" : (first?.type ?? ""),
    eventIds,
    body: batch ? batchBody(events, now) : (first?.text ?? ""),
    recordedAt: first?.recordedAt ?? now,
  };
};

/** The calls that carry the events, in order: one each, or in batches. Events without data are left out. */
export const callsOf = (
  receiver: Receiver,
  rows: ReadonlyArray<EventRow>,
  now: number,
): ReadonlyArray<NewCall> => {
  const events = rows.flatMap((row) => eventText(receiver, row) ?? []);
  if (!receiver.batch) return events.map((event) => callOf(receiver, [event], now));
  const calls: Array<NewCall> = [];
  let batch: Array<EventText> = [];
  let length = 0;
  for (const event of events) {
    const isFull = batch.length === maxBatchSize || length + event.text.length > maxBatchLength;
    if (isFull && batch.length > 0) {
      calls.push(callOf(receiver, batch, now));
      batch = [];
      length = 0;
    }
    batch.push(event);
    length += event.text.length;
  }
  if (batch.length > 0) calls.push(callOf(receiver, batch, now));
  return calls;
};
