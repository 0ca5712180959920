import { Cause, Clock, Context, Effect, Layer } from "effect";
import { Database } from "../../database/Database.ts";
import { Segments } from "../../devices/Segments.ts";
import { dayEnd } from "../../time/LocalTime.ts";
import { LocalSends } from "./local/LocalSends.ts";
import { BatchSize, outcomeAt, type SendAudience, type SendingCampaign } from "./Send.ts";
import { SendBatchesSql } from "./SendBatchesSql.ts";
import { countSend, noteLag } from "./SendMetrics.ts";
import { type DueSend, type HeldCampaign, rulesAt, SendStartsSql } from "./SendStartsSql.ts";

/**
 * Campaigns whose sends start in one transaction. Ten thousand sends of one minute need few statements each,
 * and a transaction takes about a tenth of a second.
 */
const pageSize = 500;

/** The decision about a due send. */
interface Decision extends DueSend {
  readonly held: HeldCampaign;
  readonly outcome: "running" | "skipped" | "missed";
  readonly isDone: boolean;
  readonly lagMillis: number;
}

/**
 * Starts sends at their minute: fixes their content, frequency cap, quiet hours and audience, and splits the
 * audience into batches, which `SendBatches.ts` runs.
 */
export class SendStarts extends Context.Service<SendStarts>()("waypost/sending/SendStarts", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* SendStartsSql;
    const batches = yield* SendBatchesSql;
    const segments = yield* Segments;
    const localSends = yield* LocalSends;

    /** Starts sends, and returns the ids of those that are done at once, because they have no devices. */
    const run = Effect.fnUntraced(function* (
      sends: ReadonlyArray<DueSend & { readonly held: HeldCampaign }>,
      now: number,
    ) {
      if (sends.length === 0) return new Set<string>();
      const campaigns = [...new Set(sends.map(({ held }) => held))];
      const audiences = new Map(
        (yield* segments.audiences(campaigns)).map((audience, index) => [campaigns[index], audience]),
      );
      const starting = sends.map((send) => ({ ...send, ...rulesAt(send.held, now) }));
      const sourceIds = new Map(
        (yield* repository.start(starting, now)).map(({ id, sourceId }) => [id, sourceId]),
      );
      const started = sends.flatMap(({ environment, held, id, workspaceId }) => {
        const sourceId = sourceIds.get(id);
        const found = audiences.get(held) ?? { match: "any" as const, rules: [] };
        const audience: SendAudience = held.capBy === "user" ? { ...found, perUser: true } : found;
        const { lastDeviceKey } = held;
        return sourceId === undefined
          ? []
          : [{ workspaceId, environment, sourceId, audience, lastDeviceKey }];
      });
      const isEmpty = ({ lastDeviceKey }: (typeof started)[number]) => lastDeviceKey === 0;
      const isForAll = ({ audience, environment }: (typeof started)[number]) =>
        environment === "production" && audience.rules.length === 0 && !(audience.perUser ?? false);
      const reaching = started.filter((send) => !isEmpty(send));
      const [everybody, audience] = [reaching.filter(isForAll), reaching.filter((send) => !isForAll(send))];
      if (everybody.length > 0) yield* repository.splitByRange(everybody, yield* BatchSize);
      if (audience.length > 0) yield* repository.splitLater(audience);
      const empty = started.filter(isEmpty);
      const finished = empty.length > 0 ? yield* batches.finish(empty, now) : [];
      return new Set(finished.map(({ id }) => id));
    });

    /** Decides on all due sends of campaigns, in order, so that their source ids are in order too. */
    const decide = Effect.fnUntraced(function* (campaigns: ReadonlyArray<SendingCampaign>) {
      const now = yield* Clock.currentTimeMillis;
      const locked = yield* repository.lock(campaigns);
      if (locked.length === 0) return [];
      const byId = new Map(locked.map((held) => [held.campaignId, held]));
      const due = (yield* repository.lockDue(locked, now)).flatMap((send) => {
        const held = byId.get(send.campaignId);
        if (held === undefined) return [];
        const { dueAt, occurrence } = send;
        const endsAt = occurrence === null ? held.endsAt : dayEnd(held.timezone, occurrence);
        return [{ ...send, held, outcome: outcomeAt({ ...held, endsAt, dueAt }, now) }];
      });
      const ended = due.flatMap(({ outcome, ...send }) =>
        outcome === "running" ? [] : [{ ...send, outcome }],
      );
      if (ended.length > 0) yield* repository.end(ended, now);
      const done = yield* run(
        due.filter(({ outcome }) => outcome === "running"),
        now,
      );
      return due.map((send): Decision => ({
        ...send,
        isDone: done.has(send.id),
        lagMillis: now - send.dueAt,
      }));
    }, database.atomically);

    const log = Effect.fnUntraced(function* (decision: Decision) {
      const { campaignId, environment, held, id, isDone, lagMillis, outcome } = decision;
      const { workspace } = held;
      yield* countSend({ status: outcome });
      if (outcome === "running") yield* noteLag(lagMillis);
      if (isDone) yield* countSend({ status: "done" });
      const sentence = {
        running: "A send has started",
        skipped: "A send was skipped: its campaign is paused",
        missed: "A send was missed: no process ran until its campaign's day was over",
      }[outcome];
      yield* (outcome === "missed" ? Effect.logWarning(sentence) : Effect.logInfo(sentence)).pipe(
        Effect.annotateLogs({ workspace, environment, campaign: campaignId, send: id, lagMs: lagMillis }),
      );
    });

    /** Starts the due sends of campaigns together. If that fails, each campaign is started by itself. */
    const startCampaigns = (
      campaigns: ReadonlyArray<SendingCampaign>,
    ): Effect.Effect<ReadonlyArray<Decision>> => {
      const [first] = campaigns;
      if (first === undefined) return Effect.succeed([]);
      const attributes =
        campaigns.length === 1
          ? { "waypost.environment": first.environment, "waypost.campaign": first.campaignId }
          : { "waypost.campaigns": campaigns.length };
      return decide(campaigns).pipe(
        Effect.tap(([decision, ...others]) =>
          decision === undefined || others.length > 0
            ? Effect.void
            : Effect.annotateCurrentSpan({
                "waypost.workspace": decision.held.workspace,
                "waypost.send": decision.id,
              }),
        ),
        Effect.withSpan("send.start", { root: true, attributes }),
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause) && !Database.isUnavailable(cause),
          (cause) =>
            campaigns.length === 1
              ? Effect.as(Effect.logError("Starting the sends of a campaign failed; retrying", cause), [])
              : Effect.map(
                  Effect.forEach(campaigns, (each) => startCampaigns([each])),
                  (all) => all.flat(),
                ),
        ),
      );
    };

    return {
      /**
       * Starts every due send; within a campaign the older notification first. Neither a campaign that fails
       * nor one that is locked holds up the others. Returns when the next send is due (epoch milliseconds;
       * null for none), and an effect that logs and counts the decisions: ten thousand log lines take half a
       * second, while batches can run.
       */
      startDue: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const seen: Array<string> = [];
        const decisions: Array<Decision> = [];
        while (true) {
          const due = yield* repository.dueCampaigns(now, pageSize, seen);
          if (due.length === 0) break;
          for (const { campaignId } of due) seen.push(campaignId);
          decisions.push(...(yield* startCampaigns(due)));
        }
        const report = Effect.forEach(decisions, log, { discard: true });
        const nextPart = (yield* localSends.runDue) ?? Infinity;
        const next = Math.min((yield* repository.nextDue(now)) ?? Infinity, nextPart);
        return { next: next === Infinity ? null : next, report };
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendStarts, SendStarts.make).pipe(
    Layer.provide([SendStartsSql.layer, SendBatchesSql.layer, LocalSends.layer]),
  );
}
