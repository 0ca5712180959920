import { Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { addDays, dateAt, dayRange, daysBetween, type LocalDate } from "../../time/LocalTime.ts";
import type { TimeZoneName } from "../../time/TimeZone.ts";
import { type AuditedTenant, type OutcomeKey, RollupAuditSql } from "./RollupAuditSql.ts";
import {
  add,
  compared,
  type DifferentFigure,
  type FiguresByKey,
  figuresOf,
  outcomeKey,
  rollupOutcomes,
  rollupTransitions,
  reportOutcomes,
  reportTransitions,
} from "./RollupComparison.ts";
import { RollupsSql } from "./RollupsSql.ts";
import { allTogether, everyBlock } from "./encoding/LocationBlock.ts";

/** A figure of a report that the rollups have otherwise than what they are made of. */
export interface Difference {
  readonly workspace: string;
  readonly workspace_name: string;
  readonly environment: string;
  readonly span: "day" | "month";
  /** `YYYY-MM-DD`; of a month its first day. */
  readonly starts_on: string;
  /** Which row of which report, in words. */
  readonly row: string;
  readonly figure: string;
  readonly rolled_up: number;
  /** By base rows; of a month by its days together. */
  readonly counted: number;
}

/** What an audit looked at. `incomplete` are environments whose rollups are being made: reports do not read them yet. */
export interface AuditSummary {
  readonly environments: number;
  readonly days: number;
  readonly months: number;
  readonly incomplete: ReadonlyArray<{ readonly workspace: string; readonly environment: string }>;
  /** Environments with a difference. */
  readonly differing: ReadonlyArray<AuditedTenant>;
}

/** Whoever listens to an audit. */
export interface AuditListener {
  readonly found: (difference: Difference) => void;
  /** Days that are done, and all that there are as far as is known. */
  readonly progress: (done: number, all: number) => void;
}

const page = 50;
const earliest = "0001-01-01" as LocalDate;

/** Compares rollups with the rows that they are made of, without changing anything. */
export class RollupAudit extends Context.Service<RollupAudit>()("waypost/reports/RollupAudit", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* RollupAuditSql;
    const rollups = yield* RollupsSql;

    const inOneSnapshot = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      database.atomically(Effect.andThen(repository.useOneSnapshot, effect));

    /** Says in words whose figures those of a key are. */
    const named = Effect.fnUntraced(function* (
      tenant: AuditedTenant,
      kind: "deliveries" | "events",
      different: ReadonlyArray<DifferentFigure>,
    ) {
      const keys = different.map(({ key }) => JSON.parse(key) as number | OutcomeKeyText);
      const keysAt = (place: 0 | 1) => keys.flatMap((key) => (typeof key === "number" ? [] : [key[place]]));
      const namer = Effect.fnUntraced(function* (
        of: "campaign" | "notification" | "location",
        wanted: ReadonlyArray<number>,
      ) {
        const rows = wanted.length === 0 ? [] : yield* repository.names(tenant, of, [...new Set(wanted)]);
        const known = new Map(rows.map(({ id, name, key }) => [key, `${of} "${name}" (${id})`]));
        return (key: number) => known.get(key) ?? `a deleted ${of} (number ${key})`;
      });
      if (kind === "events") {
        const locationName = yield* namer(
          "location",
          keys.filter((key) => typeof key === "number"),
        );
        return keys.map((key) =>
          key === 0 ? "events of all locations" : `events at ${locationName(Number(key))}`,
        );
      }
      const campaignName = yield* namer("campaign", keysAt(0));
      const notificationName = yield* namer("notification", keysAt(1));
      return keys.map((key) => {
        if (typeof key === "number") return String(key);
        const [campaign, notification, content, trigger] = key;
        const kinds = [content, trigger].filter((text) => text !== "").join(", ");
        const what =
          campaign === 0
            ? "all campaigns"
            : `${campaignName(campaign)} and ${notificationName(notification)}`;
        return `deliveries of ${what}${kinds === "" ? "" : `, ${kinds}`}`;
      });
    });

    /** Gives the listener what differs, with its names; tells whether anything did. */
    const tell = Effect.fnUntraced(function* (
      tenant: AuditedTenant,
      kind: "deliveries" | "events",
      where: { readonly span: "day" | "month"; readonly starts_on: string },
      different: ReadonlyArray<DifferentFigure>,
      { found }: AuditListener,
    ) {
      if (different.length === 0) return false;
      const rows = yield* named(tenant, kind, different);
      for (const [place, { counted, figure, rolledUp }] of different.entries()) {
        found({
          workspace: tenant.workspace,
          workspace_name: tenant.name,
          environment: tenant.environment,
          ...where,
          row: rows[place] ?? "",
          figure,
          rolled_up: rolledUp,
          counted,
        });
      }
      return true;
    });

    /** The first day from a date on with base rows or rollups, compared; null when there is none. */
    const nextDay = Effect.fnUntraced(function* (
      tenant: AuditedTenant,
      from: LocalDate,
      listener: AuditListener,
    ) {
      const zone = tenant.timezone as TimeZoneName;
      const startMs = from === earliest ? null : dayRange(zone, from, from).fromMs;
      const oldest = yield* rollups.oldest(tenant, startMs);
      const rolled = (yield* repository.nextRolledDay(tenant, from)) as LocalDate | null;
      const based = oldest === null ? null : dateAt(zone, oldest);
      const date = based === null || (rolled !== null && rolled < based) ? rolled : based;
      if (date === null) return null;
      const { fromMs, toMs } = dayRange(zone, date, date);
      const where = { span: "day" as const, starts_on: date };

      const outcomes: FiguresByKey = new Map();
      const countedOutcomes: FiguresByKey = new Map();
      const unlike = rollupOutcomes(outcomes, yield* repository.rolledOutcomes(tenant, date));
      reportOutcomes(outcomes, yield* repository.pendingOutcomes(tenant, fromMs, toMs));
      reportOutcomes(countedOutcomes, yield* repository.countedOutcomes(tenant, fromMs, toMs));
      const ofOutcomes = [...unlike, ...compared(outcomes, countedOutcomes)];

      const visits: FiguresByKey = new Map();
      const countedVisits: FiguresByKey = new Map();
      rollupTransitions(visits, yield* repository.rolledVisits(tenant, date));
      reportTransitions(
        visits,
        yield* repository.pendingTransitions(tenant, fromMs, toMs),
        yield* repository.pendingVisits(tenant, fromMs, toMs),
      );
      reportTransitions(
        countedVisits,
        yield* repository.countedVisits(tenant, fromMs, toMs),
        yield* repository.countedStays(tenant, fromMs, toMs),
      );
      const differs = [
        yield* tell(tenant, "deliveries", where, ofOutcomes, listener),
        yield* tell(tenant, "events", where, compared(visits, countedVisits), listener),
      ];
      return { date, differs: differs.includes(true) };
    });

    /** The months' rows beside those of their days, a page of keys at a time. */
    const month = Effect.fnUntraced(function* (
      tenant: AuditedTenant,
      starts_on: string,
      listener: AuditListener,
    ) {
      const where = { span: "month" as const, starts_on };
      let differs = false;
      let after: OutcomeKey | null = null;
      while (true) {
        const rows: Effect.Success<ReturnType<typeof repository.monthOutcomes>> =
          yield* repository.monthOutcomes(tenant, starts_on, after, page);
        const together: FiguresByKey = new Map();
        const own: FiguresByKey = new Map();
        const unlike: Array<DifferentFigure> = [];
        for (const row of rows) {
          const none = new Uint8Array();
          unlike.push(...rollupOutcomes(own, [{ ...row, ...row.month, devices: row.month_devices ?? none }]));
          const days = figuresOf(together, outcomeKey(row));
          add(days, "delivered", row.days.delivered);
          add(days, "failed", row.days.failed);
          days.sets.push(row.day_devices ?? none);
        }
        differs =
          (yield* tell(tenant, "deliveries", where, [...unlike, ...compared(own, together)], listener)) ||
          differs;
        after = rows.at(-1) ?? null;
        if (rows.length < page) break;
      }
      for (const block of [allTogether, ...everyBlock]) {
        const rows = yield* repository.monthVisits(tenant, starts_on, block);
        const together: FiguresByKey = new Map();
        const own: FiguresByKey = new Map();
        rollupTransitions(
          together,
          rows.filter(({ span }) => span === "day"),
        );
        rollupTransitions(
          own,
          rows.filter(({ span }) => span === "month"),
        );
        differs = (yield* tell(tenant, "events", where, compared(own, together), listener)) || differs;
      }
      return differs;
    });

    /**
     * Compares every day of every environment with its base rows, packed ones included, and every month with its days. Each in a
     * snapshot of its own, in which rollups and feed together are exactly the base rows: what comes in meanwhile makes no difference.
     * Holds the devices of one day, or of one page of a month, in memory.
     */
    const audit = Effect.fnUntraced(function* (listener: AuditListener) {
      const tenants = yield* repository.tenants;
      const summary = { environments: 0, days: 0, months: 0 };
      const incomplete: Array<{ workspace: string; environment: string }> = [];
      const differing: Array<AuditedTenant> = [];
      let all = 0;
      for (const tenant of tenants) {
        const [{ first, last } = { first: null, last: null }] = yield* repository.rolledDays(tenant);
        if (first !== null && last !== null) all += daysBetween(first as LocalDate, last as LocalDate) + 1;
      }
      let passed = 0;
      for (const tenant of tenants) {
        let isComplete = tenant.complete;
        let differs = false;
        let from = earliest;
        while (isComplete) {
          const looked = yield* inOneSnapshot(
            Effect.gen(function* () {
              if (!(yield* repository.complete(tenant))) return "incomplete" as const;
              return yield* nextDay(tenant, from, listener);
            }),
          );
          if (looked === null) break;
          if (looked === "incomplete") {
            isComplete = false;
            break;
          }
          differs ||= looked.differs;
          summary.days++;
          passed += from === earliest ? 1 : daysBetween(from, looked.date) + 1;
          listener.progress(Math.min(passed, all), all);
          from = addDays(looked.date, 1);
        }
        const { environment, workspace } = tenant;
        if (!isComplete) {
          incomplete.push({ workspace, environment });
          continue;
        }
        for (const starts_on of yield* repository.months(tenant)) {
          differs = (yield* inOneSnapshot(month(tenant, starts_on, listener))) || differs;
          summary.months++;
        }
        summary.environments++;
        if (differs) differing.push(tenant);
      }
      return { ...summary, incomplete, differing } satisfies AuditSummary;
    });

    return {
      audit,
      /** Has workers make the rollups of these environments anew; their reports read base rows, right and slow, until that is done. */
      rebuild: (tenants: ReadonlyArray<AuditedTenant>) =>
        Effect.forEach(tenants, (tenant) => repository.distrust(tenant), { discard: true }),
    };
  }),
}) {
  static readonly layer = Layer.effect(RollupAudit, RollupAudit.make).pipe(
    Layer.provide([RollupAuditSql.layer, RollupsSql.layer]),
  );
}

/** Numbers of campaign and notification, types of content and trigger. */
type OutcomeKeyText = readonly [campaign: number, notification: number, content: string, trigger: string];
