import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import type { StoredCampaign } from "../campaigns/StoredCampaign.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { Database } from "../database/Database.ts";
import { Conflict, type NotFound, type Unprocessable } from "../wire/ApiError.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { dateAt, daysOf } from "../time/LocalTime.ts";
import type { ExperimentDay, ExperimentStop, ShownExperiment } from "./ShownExperiment.ts";
import {
  type CountedArm,
  experimentDays,
  type ExperimentDesign,
  experimentFigures,
  isExperiment,
} from "./ExperimentFigures.ts";
import {
  type ExperimentState,
  CampaignExperimentsSql,
  type SplitNotificationRow,
} from "./CampaignExperimentsSql.ts";

/** Events may be dated so far ahead of the server's time. */
const maxAheadMs = 5 * 60_000;
const nobody: CountedArm = { enrolled: 0, delivered: 0, converted: 0 };

/** The experiments of campaigns. */
export class CampaignExperiments extends Context.Service<
  CampaignExperiments,
  {
    /** The figures of a campaign's experiment, exact at every moment. @throws 404 */
    readonly find: (tenant: Tenant, campaign: string) => Effect.Effect<ShownExperiment, NotFound>;
    /** Its arms at the end of each local day of the campaign. @throws 404 */
    readonly days: (
      tenant: Tenant,
      campaign: string,
    ) => Effect.Effect<ReadonlyArray<ExperimentDay>, NotFound>;
    /**
     * Stops the experiment: nobody is enrolled afterwards, and everybody gets the winner (contract U7). The
     * same stop again changes nothing. @throws 404, 409, 422
     */
    readonly stop: (
      tenant: Tenant,
      campaign: string,
      body: ParsedBody<ExperimentStop>,
    ) => Effect.Effect<ShownExperiment, NotFound | Conflict | Unprocessable>;
  }
>()("waypost/experiments/CampaignExperiments") {
  static readonly layer = Layer.effect(
    CampaignExperiments,
    Effect.gen(function* () {
      const database = yield* Database;
      const activity = yield* Activity;
      const campaigns = yield* Campaigns;
      const repository = yield* CampaignExperimentsSql;

      const designOf = (
        campaign: StoredCampaign,
        notifications: ReadonlyArray<SplitNotificationRow>,
      ): ExperimentDesign => ({
        holdout: campaign.holdout_percent,
        notifications,
        hasGoal: campaign.goal !== null,
      });

      const figures = Effect.fnUntraced(function* (
        tenant: Tenant,
        campaign: StoredCampaign,
        state: ExperimentState,
        notifications: ReadonlyArray<SplitNotificationRow>,
      ) {
        const rows = yield* repository.counts(tenant, state.key);
        const keys = new Map(notifications.map(({ id, notificationKey }) => [id, notificationKey as number]));
        const byArm = new Map(rows.map((row) => [`${row.notificationKey} ${row.arm}`, row]));
        const design = designOf(campaign, notifications);
        const isAny = isExperiment(design);
        return {
          goal: campaign.goal,
          status: !isAny ? "none" : state.stopped_at === null ? "running" : "stopped",
          started_at: isAny ? (rows.flatMap(({ startedAt }) => startedAt ?? []).toSorted()[0] ?? null) : null,
          stopped_at: state.stopped_at,
          winner: state.winner,
          ...experimentFigures(
            design,
            (id, key) => byArm.get(`${id === null ? 0 : (keys.get(id) ?? -1)} ${key}`) ?? nobody,
          ),
        } satisfies ShownExperiment;
      });

      return CampaignExperiments.of({
        find: Effect.fn("CampaignExperiments.find")(function* (tenant, id) {
          const campaign = yield* campaigns.find(tenant, id);
          const state = yield* repository.state(tenant, campaign.id, false);
          return yield* figures(
            tenant,
            campaign,
            state,
            yield* repository.notifications(tenant, campaign.id),
          );
        }),

        days: Effect.fn("CampaignExperiments.days")(function* (tenant, id) {
          const campaign = yield* campaigns.find(tenant, id);
          const notifications = yield* repository.notifications(tenant, campaign.id);
          const { key } = yield* repository.state(tenant, campaign.id, false);
          const { timezone } = campaign;
          const now = (yield* Clock.currentTimeMillis) + maxAheadMs;
          const first = dateAt(timezone, campaign.createdAt);
          const days = daysOf(timezone, first, dateAt(timezone, now));
          const starts = days.map(({ fromMs }) => fromMs);
          const keys = new Map(notifications.map((each) => [each.id, each.notificationKey as number]));
          const rows = new Map(
            (yield* repository.days(tenant, key, starts)).map((row) => [
              `${row.day - 1} ${row.notificationKey} ${row.arm}`,
              row,
            ]),
          );
          return experimentDays(
            designOf(campaign, notifications),
            days.map(({ date }) => date),
            (day, of, arm) => rows.get(`${day} ${of === null ? 0 : (keys.get(of) ?? -1)} ${arm}`),
          );
        }),

        stop: Effect.fn("CampaignExperiments.stop")(function* (tenant, id, body) {
          const campaign = yield* campaigns.find(tenant, id);
          const state = yield* repository.state(tenant, campaign.id, true);
          const notifications = yield* repository.notifications(tenant, campaign.id);
          const isAny = isExperiment(designOf(campaign, notifications));
          if (isAny && state.stopped_at === null) checkWinner(body, notifications);
          const stop = yield* body.complete;
          if (!isAny) return yield* notRunning;
          if (state.stopped_at === null) {
            const now = yield* Clock.currentTimeMillis;
            yield* repository.stop(tenant, campaign.id, stop, now);
            const { keep_holdout, winner } = stop;
            yield* activity.record(tenant, {
              action: "stop",
              resource: { type: "campaign", id: campaign.id, name: campaign.name },
              before: { experiment: "running" },
              after: { experiment: "stopped", winner, keep_holdout: keep_holdout ?? false },
            });
          } else if (!isSame(stop, state)) return yield* stoppedOtherwise;
          return yield* figures(
            tenant,
            campaign,
            yield* repository.state(tenant, campaign.id, false),
            notifications,
          );
        }, database.atomically),
      });
    }),
  ).pipe(Layer.provide(CampaignExperimentsSql.layer));
}

/** A winner is a variant, or `control`, of a notification of the campaign that has variants. */
const checkWinner = (
  { fields: { winner }, problems }: ParsedBody<ExperimentStop>,
  notifications: ReadonlyArray<SplitNotificationRow>,
): void => {
  if (winner === undefined || winner === null) return;
  const found = notifications.find(({ id }) => id === winner.notification_id.toLowerCase());
  if (found === undefined) {
    problems.add(
      "winner.notification_id",
      "The notification must be one of the campaign that has variants: send its id.",
    );
    return;
  }
  const keys = [...found.variants.map(({ key }) => key), "control"];
  if (!keys.includes(winner.key)) problems.add("winner.key", `The key must be one of ${keys.join(", ")}.`);
};

const isSame = ({ keep_holdout, winner }: ExperimentStop, state: ExperimentState): boolean =>
  (keep_holdout ?? false) === state.keep_holdout &&
  winner?.notification_id.toLowerCase() === state.winner?.notification_id &&
  winner?.key === state.winner?.key;

const notRunning = Conflict.of(
  "experiment_not_running",
  "The campaign has no experiment to stop: it has neither a holdout nor a notification with variants.",
);

const stoppedOtherwise = Conflict.of(
  "experiment_stopped",
  "The experiment has been stopped with another winner or holdout, which cannot change.",
);
