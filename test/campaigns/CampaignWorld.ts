import { Effect } from "effect";
import { TestClock } from "effect/testing";
import { Segments } from "../../src/devices/Segments.ts";
import { CampaignId, NotificationId } from "../../src/wire/Ids.ts";
import { ParsedBody } from "../../src/wire/ParsedBody.ts";
import type { Environment } from "../../src/workspaces/Environment.ts";
import { Workspaces } from "../../src/workspaces/Workspaces.ts";
import { attach, atTime, insertNotification, onEnter } from "../notifications/StoredNotifications.ts";
import { TestRows } from "../TestRows.ts";
import { testStart, TestWaypost } from "../TestWaypost.ts";

type Options = Parameters<TestWaypost["Service"]["tenant"]>[0];

/** A notification on a campaign, as the notifications slice stores it. */
interface Attached {
  readonly name?: string;
  readonly sendAt?: string;
  readonly windowStart?: string;
  readonly windowEnd?: string;
}

const anyPlatform = { attribute: "platform", op: "exists", value: true } as const;

const millis = (text: string | undefined) => (text === undefined ? null : Date.parse(text));

const triggerOf = ({ sendAt, windowEnd, windowStart }: Attached) => ({
  ...(sendAt === undefined ? onEnter : atTime(sendAt)),
  startsAt: millis(windowStart),
  endsAt: millis(windowEnd),
});

/** A tenant at the start of the test, with rows of other slices that campaigns can target and send. */
export const campaignWorld = (options?: Options) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(testStart);
    const waypost = yield* TestWaypost;
    const rows = yield* TestRows;
    const segments = yield* Segments;
    const tenant = yield* waypost.tenant(options);
    const row = yield* Effect.orDie((yield* Workspaces).find(tenant.workspace.id));
    const tenantOf = (environment: Environment) => ({ ...row, environment });
    const sandbox = tenantOf("sandbox");

    const locations = (count: number, environment: Environment = "sandbox") =>
      Effect.replicateEffect(rows.insertTarget("location", tenantOf(environment), "Shop"), count);
    /** Attaches a notification of Sandbox to a campaign. */
    const onto = (campaign: string, notification: string, how: Attached = {}) =>
      attach(sandbox, CampaignId(campaign), NotificationId(notification), triggerOf(how), testStart);

    return {
      ...tenant,
      workspaceId: row.workspaceId,
      tenantOf,
      locations,
      location: (environment: Environment = "sandbox") =>
        Effect.map(locations(1, environment), ([id]) => id ?? ""),
      group: (name: string, environment: Environment = "sandbox") =>
        rows.insertTarget("location_group", tenantOf(environment), name),
      segment: (name: string, environment: Environment = "sandbox") =>
        segments
          .create(
            tenantOf(environment),
            ParsedBody.of({ name, rule: { match: "all", conditions: [anyPlatform] } }),
          )
          .pipe(
            Effect.map(({ id }): string => id),
            Effect.orDie,
          ),

      /** Attaches a new notification to a campaign. */
      attach: (campaign: string, how: Attached = {}) =>
        Effect.tap(insertNotification(sandbox, how.name ?? "Greeting", undefined, testStart), (id) =>
          onto(campaign, id, how),
        ),
      onto,

      notifications: rows.notificationIds(row.workspaceId),
      removeLocation: (id: string) => rows.deleteTarget("location", id),
    };
  });

/** The required fields of a geo campaign at these locations. */
export const geo = (locationIds: ReadonlyArray<string>, more: object = {}) => ({
  name: "Opening week",
  type: "geo",
  timezone: "Europe/Amsterdam",
  starts_at: "2026-11-21",
  location_ids: locationIds,
  ...more,
});

/** The required fields of a push campaign. */
export const push = (more: object = {}) => ({
  name: "Black Friday",
  type: "push",
  timezone: "Europe/Amsterdam",
  starts_at: "2026-11-27",
  ...more,
});
