import { Clock, Context, Effect, Layer } from "effect";
import type { FoundCampaign } from "../campaigns/Campaign.ts";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { SendPlan } from "../campaigns/SendPlan.ts";
import { Database } from "../database/Database.ts";
import { Forbidden, NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { ParsedBody } from "../wire/ParsedBody.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { Contents } from "./Contents.ts";
import type { Notification } from "./Notification.ts";
import type { NotificationDraft, SentNotification, TriggerDraft } from "./NotificationDraft.ts";
import { type NotificationRow, NotificationsRepository } from "./NotificationsRepository.ts";
import { resolveTrigger, showSendAt, type Trigger } from "./Trigger.ts";
import { counted } from "../wire/Text.ts";

/** Notifications on the campaigns of one environment of a workspace: content, and what sets it off (contract F1–F8). */
export class Notifications extends Context.Service<Notifications>()("waypost/notifications/Notifications", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* NotificationsRepository;
    const workspaces = yield* Workspaces;
    const campaigns = yield* Campaigns;
    const sends = yield* SendPlan;
    const contents = yield* Contents;

    const show = (row: NotificationRow): Notification => ({ ...contents.shown(row), ...triggerOf(row) });

    const findRow = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, id: string) {
      const row = isUuid(campaignId) && isUuid(id) ? yield* repository.find(tenant, campaignId, id) : null;
      if (row !== null) return row;
      yield* campaigns.find(tenant, campaignId);
      return yield* NotFound.resource("notification");
    });

    /** Refuses one notification more on the campaign than the plan allows; holds only while the tenant is locked (F8). */
    const checkRoom = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string) {
      const most = tenant.workspace.plan.max_notifications_per_campaign;
      if (most === null) return;
      const count = yield* repository.count(tenant, campaignId);
      if (count < most) return;
      return yield* Forbidden.limit(
        "max_notifications_per_campaign",
        `The plan allows ${counted(most, "notification")} on a campaign, and this one has ${count}: take one off first.`,
      );
    });

    const put = Effect.fnUntraced(function* (
      tenant: Tenant,
      campaign: FoundCampaign,
      id: string,
      trigger: Trigger,
      now: number,
    ) {
      yield* repository.attach(tenant, idAt(now), campaign.id, id, trigger, now);
      if (trigger.sendAt !== null) yield* sends.schedule(tenant, campaign, id, trigger.sendAt, now);
      return show(yield* Effect.orDie(findRow(tenant, campaign.id, id)));
    });

    const takeOff = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, id: string) {
      // Two that take it off the last two campaigns at once would each leave it to the other.
      yield* workspaces.lock(tenant);
      const row = yield* findRow(tenant, campaignId, id);
      yield* repository.detach(tenant, row.campaign_id, row.id);
      yield* sends.cancel(tenant, row.campaign_id, row.id, yield* Clock.currentTimeMillis);
      return row.id;
    });

    const insert = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, sent: SentNotification) {
      yield* workspaces.lock(tenant);
      const campaign = yield* campaigns.find(tenant, campaignId);
      const now = yield* Clock.currentTimeMillis;
      const media = yield* contents.check(tenant, sent, null);
      const trigger = resolveTrigger(sent, campaign, null, now);
      const draft = (yield* sent.complete) as NotificationDraft;
      yield* contents.checkLimit(tenant);
      yield* checkRoom(tenant, campaign.id);
      const id = yield* contents.add(tenant, draft, media, now);
      return yield* put(tenant, campaign, id, trigger, now);
    }, database.atomically);

    const replace = Effect.fnUntraced(function* (
      tenant: Tenant,
      campaignId: string,
      id: string,
      sent: SentNotification,
    ) {
      yield* workspaces.lock(tenant);
      const campaign = yield* campaigns.find(tenant, campaignId);
      const row = yield* findRow(tenant, campaignId, id);
      const now = yield* Clock.currentTimeMillis;
      const media = yield* contents.check(tenant, sent, row);
      const trigger = resolveTrigger(sent, campaign, row.send_at, now);
      const draft = (yield* sent.complete) as NotificationDraft;
      yield* contents.revise(tenant, row, draft, media, now);
      yield* repository.setTrigger(tenant, campaign.id, row.id, trigger, now);
      if (trigger.sendAt !== null) yield* sends.schedule(tenant, campaign, row.id, trigger.sendAt, now);
      return show(yield* Effect.orDie(findRow(tenant, campaign.id, row.id)));
    }, database.atomically);

    return {
      /** All notifications of a campaign, oldest first by when they were put on it (contract D5). @throws 404 */
      list: Effect.fnUntraced(function* (tenant: Tenant, campaignId: string) {
        const rows = isUuid(campaignId) ? yield* repository.list(tenant, campaignId) : [];
        if (rows.length === 0) yield* campaigns.find(tenant, campaignId);
        return rows.map(show);
      }),

      /** One notification of a campaign. @throws 404 */
      find: (tenant: Tenant, campaignId: string, id: string) =>
        Effect.map(findRow(tenant, campaignId, id), show),

      /** Makes content and puts it on a campaign. @throws 404, 422 with everything wrong at once, 403 for the plan */
      create: Effect.fn("Notifications.create")(function* (
        tenant: Tenant,
        campaignId: string,
        sent: SentNotification,
      ) {
        yield* campaigns.find(tenant, campaignId);
        yield* contents.checkButton(sent);
        return yield* insert(tenant, campaignId, sent);
      }),

      /** Changes the content, for all its campaigns, and the trigger on this one (contract F7). @throws 404, 422 */
      update: Effect.fn("Notifications.update")(function* (
        tenant: Tenant,
        campaignId: string,
        id: string,
        sent: SentNotification,
      ) {
        yield* findRow(tenant, campaignId, id);
        yield* contents.checkButton(sent);
        return yield* replace(tenant, campaignId, id, sent);
      }),

      /** Takes a notification off a campaign, and deletes it if it is then on none. @throws 404 */
      delete: Effect.fn("Notifications.delete")(function* (tenant: Tenant, campaignId: string, id: string) {
        const gone = yield* takeOff(tenant, campaignId, id);
        yield* contents.deleteUnused(tenant, gone);
        return { id: gone, deleted: true as const };
      }, database.atomically),

      /** Both must be there for the one to be put on the other. @throws 404 */
      checkPair: Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, id: string) {
        yield* campaigns.find(tenant, campaignId);
        yield* contents.find(tenant, id);
      }),

      /** Puts content that is there on one campaign more (contract F7). @throws 404, 422, 403 for the plan */
      attach: Effect.fn("Notifications.attach")(function* (
        tenant: Tenant,
        campaignId: string,
        id: string,
        sent: ParsedBody<TriggerDraft>,
      ) {
        yield* workspaces.lock(tenant);
        const campaign = yield* campaigns.find(tenant, campaignId);
        const content = yield* contents.find(tenant, id);
        const now = yield* Clock.currentTimeMillis;
        const trigger = resolveTrigger(sent, campaign, null, now);
        if (content.campaign_ids.includes(campaign.id)) {
          sent.problems.add(
            "notification",
            "The notification is on this campaign already: change its trigger there, or detach it first.",
          );
        }
        yield* sent.complete;
        yield* checkRoom(tenant, campaign.id);
        return yield* put(tenant, campaign, content.id, trigger, now);
      }, database.atomically),

      /** Takes a notification off a campaign and keeps its content, also on no campaign. @throws 404 */
      detach: Effect.fn("Notifications.detach")(function* (tenant: Tenant, campaignId: string, id: string) {
        return yield* contents.find(tenant, yield* takeOff(tenant, campaignId, id));
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(Notifications, Notifications.make);
}

const triggerOf = (row: NotificationRow) => ({
  campaign_id: row.campaign_id,
  trigger_type: row.trigger_type,
  trigger_config:
    row.send_at === null
      ? null
      : {
          send_at: showSendAt({ timezone: row.timezone, startsAtMs: row.campaign_starts_ms }, row.send_at),
        },
  starts_at: row.starts_at,
  ends_at: row.ends_at,
});
