import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Segments } from "../devices/Segments.ts";
import { capWindow } from "./FrequencyCap.ts";
import { BatchSize, outcomeAt, type SendingCampaign } from "./Send.ts";
import { SendBatchesSql } from "./SendBatchesSql.ts";
import { countSend, noteLag } from "./SendMetrics.ts";
import { SendStartsSql } from "./SendStartsSql.ts";

/** Campaigns that are read at a time, and that are started concurrently. */
const pageSize = 100;
const startConcurrency = 4;

/** The decision about a due send. */
interface Decision {
  readonly workspace: string;
  readonly send: string;
  readonly outcome: "running" | "skipped" | "missed";
  readonly isDone: boolean;
  readonly lagMillis: number;
}

/**
 * Starts sends at their minute: fixes their content, frequency cap and audience, and splits the audience into
 * batches, which `SendBatches.ts` runs.
 */
export class SendStarts extends Context.Service<SendStarts>()("waypost/sending/SendStarts", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* SendStartsSql;
    const batches = yield* SendBatchesSql;
    const segments = yield* Segments;

    /** Decides on all due sends of a campaign, in order, so that their source ids are in order too. */
    const decide = Effect.fnUntraced(function* (campaign: SendingCampaign) {
      const now = yield* Clock.currentTimeMillis;
      const size = yield* BatchSize;
      const decisions: Array<Decision> = [];
      const [held] = yield* repository.lock(campaign);
      if (held === undefined) return decisions;
      const window = capWindow(held.cap, held.defaultCap, held.timezone, now);
      const audience = yield* segments.audience(campaign, campaign.campaignId);
      const isAllDevices = campaign.environment === "production" && audience.rules.length === 0;
      for (const due of yield* repository.lockDue(campaign, now)) {
        const outcome = outcomeAt({ ...held, dueAt: due.dueAt }, now);
        let isDone = false;
        if (outcome !== "running") yield* repository.end(campaign, due.id, outcome, now);
        else {
          for (const { sourceId } of yield* repository.start(campaign, due, window, now)) {
            yield* isAllDevices
              ? repository.splitByRange(campaign, sourceId, held.lastDeviceKey, size)
              : repository.splitLater(campaign, sourceId, audience);
            // A send to no devices is done at once.
            isDone = (yield* batches.finish({ ...campaign, sourceId }, now)).length > 0;
          }
        }
        const lagMillis = now - due.dueAt;
        decisions.push({ workspace: held.workspace, send: due.id, outcome, isDone, lagMillis });
      }
      return decisions;
    }, database.atomically);

    const log = Effect.fnUntraced(function* (campaign: SendingCampaign, decision: Decision) {
      const { isDone, lagMillis, outcome, send, workspace } = decision;
      yield* Effect.annotateCurrentSpan({ "waypost.workspace": workspace, "waypost.send": send });
      yield* countSend(outcome);
      if (outcome === "running") yield* noteLag(lagMillis);
      if (isDone) yield* countSend("done");
      const sentence = {
        running: "A send has started",
        skipped: "A send was skipped: its campaign is paused",
        missed: "A send was missed: no process ran until its campaign's day was over",
      }[outcome];
      yield* (outcome === "missed" ? Effect.logWarning(sentence) : Effect.logInfo(sentence)).pipe(
        Effect.annotateLogs({
          workspace,
          environment: campaign.environment,
          campaign: campaign.campaignId,
          send,
          lagMs: lagMillis,
        }),
      );
    });

    const startCampaign = (campaign: SendingCampaign) =>
      Effect.gen(function* () {
        for (const decision of yield* decide(campaign)) yield* log(campaign, decision);
      }).pipe(
        Effect.withSpan("send.start", {
          root: true,
          attributes: {
            "waypost.environment": campaign.environment,
            "waypost.campaign": campaign.campaignId,
          },
        }),
        Effect.ignoreCause({ log: "Error" }),
      );

    return {
      /**
       * Starts every due send; within a campaign the older notification first. Returns when the next send is
       * due (epoch milliseconds), null for none. A campaign that fails does not hold up the others.
       */
      startDue: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const seen = new Set<string>();
        while (true) {
          const due = yield* repository.dueCampaigns(now, pageSize);
          const fresh = due.filter(({ campaignId }) => !seen.has(campaignId));
          if (fresh.length === 0) break;
          for (const { campaignId } of fresh) seen.add(campaignId);
          yield* Effect.forEach(fresh, startCampaign, { concurrency: startConcurrency, discard: true });
        }
        return yield* repository.nextDue(now);
      }),
    };
  }),
}) {
  static readonly layer = Layer.effect(SendStarts, SendStarts.make).pipe(
    Layer.provide([SendStartsSql.layer, SendBatchesSql.layer]),
  );
}
