import { Context, Effect, Layer } from "effect";
import type { TimeZoneName } from "../time/TimeZone.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { DeviceTally } from "./DeviceSet.ts";
import { pauses } from "./Pauses.ts";
import type { OutcomeFigures, SummaryFigures, VisitFigures } from "./ReportCountsSql.ts";
import type { ReportScope } from "./ReportFiguresSql.ts";
import { filtersCampaigns } from "./ReportQuery.ts";
import { RolledCountsSql } from "./RolledCountsSql.ts";
import { daysIn } from "./RollUpKeys.ts";
import { integersOf } from "./SentArrays.ts";

/** What reports count, from roll-ups and feed. */
export class RolledCounts extends Context.Service<RolledCounts>()("waypost/reports/RolledCounts", {
  make: Effect.gen(function* () {
    const repository = yield* RolledCountsSql;

    /** Deliveries and distinct devices of each day and of the range (place 0). */
    const deliveryDays = Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
      const places = new Map(scope.range.dates.map((date, place) => [date as string, place + 1]));
      const delivered = [0, ...scope.range.dates.map(() => 0)];
      const reached = [...delivered];
      const dayOf = daysIn(tenant.workspace.timezone as TimeZoneName);
      const pause = pauses();
      const total = new DeviceTally();
      const day = new DeviceTally();

      const fed = new Map<string, Array<Int32Array>>();
      for (const { devices, quarter, status } of yield* repository.fedOutcomes(tenant, scope)) {
        if (status !== "delivered") continue;
        const date = dayOf(quarter);
        fed.set(date, [...(fed.get(date) ?? []), integersOf(devices)]);
      }
      /** Counts a day by the devices that are in its roll-ups and those that are in the feed. */
      const count = (date: string, sets: Uint8Array | undefined, rolledUp: number) => {
        const place = places.get(date) ?? 0;
        day.clear();
        if (sets !== undefined) day.addSets(sets, total);
        delivered[place] = rolledUp;
        for (const devices of fed.get(date) ?? []) {
          for (const no of devices) {
            day.add(no);
            total.add(no);
          }
          delivered[place] += devices.length;
        }
        reached[place] = day.count;
        fed.delete(date);
      };

      if (filtersCampaigns(scope.filters)) {
        for (const row of yield* repository.outcomesOfDays(tenant, scope)) {
          count(row.key, row.devices, row.delivered);
          yield* pause;
        }
      } else {
        const rolledUp = new Map<string, number>();
        for (const row of yield* repository.days(tenant, scope)) {
          rolledUp.set(row.date, row.delivered);
          delivered[places.get(row.date) ?? 0] = row.delivered;
          reached[places.get(row.date) ?? 0] = row.reached;
        }
        if (fed.size > 0) {
          for (const row of yield* repository.devicesOfDays(tenant, scope, [...fed.keys()])) {
            count(row.date, row.devices, rolledUp.get(row.date) ?? 0);
          }
        }
        for (const row of yield* repository.devicesOfRange(tenant, scope)) {
          total.addSets(row.devices);
          yield* pause;
        }
      }
      for (const date of fed.keys()) count(date, undefined, 0);
      delivered[0] = delivered.reduce((sum, each) => sum + each, 0);
      reached[0] = total.count;
      return { delivered, reached };
    });

    /** Entries and exits of each day and of the range (place 0). */
    const eventDays = Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
      const places = new Map(scope.range.dates.map((date, place) => [date as string, place + 1]));
      const entries = [0, ...scope.range.dates.map(() => 0)];
      const exits = [...entries];
      const dayOf = daysIn(tenant.workspace.timezone as TimeZoneName);
      const add = (date: string, entered: number, exited: number) => {
        for (const place of [0, places.get(date) ?? 0]) {
          entries[place] = (entries[place] ?? 0) + (countsEntries(scope) ? entered : 0);
          exits[place] = (exits[place] ?? 0) + (countsExits(scope) ? exited : 0);
        }
      };
      for (const row of yield* repository.visitsOfDays(tenant, scope)) add(row.date, row.entries, row.exits);
      for (const { count, quarter, type } of yield* repository.fedVisits(tenant, scope)) {
        add(dayOf(quarter), type === "enter" ? count : 0, type === "enter" ? 0 : count);
      }
      return { entries, exits };
    });

    const outcomes = Effect.fnUntraced(function* (
      tenant: Tenant,
      scope: ReportScope,
      by: "campaign_no" | "notification_no",
    ) {
      const pause = pauses();
      const fed = Map.groupBy(yield* repository.fedOutcomes(tenant, scope), (each) => each[by]);
      const tally = new DeviceTally();
      const counted: Array<OutcomeFigures> = [];
      const count = (no: number, sets: Uint8Array | undefined, delivered: number, failed: number) => {
        tally.clear();
        if (sets !== undefined) tally.addSets(sets);
        const sum = { no, delivered, failed, reached: 0 };
        for (const { devices, status } of fed.get(no) ?? []) {
          const nos = integersOf(devices);
          sum[status === "delivered" ? "delivered" : "failed"] += nos.length;
          if (status === "delivered") for (const no of nos) tally.add(no);
        }
        fed.delete(no);
        counted.push({ ...sum, reached: tally.count });
      };
      for (const row of yield* repository.outcomes(tenant, scope, by)) {
        count(row.key, row.devices, row.delivered, row.failed);
        yield* pause;
      }
      for (const no of fed.keys()) count(no, undefined, 0, 0);
      return counted;
    });

    return {
      /** Makes every statement of this transaction see the same snapshot; before anything else. */
      seeOneSnapshot: repository.seeOneSnapshot,

      /** Whether roll-ups and feed can tell: they are complete, and by the time zone that the workspace has. */
      ready: (tenant: Tenant) =>
        Effect.map(repository.ready(tenant, tenant.workspace.timezone), (rows) => rows.length > 0),

      /** The figures of `summaryCounts`. */
      summary: Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
        const figures: SummaryFigures = {
          ...(yield* deliveryDays(tenant, scope)),
          ...(yield* eventDays(tenant, scope)),
        };
        return figures;
      }),

      /** The figures of `campaignCounts`. */
      campaigns: (tenant: Tenant, scope: ReportScope) => outcomes(tenant, scope, "campaign_no"),

      /** The figures of `notificationCounts`. */
      notifications: (tenant: Tenant, scope: ReportScope) => outcomes(tenant, scope, "notification_no"),

      /** The figures of `locationCounts`. */
      locations: Effect.fnUntraced(function* (tenant: Tenant, scope: ReportScope) {
        const pause = pauses();
        const fed = Map.groupBy(yield* repository.fedVisits(tenant, scope), (each) => each.location_no);
        const stays = new Map(
          (yield* repository.fedStays(tenant, scope)).map((each) => [each.key, each] as const),
        );
        const tally = new DeviceTally();
        const counted: Array<VisitFigures> = [];
        const count = (
          no: number,
          sets: Uint8Array | undefined,
          sums: Omit<VisitFigures, "no" | "entered">,
        ) => {
          tally.clear();
          if (sets !== undefined) tally.addSets(sets);
          let { entries, exits } = sums;
          for (const { count, devices, type } of fed.get(no) ?? []) {
            if (type === "enter") {
              entries += count;
              for (const device of integersOf(devices)) tally.add(device);
            } else exits += count;
          }
          const more = stays.get(no);
          fed.delete(no);
          stays.delete(no);
          const isOfEntries = countsEntries(scope);
          counted.push({
            no,
            entries: isOfEntries ? entries : 0,
            exits: countsExits(scope) ? exits : 0,
            entered: isOfEntries ? tally.count : 0,
            stays: isOfEntries ? sums.stays + (more?.stays ?? 0) : 0,
            stayed: sums.stayed + (more?.stayed ?? 0n),
          });
        };
        for (const row of yield* repository.visits(tenant, scope)) {
          count(row.key, row.devices, row);
          yield* pause;
        }
        for (const no of new Set([...fed.keys(), ...stays.keys()])) {
          count(no, undefined, { entries: 0, exits: 0, stays: 0, stayed: 0n });
        }
        return counted;
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RolledCounts, RolledCounts.make).pipe(
    Layer.provide(RolledCountsSql.layer),
  );
}

const countsEntries = ({ filters }: ReportScope): boolean =>
  filters.activation === null || filters.activation === "on_enter";
const countsExits = ({ filters }: ReportScope): boolean =>
  filters.activation === null || filters.activation === "on_exit";
