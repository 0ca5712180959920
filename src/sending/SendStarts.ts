import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { Segments } from "../devices/Segments.ts";
import { capWindow } from "./FrequencyCap.ts";
import { BatchSize, outcomeAt, type SendingCampaign } from "./Send.ts";
import { SendBatchesSql } from "./SendBatchesSql.ts";
import { countSend, noteLag } from "./SendMetrics.ts";
import { SendStartsSql } from "./SendStartsSql.ts";

/** Most campaigns that are looked for at a time, and that are started side by side. */
const page = 100;
const sideBySide = 4;

/** What a send came to at its minute. */
interface Decided {
  readonly workspace: string;
  readonly send: string;
  readonly outcome: "running" | "skipped" | "missed";
  readonly isDone: boolean;
  readonly lagMillis: number;
}

/** Starts sends at their minute: fixes what they carry and whom they reach. */
export class SendStarts extends Context.Service<SendStarts>()("waypost/sending/SendStarts", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* SendStartsSql;
    const batches = yield* SendBatchesSql;
    const segments = yield* Segments;

    /** Decides on all sends of a campaign that are due, in order, so that the numbers of their deliveries are in order too. */
    const decide = Effect.fnUntraced(function* (campaign: SendingCampaign) {
      const now = yield* Clock.currentTimeMillis;
      const size = yield* BatchSize;
      const decided: Array<Decided> = [];
      const [held] = yield* repository.hold(campaign);
      if (held === undefined) return decided;
      const window = capWindow(held.cap, held.defaultCap, held.timezone, now);
      const audience = yield* segments.audience(campaign, campaign.campaignId);
      const isEverybody = campaign.environment === "production" && audience.rules.length === 0;
      for (const due of yield* repository.holdDue(campaign, now)) {
        const outcome = outcomeAt({ ...held, dueAt: due.dueAt }, now);
        let isDone = false;
        if (outcome !== "running") yield* repository.pass(campaign, due.id, outcome, now);
        else {
          for (const { sourceId } of yield* repository.start(campaign, due, window, now)) {
            yield* isEverybody
              ? repository.cutEverybody(campaign, sourceId, held.lastDeviceKey, size)
              : repository.cutLater(campaign, sourceId, audience);
            // With no device at all there is nothing to carry out.
            isDone = (yield* batches.finish({ ...campaign, sourceId }, now)).length > 0;
          }
        }
        const lagMillis = now - due.dueAt;
        decided.push({ workspace: held.workspace, send: due.id, outcome, isDone, lagMillis });
      }
      return decided;
    }, database.atomically);

    const tell = Effect.fnUntraced(function* (campaign: SendingCampaign, decided: Decided) {
      const { isDone, lagMillis, outcome, send, workspace } = decided;
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

    const startCampaign = Effect.fnUntraced(function* (campaign: SendingCampaign) {
      for (const decided of yield* decide(campaign)) yield* tell(campaign, decided);
    });
    const attributesOf = ({ campaignId, environment }: SendingCampaign) => ({
      "waypost.environment": environment,
      "waypost.campaign": campaignId,
    });

    return {
      /**
       * Starts every send whose minute has come, of one campaign the older notification first, and gives the epoch milliseconds
       * of the next minute, null for none. One campaign that fails holds up no other.
       */
      startDue: Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis;
        const seen = new Set<string>();
        while (true) {
          const due = yield* repository.dueCampaigns(now, page);
          const fresh = due.filter(({ campaignId }) => !seen.has(campaignId));
          if (fresh.length === 0) break;
          for (const { campaignId } of fresh) seen.add(campaignId);
          yield* Effect.forEach(
            fresh,
            (campaign) =>
              startCampaign(campaign).pipe(
                Effect.withSpan("send.start", { root: true, attributes: attributesOf(campaign) }),
                Effect.ignoreCause({ log: "Error" }),
              ),
            { concurrency: sideBySide, discard: true },
          );
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
