import { Clock, Effect } from "effect";
import { Activity } from "../activity/Activity.ts";
import { firstDay, lastInstant } from "../campaigns/recurrence/Occurrences.ts";
import { type PlannedCampaign, SendPlan } from "../campaigns/SendPlan.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import type { TimeOfDay } from "../time/LocalTime.ts";
import { idAt, NotificationId } from "../wire/Ids.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Contents } from "./Contents.ts";
import { ContentsSql } from "./ContentsSql.ts";
import type { MessageContent } from "./MessageContent.ts";
import { notificationChange } from "./NotificationActivity.ts";
import { type NotificationRow, NotificationsSql } from "./NotificationsSql.ts";
import { questionsWithIds } from "./QuestionMatching.ts";
import { triggerOf } from "./ShownTrigger.ts";

/**
 * Makes the function that copies a notification of any tenant to a campaign: everything that is stored of its
 * content and its trigger. `media` has the files of the campaign's tenant by those of the notification's. The
 * caller has locked the tenant, and checked the plan. A time that has passed is kept, and no send is planned
 * for it.
 */
export const notificationCopier = Effect.gen(function* () {
  const contents = yield* Contents;
  const contentsRepository = yield* ContentsSql;
  const repository = yield* NotificationsSql;
  const sends = yield* SendPlan;
  const activity = yield* Activity;

  return Effect.fnUntraced(function* (
    tenant: Tenant,
    campaign: PlannedCampaign,
    row: NotificationRow,
    media: ReadonlyMap<string, string>,
  ) {
    const now = yield* Clock.currentTimeMillis;
    const id = NotificationId(idAt(now));
    const questions = questionsWithIds(row.questions ?? [], [], () => idAt(now));
    const withFile = <Part extends { readonly media_asset_id: string | null }>(part: Part) => {
      const { media_asset_id: file } = part;
      return { ...part, media_asset_id: file === null ? null : (media.get(file) ?? null) };
    };
    const content: MessageContent = { ...withFile(row), questions, variants: row.variants.map(withFile) };
    yield* pipelined(contentsRepository.insert(tenant, id, row.name, content, now));
    yield* pipelined(repository.attach(tenant, idAt(now), campaign.id, id, row, now));
    const { late, sendAt } = row;
    const { recurrence, timezone } = campaign;
    const isToCome = (time: TimeOfDay) =>
      recurrence !== null || lastInstant(timezone, firstDay(campaign), { sendAt: time, late }) > now;
    if (sendAt !== null && isToCome(sendAt))
      yield* sends.scheduleFirst(tenant, campaign, id, { sendAt, late }, now);
    const copied = yield* repository.find(tenant, campaign.id, id);
    if (copied === null) return yield* Effect.die(new Error("A copied notification is not stored"));
    const shown = { ...contents.shown(copied), ...triggerOf(copied) };
    yield* activity.record(tenant, notificationChange("create", null, shown));
  });
});
