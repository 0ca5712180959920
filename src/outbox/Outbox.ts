import { Context, type Effect } from "effect";
import type { TenantKey } from "../workspaces/Environment.ts";
import type { EventType } from "./EventType.ts";
import type { DeviceKey } from "../wire/Ids.ts";

/** The subject of an event: its data, or the key of a row that is read when the event is sent. */
type Subject =
  | { readonly data: object }
  /** A delivery, of `message.*`. */
  | { readonly sourceId: bigint; readonly deviceKey: DeviceKey }
  /** A send, of `send.finished`. */
  | { readonly sendId: string };

/** An event for the webhooks of its environment. `at` is in epoch milliseconds. */
export type OutgoingEvent = TenantKey & {
  readonly type: EventType;
  readonly at: number;
} & Subject;

/**
 * Records events for webhooks, in the transaction of the change that they report (contract N4). The slice
 * `webhooks` sends them.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Records events for the active webhooks that listen to their types; nothing where none does. One
     * statement, whatever the number of events and environments.
     */
    readonly record: (events: ReadonlyArray<OutgoingEvent>) => Effect.Effect<void>;
  }
>()("waypost/outbox/Outbox") {}
