import { Clock, Effect } from "effect";
import type { Audience } from "../../devices/SegmentRule.ts";
import type { DeviceKey } from "../../wire/Ids.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { TriggerMatch } from "../TriggerMatch.ts";
import { EventTriggersSql } from "./EventTriggersSql.ts";

/** Conditions of the audiences of a statement; one audience may have more alone. */
const maxConditions = 100;

/**
 * A message of an event, with the devices that it can go to, at most 100: the first that may get it (contract
 * Z34, TR3).
 */
export interface WantedMessage extends TenantKey {
  readonly match: TriggerMatch;
  readonly deviceKeys: ReadonlyArray<DeviceKey>;
}

const audienceOf = ({ match }: WantedMessage): Audience => match.audience ?? { match: "any", rules: [] };
const nameOf = (wanted: WantedMessage): string => JSON.stringify(audienceOf(wanted));

/** Messages of an environment by their audiences, as many as one statement reads. */
const pagesOf = (wanted: ReadonlyArray<WantedMessage>) => {
  const pages: Array<Array<ReadonlyArray<WantedMessage>>> = [];
  let room = 0;
  for (const own of Map.groupBy(wanted, nameOf).values()) {
    const rules = own.slice(0, 1).flatMap((each) => audienceOf(each).rules);
    const size = rules.flatMap(({ conditions }) => conditions).length;
    if (pages.length === 0 || size > room) {
      pages.push([]);
      room = maxConditions;
    }
    pages.at(-1)?.push(own);
    room -= size;
  }
  return pages;
};

/**
 * Makes the function that chooses the device of each message: the first that may get messages and is in the
 * segments of the campaign. The only device of a campaign for everyone is it; null for none. One statement
 * reads the devices of all campaigns of an environment.
 */
export const eventReceivers = Effect.gen(function* () {
  const repository = yield* EventTriggersSql;

  return Effect.fnUntraced(function* (wanted: ReadonlyArray<WantedMessage>) {
    const reachable = new Map<WantedMessage, ReadonlySet<DeviceKey>>();
    const open = wanted.filter((each) => each.deviceKeys.length !== 1 || audienceOf(each).rules.length > 0);
    const tenantOf = ({ environment, workspaceId }: TenantKey) => `${workspaceId}/${environment}`;
    const pages = [...Map.groupBy(open, tenantOf).values()].flatMap(pagesOf);
    for (const page of pages) {
      const [tenant] = page.flat();
      if (tenant === undefined) continue;
      const keys = [...new Set(page.flat().flatMap(({ deviceKeys }) => deviceKeys))];
      const audiences = page.flatMap((own) => own.slice(0, 1).map(audienceOf));
      const rows = yield* repository.reachable(tenant, keys, audiences, yield* Clock.currentTimeMillis);
      for (const [index, own] of page.entries()) {
        const found = new Set(rows.flatMap(({ isIn, key }) => (isIn[index] === true ? [key] : [])));
        for (const each of own) reachable.set(each, found);
      }
    }
    return wanted.map((each) => {
      const found = reachable.get(each);
      return each.deviceKeys.find((key) => found === undefined || found.has(key)) ?? null;
    });
  });
});
