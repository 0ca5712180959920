import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import type { StoredCampaign } from "../campaigns/StoredCampaign.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { SendPlan } from "../campaigns/SendPlan.ts";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { checkVersion, versionTag } from "../http/ResourceVersion.ts";
import {
  type Conflict,
  type Forbidden,
  NotFound,
  type PreconditionFailed,
  type Unprocessable,
} from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { CampaignId, idAt, NotificationId, parseId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { type ChangeRefused, Contents } from "./Contents.ts";
import type { Content, Notification } from "./Notification.ts";
import type { NotificationBody } from "./NotificationDraft.ts";
import { attachmentChange, notificationChange } from "./NotificationActivity.ts";
import { campaignLimitProblem, checkLimits } from "./NotificationLimits.ts";
import { type NotificationRow, NotificationsSql } from "./NotificationsSql.ts";
import { triggerOf } from "./ShownTrigger.ts";
import { hasSlowTexts } from "./templates/ButtonAddresses.ts";
import { resolveTrigger, type Trigger } from "./Trigger.ts";
import type { TriggerBody } from "./TriggerDraft.ts";
import { fixedVariants } from "./variants/FixedVariants.ts";

/** A method for a notification on a campaign. */
type OfPair<A, E, Body extends ReadonlyArray<unknown> = []> = (
  ...of: [tenant: Tenant, campaignId: string, id: string, ...Body]
) => Effect.Effect<A, E>;

/** Notifications on the campaigns of one environment: their content and their triggers (contract F1–F8). */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** All notifications of a campaign, in the order of their attachment (contract D5). @throws 404 */
    readonly list: (
      tenant: Tenant,
      campaignId: string,
    ) => Effect.Effect<ReadonlyArray<Notification>, NotFound>;
    /** The same as it is stored, for a copy. */
    readonly rows: NotificationsSql["Service"]["list"];
    /** One notification of a campaign. @throws 404 */
    readonly find: OfPair<Notification, NotFound>;
    /** Creates content and attaches it to a campaign. @throws 404, 422 with all problems, 403 for the plan */
    readonly create: (
      tenant: Tenant,
      campaignId: string,
      body: NotificationBody,
    ) => Effect.Effect<Notification, NotFound | Unprocessable | Forbidden>;
    /**
     * Changes the content for all its campaigns, and the trigger on this one (contract F7). @throws 404, 409,
     * 412, 422
     */
    readonly update: OfPair<Notification, ChangeRefused, [body: NotificationBody]>;
    /** Detaches a notification from a campaign, and deletes it if it is on no other. @throws 404, 409, 412 */
    readonly delete: OfPair<DeletedResource, Conflict | NotFound | PreconditionFailed>;
    /** Checks that the campaign and the notification exist. @throws 404 */
    readonly checkPair: OfPair<void, NotFound>;
    /** Attaches existing content to one more campaign (contract F7). @throws 404, 422, 403 for the plan */
    readonly attach: OfPair<Notification, NotFound | Unprocessable | Forbidden, [body: TriggerBody]>;
    /** Detaches a notification from a campaign and keeps its content. @throws 404, 409 */
    readonly detach: OfPair<Content, Conflict | NotFound>;
  }
>()("waypost/notifications/Notifications") {
  static readonly layer = Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* NotificationsSql;
      const workspaces = yield* Workspaces;
      const campaigns = yield* Campaigns;
      const sends = yield* SendPlan;
      const contents = yield* Contents;
      const activity = yield* Activity;
      const { checkLeaving } = yield* fixedVariants;

      const show = (row: NotificationRow): Notification => ({ ...contents.shown(row), ...triggerOf(row) });

      const findRow = Effect.fnUntraced(function* (tenant: Tenant, campaign: string, notification: string) {
        const [campaignId, id] = [parseId(CampaignId, campaign), parseId(NotificationId, notification)];
        const row = campaignId && id && (yield* repository.find(tenant, campaignId, id));
        if (row !== null) return row;
        yield* campaigns.find(tenant, campaign);
        return yield* NotFound.resource("notification");
      });

      /** The notification to change, in the version that the request expects. Needs the tenant's lock. */
      const findToChange = Effect.fnUntraced(function* (tenant: Tenant, campaign: string, id: string) {
        const row = yield* findRow(tenant, campaign, id);
        yield* checkVersion("notification", () => versionTag(show(row)));
        return row;
      });

      /** Schedules the send of a push notification and gives the notification as it is stored. */
      const scheduled = Effect.fnUntraced(function* (
        schedule: typeof sends.schedule,
        tenant: Tenant,
        campaign: StoredCampaign,
        id: NotificationId,
        { late, sendAt }: Trigger,
        now: number,
      ) {
        if (sendAt !== null) yield* schedule(tenant, campaign, id, { sendAt, late }, now);
        return show(yield* Effect.orDie(findRow(tenant, campaign.id, id)));
      });

      /** The lock prevents that two requests take it off its last two campaigns and both keep it. */
      const detach = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, id: string) {
        yield* workspaces.lock(tenant);
        const row = yield* findRow(tenant, campaignId, id);
        yield* checkLeaving(tenant, row);
        yield* repository.detach(tenant, row.campaign_id, row.id);
        yield* sends.cancel(tenant, row.campaign_id, row.id, yield* Clock.currentTimeMillis);
        return row;
      });

      const insert = Effect.fnUntraced(function* (
        tenant: Tenant,
        campaignId: string,
        body: NotificationBody,
      ) {
        yield* pipelined(workspaces.lock(tenant));
        const [campaign, media, totalProblem, campaignProblem] = yield* Effect.all(
          [
            campaigns.find(tenant, campaignId),
            contents.check(tenant, body, null),
            contents.limitProblem(tenant),
            campaignLimitProblem(repository, tenant, campaignId),
          ],
          { concurrency: "unbounded" },
        );
        const now = yield* Clock.currentTimeMillis;
        const trigger = resolveTrigger(body, campaign, null, now);
        const draft = yield* body.complete;
        yield* checkLimits({
          max_notifications: totalProblem,
          max_notifications_per_campaign: campaignProblem,
        });
        const id = yield* contents.add(tenant, draft, media, now);
        yield* pipelined(repository.attach(tenant, idAt(now), campaign.id, id, trigger, now));
        const notification = yield* scheduled(sends.scheduleFirst, tenant, campaign, id, trigger, now);
        yield* activity.record(tenant, notificationChange("create", null, notification));
        return notification;
      }, database.atomically);

      const replace = Effect.fnUntraced(function* (
        tenant: Tenant,
        campaignId: string,
        id: string,
        body: NotificationBody,
      ) {
        yield* workspaces.lock(tenant);
        const campaign = yield* campaigns.find(tenant, campaignId);
        const row = yield* findToChange(tenant, campaignId, id);
        const now = yield* Clock.currentTimeMillis;
        const media = yield* contents.check(tenant, body, row);
        const trigger = resolveTrigger(body, campaign, row.sendAt, now);
        const draft = yield* body.complete;
        yield* contents.revise(tenant, row, draft, media, now);
        yield* repository.setTrigger(tenant, campaign.id, row.id, trigger, now);
        const notification = yield* scheduled(sends.schedule, tenant, campaign, row.id, trigger, now);
        yield* activity.record(tenant, notificationChange("update", show(row), notification));
        return notification;
      }, database.atomically);

      return Notifications.of({
        rows: repository.list,
        list: Effect.fn("Notifications.list")(function* (tenant, campaignId) {
          const campaign = parseId(CampaignId, campaignId);
          const rows = campaign === null ? [] : yield* repository.list(tenant, campaign);
          if (rows.length === 0) yield* campaigns.find(tenant, campaignId);
          return rows.map(show);
        }),

        find: (tenant, campaignId, id) => Effect.map(findRow(tenant, campaignId, id), show),

        create: Effect.fn("Notifications.create")(function* (tenant, campaignId, body) {
          // The check of texts takes long, so it is made only for a campaign that exists.
          if (hasSlowTexts(body)) yield* campaigns.find(tenant, campaignId);
          yield* contents.checkTexts(body);
          return yield* insert(tenant, campaignId, body);
        }),

        update: Effect.fn("Notifications.update")(function* (tenant, campaignId, id, sent) {
          const row = yield* findRow(tenant, campaignId, id);
          const body = yield* contents.withKept(tenant, row, sent);
          yield* contents.checkTexts(body);
          return yield* replace(tenant, campaignId, id, body);
        }),

        delete: Effect.fn("Notifications.delete")(function* (tenant, campaignId, id) {
          yield* workspaces.lock(tenant);
          yield* findToChange(tenant, campaignId, id);
          const detached = yield* detach(tenant, campaignId, id);
          const isDeleted = yield* contents.deleteUnused(tenant, detached.id);
          yield* activity.record(
            tenant,
            isDeleted
              ? notificationChange("delete", show(detached), null)
              : attachmentChange("detach", show(detached), null),
          );
          return { id: detached.id, deleted: true as const };
        }, database.atomically),

        checkPair: (tenant, campaignId, id) =>
          Effect.andThen(campaigns.find(tenant, campaignId), Effect.asVoid(contents.find(tenant, id))),

        attach: Effect.fn("Notifications.attach")(function* (tenant, campaignId, id, body) {
          yield* workspaces.lock(tenant);
          const campaign = yield* campaigns.find(tenant, campaignId);
          const content = yield* contents.find(tenant, id);
          const now = yield* Clock.currentTimeMillis;
          const trigger = resolveTrigger(body, campaign, null, now);
          if (content.campaign_ids.includes(campaign.id)) {
            body.problems.add(
              "notification",
              "The notification is on this campaign already: change its trigger there, or detach it first.",
            );
          }
          yield* body.complete;
          yield* checkLimits({
            max_notifications_per_campaign: yield* campaignLimitProblem(repository, tenant, campaign.id),
          });
          yield* repository.attach(tenant, idAt(now), campaign.id, content.id, trigger, now);
          const attached = yield* scheduled(sends.scheduleFirst, tenant, campaign, content.id, trigger, now);
          yield* activity.record(tenant, attachmentChange("attach", null, attached));
          return attached;
        }, database.atomically),

        detach: Effect.fn("Notifications.detach")(function* (tenant, campaignId, id) {
          const detached = yield* detach(tenant, campaignId, id);
          yield* activity.record(tenant, attachmentChange("detach", show(detached), null));
          return yield* contents.find(tenant, detached.id);
        }, database.atomically),
      });
    }),
  );
}
