import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Outbox, type OutgoingEvent } from "../outbox/Outbox.ts";
import { wordsOf } from "../sending/arms/Experiment.ts";
import { Experiments } from "../sending/arms/Experiments.ts";
import { Deliveries } from "../sending/deliveries/Deliveries.ts";
import type { DueDelivery } from "../sending/deliveries/Delivery.ts";
import { type Recipient, Recipients } from "../sending/rendering/Recipients.ts";
import { mapSliced } from "../workers/TimeSlices.ts";
import { Worker } from "../workers/Worker.ts";
import { workspaceTurns } from "../workers/WorkspaceTurns.ts";
import { type Candidate, dwellCandidates, locationName } from "./DwellCandidates.ts";
import { EventTriggersSql } from "./custom/EventTriggersSql.ts";
import type { DueDwell } from "./Dwell.ts";
import { countDwells, noteDwellLags } from "./DwellMetrics.ts";
import { dwellPages } from "./DwellPages.ts";
import { type DwellDevice, DwellsSql } from "./DwellsSql.ts";
import { EventsSql } from "./EventsSql.ts";
import type { TriggerMatch } from "./TriggerMatch.ts";
import { isRecent, triggerSpan } from "./Transition.ts";
import { VisitsSql } from "./VisitsSql.ts";
import { dueDelivery, isOpenAt } from "./TriggerRule.ts";

/** Dwells that are decided in one transaction. */
export const DwellPageSize = Context.Reference("waypost/events/DwellPageSize", { defaultValue: () => 500 });
/** How long decided dwells are kept: until no enter of their visit that is reported late can fire. */
const keptMillis = 16 * 60_000;

/** A dwell with its delivery, before the frequency caps. */
interface PendingDwell {
  readonly dwell: DueDwell;
  readonly due: DueDelivery;
}
interface MatchedDwell extends PendingDwell {
  readonly match: TriggerMatch;
  readonly device: DwellDevice;
}

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
    const deliveries = yield* Deliveries;
    const outbox = yield* Outbox;
    const recipients = yield* Recipients;
    const experiments = yield* Experiments;
    const decided = yield* dwellCandidates;

    /** The on_dwell notifications at locations, by the location and the notification on its campaign. */
    const matches = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, now: number) {
      const locations = new Map(
        candidates.flatMap(({ dwell: { environment, locationId, workspaceId } }) => {
          if (locationId === null) return [];
          const location = { workspaceId, environment, locationId, trigger: "on_dwell" as const };
          return [[locationName(location), location]];
        }),
      );
      const names = [...locations.keys()];
      const found = new Map<string, TriggerMatch>();
      if (names.length === 0) return found;
      const attachmentIds = [...new Set(candidates.map(({ dwell }) => dwell.attachmentId))];
      for (const row of yield* events.locations([...locations.values()], triggerSpan(now), { attachmentIds }))
        if (row.campaign_id !== null) found.set(`${names[row.ord - 1]}/${row.attachment_id}`, row);
      return found;
    });

    /** Adds what deliveries keep; fails those that cannot be rendered for their devices (contract O1.6). */
    const rendered = Effect.fnUntraced(function* (pending: ReadonlyArray<PendingDwell>) {
      if (pending.length === 0) return pending;
      const contents = yield* repository.varying(pending.map(({ due }) => due));
      const varying = pending.flatMap((each, index) => {
        const content = contents[index] ?? null;
        return content === null ? [] : [{ ...each, content }];
      });
      const found = yield* recipients.of(
        varying.map(({ due, dwell }) => ({ ...due, event: dwell.event?.properties ?? null })),
      );
      const results = new Map(
        yield* mapSliced(varying, ({ content, due, dwell }, index) => {
          const recipient = found[index] as Recipient;
          const source = { ...content, variantTexts: wordsOf(content.variants, due.arm) };
          const result = recipient.render(source);
          const more =
            result._tag === "Failed"
              ? { failure: result.reason }
              : { recipient: recipient.kept(source, result.variables) };
          return [dwell, more] as const;
        }),
      );
      return pending.map((each) => ({ ...each, due: { ...each.due, ...results.get(each.dwell) } }));
    });

    /** Adds the arms of deliveries whose campaigns have an experiment. */
    const withArms = Effect.fnUntraced(function* (matched: ReadonlyArray<MatchedDwell>) {
      const experimental = matched.filter(({ match }) => match.experiment !== null);
      const arms = yield* experiments.arms(
        experimental.map(({ device, due, match }) => ({
          ...due,
          deviceId: device.id,
          userId: device.user_id,
          notificationId: match.notification_id,
        })),
      );
      const found = new Map(experimental.map((each, index) => [each, arms[index] ?? null]));
      return matched.map((each) => ({ ...each, due: { ...each.due, arm: found.get(each) ?? null } }));
    });

    /** Creates the deliveries of dwells, within the frequency caps. Returns the dwells that fired. */
    const fire = Effect.fnUntraced(function* (candidates: ReadonlyArray<Candidate>, now: number) {
      const found = yield* matches(candidates, now);
      const matched = candidates.flatMap((candidate): ReadonlyArray<MatchedDwell> => {
        const { device, deviceKey, dwell } = candidate;
        const { attachmentId, environment, locationId, locationKey, workspaceId } = dwell;
        const at = locationId === null ? "" : locationName({ workspaceId, environment, locationId });
        const match = candidate.match ?? found.get(`${at}/${attachmentId}`);
        if (match === undefined || !isOpenAt(match, dwell.dueAt)) return [];
        if (device.closing || device.obstacle !== null) return [];
        // A visit has the content of its enter (contract X22), an event that of its minute (Z31).
        const { contentKey: content_key, contentType: type } = dwell;
        const kept = dwell.event === null ? { ...match, content_key, type } : match;
        const { defaultCap, defaultQuietHours, isPaced } = device;
        const limits = { defaultCap, defaultQuietHours, isPaced };
        const subject = { workspaceId, environment, deviceKey, locationKey, ...limits, receivedAt: now };
        return [{ dwell, match, device, due: dueDelivery(kept, subject, device) }];
      });
      const pending = yield* rendered(yield* withArms(matched));
      const created = yield* deliveries.create(pending.map(({ due }) => due));
      const fired = pending.filter((_, index) => created[index] !== null);
      yield* outbox.record(
        pending.flatMap(({ due }, index): ReadonlyArray<OutgoingEvent> => {
          const { sourceId, status } = created[index] ?? {};
          if (sourceId === undefined || (status !== "delivered" && status !== "failed")) return [];
          const { deviceKey, environment, workspaceId } = due;
          return [{ workspaceId, environment, type: `message.${status}`, at: now, sourceId, deviceKey }];
        }),
      );
      return fired.map(({ dwell }) => dwell);
    });

    /** Decides the dwells that a statement locks, in one transaction. */
    const decide = Effect.fnUntraced(function* (
      take: (now: number) => Effect.Effect<ReadonlyArray<DueDwell>>,
    ) {
      const now = yield* Clock.currentTimeMillis;
      const taken = yield* take(now);
      const late = taken.filter(({ dueAt }) => !isRecent(dueAt, now));
      const due = taken.filter(({ dueAt }) => isRecent(dueAt, now));
      const { candidates, gone, refused } =
        due.length === 0 ? { candidates: [], gone: [], refused: [] } : yield* decided(due);
      const fired = candidates.length === 0 ? [] : yield* fire(candidates, now);
      const over = [...candidates.map(({ dwell }) => dwell), ...refused];
      // A visit is kept for a while, so that no earlier enter of it fires again.
      const kept = over.filter(({ event }) => event === null);
      if (kept.length > 0) yield* repository.decide(kept, now);
      const dropped = [...late, ...gone, ...over.filter(({ event }) => event !== null)];
      if (dropped.length > 0) yield* repository.drop(dropped);
      const hasFired = new Set(fired);
      return { now, taken, fired, late, gone, refused: over.filter((dwell) => !hasFired.has(dwell)) };
    }, database.atomically);

    const decideAndCount = Effect.fnUntraced(function* (
      take: (now: number) => Effect.Effect<ReadonlyArray<DueDwell>>,
    ) {
      const { fired, gone, late, now, refused, taken } = yield* decide(take);
      for (const what of ["visit", "event"] as const) {
        const count = (dwells: ReadonlyArray<DueDwell>) =>
          dwells.filter(({ event }) => (event === null) === (what === "visit")).length;
        yield* countDwells(what, [
          ["fired", count(fired)],
          ["not_lasted", count(gone)],
          ["refused", count(refused)],
          ["late", count(late)],
        ]);
      }
      yield* noteDwellLags(fired.map(({ dueAt }) => now - dueAt));
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
      Recipients.layer,
      Experiments.layer,
    ]),
  );
}

/** The job that fires on_dwell notifications at their minute. */
export const dwellJob = Layer.effectDiscard(
  Effect.flatMap(Dwells, ({ runDue }) => Worker.every("dwells", "1 second", runDue, { isTraced: false })),
);
