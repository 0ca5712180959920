import { Clock, Context, Effect, Layer, Metric } from "effect";
import { Database } from "../database/Database.ts";
import { anyEvent } from "../outbox/EventType.ts";
import { Experiments } from "../sending/arms/Experiments.ts";
import { Recipients } from "../sending/rendering/Recipients.ts";
import { counter, knownSeries } from "../telemetry/KnownSeries.ts";
import { Worker } from "../workers/Worker.ts";
import { workspaceTurns } from "../workers/WorkspaceTurns.ts";
import { type Candidate, dwellCandidates } from "./DwellCandidates.ts";
import { EventTriggersSql } from "./custom/EventTriggersSql.ts";
import type { DueDwell } from "./Dwell.ts";
import { dwellPages, type TakeDwells } from "./DwellPages.ts";
import { DwellsSql } from "./DwellsSql.ts";
import { EventsSql } from "./EventsSql.ts";
import { firedMessages } from "./FiredMessages.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { isRecent, triggerSpan } from "./Transition.ts";
import { MatchContents } from "./words/MatchContents.ts";
import { VisitsSql } from "./VisitsSql.ts";
import { isOpenAt } from "./TriggerRule.ts";

/** Dwells that are decided in one transaction. */
export const DwellPageSize = Context.Reference("waypost/events/DwellPageSize", { defaultValue: () => 500 });
/** How long decided dwells are kept: until no enter of their visit that is reported late can fire. */
const keptMillis = 16 * 60_000;

/**
 * The outcome of a dwell: `fired`; `not_lasted`, the device left or its visit counts already; `refused` by
 * the campaign, the device or a frequency cap; `late`, over 15 minutes past its minute.
 */
const outcomes = ["fired", "not_lasted", "refused", "late"] as const;

/** Counts dwells of visits or of custom events by outcome. */
const countDwells = counter(
  "waypost_dwells_total",
  "Visits that on_dwell notifications waited for, and custom events with a delay (what: visit, " +
    "event), by outcome: fired, not_lasted (the device left, or the unless_event came), refused (by the " +
    "campaign, the device or a cap), late (over 15 minutes past the minute).",
  { what: ["visit", "event"], outcome: outcomes },
);

const lag = knownSeries(
  Metric.histogram("waypost_dwell_lag_seconds", {
    description: "Time from the minute of a visit or of a custom event to its notification, in seconds.",
    boundaries: [0.5, 1, 2.5, 5, 10, 60, 300, 900],
  }),
);

/** Records how late dwells fired, in milliseconds. */
const noteDwellLags = (millis: ReadonlyArray<number>): Effect.Effect<void> =>
  Effect.forEach(millis, (each) => Metric.update(lag, each / 1000), { discard: true });

/**
 * Fires on_dwell notifications (contract P1). An enter stores a row for each of them (`EventRecorder.ts`),
 * due at the minute that the visit must last until. At the minute the events that are known decide whether
 * the visit lasted: an exit changes no row. Custom events whose notification has a delay wait in the same
 * way (contract V4). Dwells are decided in pages, a transaction each; workspaces take turns. A row that
 * another process has locked is left to it.
 */
export class Dwells extends Context.Service<Dwells>()("waypost/events/Dwells", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* DwellsSql;
    const events = yield* EventsSql;
    const decided = yield* dwellCandidates;
    const fireMessages = yield* firedMessages;

    /** The on_dwell notifications at locations, by the location and the notification on its campaign. */
    const matches = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, now: number) {
      const locations = new Map(
        candidates.flatMap(({ dwell: { environment, locationId, locationKey, workspaceId } }) =>
          locationId === null
            ? []
            : [[locationKey, { workspaceId, environment, locationId, trigger: "on_dwell" as const }]],
        ),
      );
      const found = new Map<string, TriggerMatch>();
      if (locations.size === 0) return found;
      const attachmentIds = [...new Set(candidates.map(({ dwell }) => dwell.attachmentId))];
      const rows = yield* events.locations([...locations.values()], triggerSpan([now]), { attachmentIds });
      for (const row of rows)
        if (row.campaign_id !== null) found.set(`${row.location_key}/${row.attachment_id}`, row);
      return found;
    });

    /** Creates the deliveries of dwells, within the frequency caps. Returns the dwells that fired. */
    const fire = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, now: number) {
      const found = yield* matches(candidates, now);
      const fired = candidates.flatMap((candidate) => {
        const { device, deviceKey, dwell } = candidate;
        const { attachmentId, contentKey, event, locationKey } = dwell;
        const match = candidate.match ?? found.get(`${locationKey}/${attachmentId}`);
        if (match === undefined || !isOpenAt(match, dwell.dueAt)) return [];
        if (device.closing || device.obstacle !== null) return [];
        // A visit has the content of its enter (contract X22), an event that of its minute (Z31).
        const varies = match.varies || contentKey !== match.content_key;
        const kept = { ...match, content_key: contentKey, type: dwell.contentType, varies };
        const subject = {
          ...device,
          ...dwell,
          deviceKey,
          deviceId: device.id,
          webhookEvents: [anyEvent],
          receivedAt: now,
          properties: event?.properties,
        };
        return [{ dwell, device, subject, match: event === null ? kept : match }];
      });
      const created = yield* fireMessages(fired, []);
      return fired.flatMap(({ dwell }, index) =>
        (created[index]?.delivery ?? null) === null ? [] : [dwell],
      );
    });

    /** Decides the dwells that a statement locks, in one transaction. */
    const decide = Effect.fnUntraced(function* (take: TakeDwells) {
      const now = yield* Clock.currentTimeMillis;
      const taken = yield* take(now);
      const late = taken.filter(({ dueAt }) => !isRecent(dueAt, now));
      const due = taken.filter(({ dueAt }) => isRecent(dueAt, now));
      const { candidates, gone } =
        due.length === 0 ? { candidates: [], gone: new Set<DueDwell>() } : yield* decided(due);
      const fired = new Set(candidates.length === 0 ? [] : yield* fire(candidates, now));
      const over = due.filter((dwell) => !gone.has(dwell));
      // A visit is kept for a while, so that no earlier enter of it fires again.
      const kept = over.filter(({ event }) => event === null);
      if (kept.length > 0) yield* repository.decide(kept, now);
      const dropped = [...late, ...gone, ...over.filter(({ event }) => event !== null)];
      if (dropped.length > 0) yield* repository.drop(dropped);
      const refused = over.filter((dwell) => !fired.has(dwell));
      return { now, taken, fired: [...fired], not_lasted: [...gone], refused, late };
    }, database.atomically);

    const decideAndCount = Effect.fnUntraced(function* (take: TakeDwells) {
      const { now, taken, ...decided } = yield* decide(take);
      for (const what of ["visit", "event"] as const)
        for (const outcome of outcomes) {
          const counted = decided[outcome].filter(({ event }) => (event === null) === (what === "visit"));
          yield* countDwells({ what, outcome }, counted.length);
        }
      yield* noteDwellLags(decided.fired.map(({ dueAt }) => now - dueAt));
      return taken;
    });

    const decideDue = yield* workspaceTurns({
      what: "visits and delayed events",
      find: repository.dueWorkspaces,
      take: dwellPages(repository, decideAndCount),
      pageSize: DwellPageSize,
    });

    /** Deletes dwells that were decided long enough ago, for at most a second: what is due goes first. */
    const deleteDecided = Effect.gen(function* () {
      const limit = yield* DwellPageSize;
      const since = yield* Clock.currentTimeMillis;
      const before = since - keptMillis;
      let count = limit;
      while (count >= limit && (yield* Clock.currentTimeMillis) - since < 1_000) {
        count = 0;
        for (const workspaceId of yield* repository.decidedWorkspaces(before, limit))
          count += yield* repository.deleteDecided(workspaceId, before, limit);
      }
    });

    return {
      /** Decides all due dwells, and deletes those that were decided long enough ago. */
      runDue: Effect.andThen(decideDue, deleteDecided),
    };
  }),
}) {
  static readonly layer = Layer.effect(Dwells, Dwells.make).pipe(
    Layer.provide([
      DwellsSql.layer,
      VisitsSql.layer,
      EventsSql.layer,
      EventTriggersSql.layer,
      MatchContents.layer,
      Recipients.layer,
      Experiments.layer,
    ]),
  );
}

/** The job that fires on_dwell notifications at their minute. */
export const dwellJob = Layer.effectDiscard(
  Effect.flatMap(Dwells, ({ runDue }) => Worker.every("dwells", "1 second", runDue, { isTraced: false })),
);
