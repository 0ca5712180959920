import { Cause, Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../../database/Database.ts";
import { Segments } from "../../../devices/Segments.ts";
import { idAt } from "../../../wire/Ids.ts";
import { nextCheckOf, partsOf } from "./LocalParts.ts";
import { type LocalSend, LocalSendsSql } from "./LocalSendsSql.ts";
import type { SendAudience, SendingCampaign } from "../Send.ts";
import { countSend, noteLag } from "../SendMetrics.ts";
import { type HeldCampaign, rulesAt, SendStartsSql } from "../SendStartsSql.ts";

const pageSize = 500;

/** The decision about one send: how late its parts started, in milliseconds, or that it was skipped. */
interface Decision {
  readonly send: LocalSend;
  readonly isSkipped: boolean;
  readonly started: ReadonlyArray<number>;
  readonly missed: number;
}

/**
 * Sends at local times (contract P3). Each is a row that a worker checks whenever some zone's clock may
 * show the time. The parts that are due are fixed then, from the zones of the devices registered at that
 * moment, and run as sends of their own, one after another, so that no device is reached twice.
 */
export class LocalSends extends Context.Service<LocalSends>()("waypost/sending/LocalSends", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* LocalSendsSql;
    const starts = yield* SendStartsSql;
    const segments = yield* Segments;

    /** Runs the parts of a send that are due, and stores when to check again. */
    const check = Effect.fnUntraced(function* (
      send: LocalSend,
      held: HeldCampaign,
      zones: Parameters<typeof partsOf>[1],
      now: number,
    ) {
      const parts = partsOf(send, zones, held.timezone, now);
      const due = parts.flatMap((part) => (part.status === "scheduled" ? [] : [{ ...part, id: idAt(now) }]));
      const isComing = due.some(({ status }) => status !== "skipped");
      if (isComing && (held.paused || held.closing)) {
        yield* repository.skip(send, now);
        return { send, isSkipped: true, started: [], missed: 0 } satisfies Decision;
      }
      const earlier = [...(yield* repository.sourceIds(send))];
      const started = due.length === 0 ? [] : yield* repository.addParts(send, due, rulesAt(held, now), now);
      const [targets = { match: "any" as const, rules: [] }] = yield* segments.audiences([held]);
      const audiences = started.map(({ environment, ord, sourceId, workspaceId }) => {
        const { dueAt = now, hasRest = false, zones: reached = [] } = due[ord - 1] ?? {};
        const coming = parts.filter((part) => part.dueAt > dueAt);
        const later = {
          zones: coming.flatMap((part) => part.zones),
          hasRest: coming.some((part) => part.hasRest),
        };
        const local = { zones: reached, hasRest, earlier: earlier.map(String), later };
        earlier.push(sourceId);
        const audience: SendAudience = { ...targets, local, perUser: held.capBy === "user" };
        return { workspaceId, environment, sourceId, audience, lastDeviceKey: held.lastDeviceKey };
      });
      if (audiences.length > 0) yield* starts.splitLater(audiences);
      const nextAt = nextCheckOf(send, parts, now);
      // A send that nothing came of, because no device is registered, ends as done.
      const isEmpty = nextAt === null && !send.hasRun && due.length === 0;
      if (!send.hasRun && (started.length > 0 || isEmpty)) yield* repository.start(send, now);
      const next = parts.find(({ status }) => status === "scheduled");
      yield* repository.check(send, nextAt, next?.dueAt ?? null);
      return {
        send,
        isSkipped: false,
        started: started.map(({ ord }) => now - (due[ord - 1]?.dueAt ?? now)),
        missed: due.filter(({ status }) => status === "missed").length,
      } satisfies Decision;
    });

    /** Checks at the sends of one campaign, in one transaction. */
    const checkAll = Effect.fnUntraced(function* (campaign: SendingCampaign) {
      const now = yield* Clock.currentTimeMillis;
      const [held] = yield* starts.lock([campaign]);
      if (held === undefined) return [];
      const due = yield* repository.lockDue(held, now);
      if (due.length === 0) return [];
      const zones = yield* repository.zones(held);
      return yield* Effect.forEach(due, (send) => check(send, held, zones, now));
    }, database.atomically);

    const log = Effect.fnUntraced(function* ({ isSkipped, missed, send, started }: Decision) {
      if (isSkipped) yield* countSend({ status: "skipped" });
      for (const millis of started) {
        yield* countSend({ status: "running" });
        yield* noteLag(millis);
      }
      yield* countSend({ status: "missed" }, missed);
      const { campaignId, environment, id } = send;
      const report =
        missed > 0
          ? Effect.logWarning(
              "Parts of a send were missed: no process ran until the day was over in their zones",
            )
          : isSkipped
            ? Effect.logInfo("A send was skipped: its campaign is paused")
            : started.length > 0
              ? Effect.logInfo("Parts of a send have started")
              : Effect.void;
      yield* Effect.annotateLogs(report, { environment, campaign: campaignId, send: id });
    });

    return {
      /**
       * Starts the parts of sends that are due, and ends the sends whose last part is done. Returns when the
       * next part may be due (epoch milliseconds; null for none). A campaign that fails or is locked does not
       * hold up the others.
       */
      runDue: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const seen: Array<string> = [];
        while (true) {
          const due = yield* repository.dueCampaigns(now, pageSize, seen);
          if (due.length === 0) break;
          for (const campaign of due) {
            seen.push(campaign.campaignId);
            const decisions = yield* checkAll(campaign).pipe(
              Effect.catchCauseIf(
                (cause) => !Cause.hasInterruptsOnly(cause) && !Database.isUnavailable(cause),
                (cause) =>
                  Effect.as(Effect.logError("Starting the parts of a send failed; retrying", cause), []),
              ),
            );
            yield* Effect.forEach(decisions, log, { discard: true });
          }
        }
        for (const { campaignId, environment, id, status } of yield* repository.finish(now)) {
          yield* countSend({ status });
          yield* Effect.annotateLogs(Effect.logInfo("A send has ended with its last part"), {
            environment,
            campaign: campaignId,
            send: id,
            status,
          });
        }
        return yield* repository.nextDue(now);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(LocalSends, LocalSends.make).pipe(
    Layer.provide([LocalSendsSql.layer, SendStartsSql.layer]),
  );
}
