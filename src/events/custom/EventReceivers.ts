import { Clock, Effect } from "effect";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { EventMatch } from "../TriggerMatch.ts";
import { EventTriggersSql } from "./EventTriggersSql.ts";

/**
 * A message of an event, with the devices that it can go to, at most 100: the first that may get it (contract
 * Z34, TR3).
 */
export interface WantedMessage extends TenantKey {
  readonly match: EventMatch;
  readonly deviceKeys: ReadonlyArray<DeviceKey>;
}

/**
 * Makes the function that chooses the device of each message: the first that may get messages and is in the
 * segments of the campaign. The only device of a campaign for everyone is it; null for none.
 */
export const eventReceivers = Effect.gen(function* () {
  const repository = yield* EventTriggersSql;

  return Effect.fnUntraced(function* (wanted: ReadonlyArray<WantedMessage>) {
    const reachable = new Map<WantedMessage, ReadonlySet<DeviceKey>>();
    const isOpen = ({ deviceKeys, match }: WantedMessage) =>
      deviceKeys.length !== 1 || match.audience.rules.length > 0;
    for (const group of Map.groupBy(wanted.filter(isOpen), ({ match }) => match.campaign_id).values()) {
      const [first] = group;
      if (first === undefined) continue;
      const keys = new Set(group.flatMap(({ deviceKeys }) => deviceKeys));
      const now = yield* Clock.currentTimeMillis;
      const found = new Set(yield* repository.reachable(first, [...keys], first.match.audience, now));
      for (const each of group) reachable.set(each, found);
    }
    return wanted.map((each) => {
      const found = reachable.get(each);
      return each.deviceKeys.find((key) => found === undefined || found.has(key)) ?? null;
    });
  });
});
