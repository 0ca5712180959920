import { Effect } from "effect";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { DueDwell } from "../Dwell.ts";
import { VisitsSql } from "../VisitsSql.ts";
import { isOpenAt } from "../TriggerRule.ts";
import { eventReceivers } from "./EventReceivers.ts";
import { EventTriggersSql } from "./EventTriggersSql.ts";

/**
 * Makes the function that decides which of the custom events that are due may fire: the notification, its
 * campaign and the devices are checked as they are now, the rule over the properties was before (contract
 * Z31). `stopped` are those whose `unless_event` has come.
 */
export const delayedEvents = Effect.gen(function* () {
  const visits = yield* VisitsSql;
  const triggers = yield* EventTriggersSql;
  const receivers = yield* eventReceivers;

  /** The devices that each event can go to, the first one that may get the message. */
  const devicesOf = Effect.fnUntraced(function* (due: ReadonlyArray<DueDwell>) {
    const named = due.flatMap(({ environment, event, workspaceId }) => {
      const userKey = event?.userKey ?? null;
      return userKey === null ? [] : [{ workspaceId, environment, userKey }];
    });
    const people = [...new Map(named.map((person) => [person.userKey, person])).values()];
    const found = people.length === 0 ? [] : yield* triggers.devicesOf(people);
    const keys = new Map(found.map(({ deviceKeys, ord }) => [people[ord - 1]?.userKey, deviceKeys]));
    return ({ deviceKey, event }: DueDwell): ReadonlyArray<DeviceKey> => {
      const userKey = event?.userKey ?? null;
      return userKey === null ? [deviceKey] : (keys.get(userKey) ?? []);
    };
  });

  return Effect.fnUntraced(function* (due: ReadonlyArray<DueDwell>) {
    if (due.length === 0) return { messages: [], stopped: [] };
    const stoppable = due.filter(({ event }) => event?.unless !== null);
    const ended = stoppable.length === 0 ? [] : yield* visits.stopped(stoppable);
    const stopped = new Set(ended.flatMap(({ ord }) => stoppable[ord - 1] ?? []));
    const rest = due.filter((dwell) => !stopped.has(dwell));
    const attachments = new Map(rest.map((dwell) => [dwell.attachmentId, dwell]));
    const rows = rest.length === 0 ? [] : yield* triggers.ofAttachments([...attachments.values()]);
    const matches = new Map(rows.map((match) => [match.attachment_id, match]));
    const devices = yield* devicesOf(rest);
    const wanted = rest.flatMap((dwell) => {
      const match = matches.get(dwell.attachmentId);
      if (match === undefined || !isOpenAt(match, dwell.dueAt)) return [];
      const { environment, workspaceId } = dwell;
      return [{ workspaceId, environment, dwell, match, deviceKeys: devices(dwell) }];
    });
    const keys = yield* receivers(wanted);
    const messages = wanted.flatMap(({ dwell, match }, index) => {
      const deviceKey = keys[index] ?? null;
      return deviceKey === null ? [] : [{ dwell, match, deviceKey }];
    });
    return { messages, stopped: [...stopped] };
  });
});
