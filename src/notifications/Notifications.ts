import { Clock, Context, Effect, Layer } from "effect";
import { Campaigns } from "../campaigns/Campaigns.ts";
import { SendPlan } from "../campaigns/SendPlan.ts";
import { Database } from "../database/Database.ts";
import { errand } from "../http/Errand.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import { Forbidden, NotFound } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { CallToAction } from "./CallToAction.ts";
import { checkContent, contentOf } from "./ContentRules.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { Notification } from "./Notification.ts";
import type { NotificationDraft, SentContent, SentNotification } from "./NotificationDraft.ts";
import { type NotificationRow, NotificationsSql } from "./NotificationsSql.ts";
import { showQuestion } from "./Survey.ts";
import { resolveTrigger, showSendAt } from "./Trigger.ts";

/** Notifications on the campaigns of one environment of a workspace: content, and what sets it off (contract F1–F8). */
export class Notifications extends Context.Service<Notifications>()("waypost/notifications/Notifications", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* NotificationsSql;
    const workspaces = yield* Workspaces;
    const campaigns = yield* Campaigns;
    const sends = yield* SendPlan;
    const callToAction = yield* CallToAction;
    const library = yield* MediaLibrary;
    const { media: mediaBase } = yield* PublicAddresses;

    const show = (row: NotificationRow) => notificationOf(row, mediaBase);

    const findRow = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, id: string) {
      const [row] = isUuid(campaignId) && isUuid(id) ? yield* repository.find(tenant, campaignId, id) : [];
      if (row !== undefined) return row;
      yield* campaigns.find(tenant, campaignId);
      return yield* NotFound.resource("notification");
    });

    /** Asks the network whether the button's address can be opened: before a transaction, for that can take seconds. */
    const checkButton = Effect.fnUntraced(function* ({ fields, problems }: SentContent) {
      const { cta_url } = fields;
      if (cta_url === undefined || cta_url === null) return;
      const problem = yield* errand(`cta_url ${cta_url}`, callToAction.check(cta_url));
      if (problem !== null) problems.add("cta_url", problem);
    });

    /** What the content's media file is; null for none, or one that is not here. It stays while the tenant is locked. */
    const findMedia = (tenant: Tenant, { fields }: SentContent) =>
      fields.media_asset_id === undefined || fields.media_asset_id === null
        ? Effect.succeed(null)
        : library.kindOf(tenant, fields.media_asset_id);

    /** Refuses one notification more than the plan allows; holds only while the tenant is locked (contract F8). */
    const checkLimits = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string) {
      const { max_notifications, max_notifications_per_campaign } = tenant.workspace.plan;
      if (max_notifications === null && max_notifications_per_campaign === null) return;
      const { attachments, contents } = yield* repository.counts(tenant, campaignId);
      if (max_notifications !== null && contents >= max_notifications) {
        return yield* Forbidden.limit(
          "max_notifications",
          `The plan allows ${max_notifications} notifications in ${environmentName(tenant.environment)}, ` +
            `and there are ${contents}: delete one first.`,
        );
      }
      if (max_notifications_per_campaign !== null && attachments >= max_notifications_per_campaign) {
        return yield* Forbidden.limit(
          "max_notifications_per_campaign",
          `The plan allows ${max_notifications_per_campaign} notifications on a campaign, ` +
            `and this one has ${attachments}: take one off first.`,
        );
      }
    });

    /** A survey that has answers stays one: they would be answers to nothing (contract F4). */
    const checkAnswered = Effect.fnUntraced(function* (
      tenant: Tenant,
      row: NotificationRow,
      { fields, problems }: SentContent,
    ) {
      if (row.type !== "survey" || fields.type !== "message") return;
      if (yield* repository.hasAnswers(tenant, row.id)) {
        problems.add(
          "type",
          "The type of a survey that has answers must stay survey: make a new notification for a message.",
        );
      }
    });

    const insert = Effect.fnUntraced(function* (tenant: Tenant, campaignId: string, sent: SentNotification) {
      yield* workspaces.lock(tenant);
      const campaign = yield* campaigns.find(tenant, campaignId);
      const now = yield* Clock.currentTimeMillis;
      const mediaKind = yield* findMedia(tenant, sent);
      checkContent(sent, null, mediaKind, tenant.workspace.plan);
      const trigger = resolveTrigger(sent, campaign, null, now);
      const draft = (yield* sent.complete) as NotificationDraft;
      yield* checkLimits(tenant, campaign.id);
      const id = idAt(now);
      yield* repository.insert(
        tenant,
        id,
        draft.name,
        contentOf(draft, null, mediaKind, () => idAt(now)),
        now,
      );
      yield* repository.attach(tenant, idAt(now), campaign.id, id, trigger, now);
      if (trigger.sendAt !== null) yield* sends.schedule(tenant, campaign, id, trigger.sendAt, now);
      return show(yield* Effect.orDie(findRow(tenant, campaign.id, id)));
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
      const stored = storedContent(row);
      const mediaKind = yield* findMedia(tenant, sent);
      checkContent(sent, stored, mediaKind, tenant.workspace.plan);
      yield* checkAnswered(tenant, row, sent);
      const trigger = resolveTrigger(sent, campaign, row.send_at, now);
      const draft = (yield* sent.complete) as NotificationDraft;
      const content = contentOf(draft, stored, mediaKind, () => idAt(now));
      yield* repository.revise(tenant, row.id, draft.name, content, now);
      yield* repository.retrigger(tenant, campaign.id, row.id, trigger, now);
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
        yield* checkButton(sent);
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
        yield* checkButton(sent);
        return yield* replace(tenant, campaignId, id, sent);
      }),

      /** Takes a notification off a campaign, and deletes it if it is then on none. @throws 404 */
      delete: Effect.fn("Notifications.delete")(function* (tenant: Tenant, campaignId: string, id: string) {
        // Two that take it off the last two campaigns at once would each leave it to the other.
        yield* workspaces.lock(tenant);
        const row = yield* findRow(tenant, campaignId, id);
        yield* repository.detach(tenant, row.campaign_id, row.id);
        yield* sends.cancel(tenant, row.campaign_id, row.id, yield* Clock.currentTimeMillis);
        yield* repository.deleteUnused(tenant, row.id);
        return { id: row.id, deleted: true as const };
      }, database.atomically),
    };
  }),
}) {
  static readonly layerNoDeps = Layer.effect(Notifications, Notifications.make);
  static readonly layer = Notifications.layerNoDeps.pipe(
    Layer.provide([NotificationsSql.layer, CallToAction.layer]),
  );
}

const storedContent = (row: NotificationRow): MessageContent => ({
  type: row.type,
  headline: row.headline,
  body: row.body,
  cta_label: row.cta_label,
  cta_url: row.cta_url,
  media_asset_id: row.media_asset_id,
  media_kind: row.media_kind,
  questions: row.questions ?? [],
});

const notificationOf = (row: NotificationRow, mediaBase: string): Notification => ({
  id: row.id,
  campaign_id: row.campaign_id,
  name: row.name,
  type: row.type,
  headline: row.headline,
  body: row.body,
  media_asset_id: row.media_asset_id,
  media: shownMedia(mediaBase, row.media),
  cta_label: row.cta_label,
  cta_url: row.cta_url,
  questions: (row.questions ?? []).map(showQuestion),
  trigger_type: row.trigger_type,
  trigger_config:
    row.send_at === null
      ? null
      : {
          send_at: showSendAt({ timezone: row.timezone, startsAtMs: row.campaign_starts_ms }, row.send_at),
        },
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  created_at: row.created_at,
  updated_at: row.updated_at,
});
