import { Clock, Context, Effect, Layer } from "effect";
import { Database } from "../database/Database.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import { Forbidden, NotFound, Unprocessable } from "../wire/ApiError.ts";
import { idAt, isUuid } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import { environmentName } from "../workspaces/Environment.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { CallToAction } from "./CallToAction.ts";
import { checkContent, contentOf } from "./ContentRules.ts";
import { type ContentRow, ContentsRepository, type ListedContentRow } from "./ContentsRepository.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { Content } from "./Notification.ts";
import type { ContentDraft, SentContent } from "./NotificationDraft.ts";
import { showQuestion } from "./Survey.ts";
import { counted } from "../wire/Text.ts";

/** What notifications say, one for as many campaigns as it is put on, or for none (contract F4–F8). */
export class Contents extends Context.Service<Contents>()("waypost/notifications/Contents", {
  make: Effect.gen(function* () {
    const database = yield* Database;
    const repository = yield* ContentsRepository;
    const workspaces = yield* Workspaces;
    const callToAction = yield* CallToAction;
    const library = yield* MediaLibrary;
    const { media: mediaBase } = yield* PublicAddresses;

    /** The fields of a content that every answer shows alike. */
    const shown = (row: ContentRow) => ({
      id: row.id,
      name: row.name,
      type: row.type,
      headline: row.headline,
      body: row.body,
      media_asset_id: row.media_asset_id,
      media: shownMedia(mediaBase, row.media),
      cta_label: row.cta_label,
      cta_url: row.cta_url,
      questions: (row.questions ?? []).map(showQuestion),
      created_at: row.created_at,
      updated_at: row.updated_at,
    });

    const show = (row: ListedContentRow): Content => ({ ...shown(row), campaign_ids: row.campaign_ids });

    const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
      const row = isUuid(id) ? yield* repository.find(tenant, id) : null;
      return row ?? (yield* NotFound.resource("notification"));
    });

    /** The content with the campaigns that it is on. @throws 404 */
    const find = (tenant: Tenant, id: string) => Effect.map(findRow(tenant, id), show);

    /** Asks the network whether the button's address can be opened: before a transaction, for that can take seconds. */
    const checkButton = Effect.fnUntraced(function* ({ fields, problems }: SentContent) {
      const { cta_url } = fields;
      if (cta_url === undefined || cta_url === null) return;
      const problem = yield* outsideTransaction(`cta_url ${cta_url}`, callToAction.check(cta_url));
      if (problem !== null) problems.add("cta_url", problem);
    });

    /** A survey that has answers stays one: they would be answers to nothing (contract F4). */
    const checkAnswered = Effect.fnUntraced(function* (
      tenant: Tenant,
      row: ContentRow,
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

    /**
     * Adds everything wrong with a content, but its button, to its problems; `row` is what it replaces, null for a new one.
     * Gives the kind of its media file, which stays while the tenant is locked; null for none, or one that is not here.
     */
    const check = Effect.fnUntraced(function* (tenant: Tenant, sent: SentContent, row: ContentRow | null) {
      const { media_asset_id: id } = sent.fields;
      const media = id === undefined || id === null ? null : yield* library.kindOf(tenant, id);
      checkContent(sent, row === null ? null : storedContent(row), media, tenant.workspace.plan);
      if (row !== null) yield* checkAnswered(tenant, row, sent);
      return media;
    });

    /** Refuses one content more than the plan allows; holds only while the tenant is locked (contract F8). */
    const checkLimit = Effect.fnUntraced(function* (tenant: Tenant) {
      const most = tenant.workspace.plan.max_notifications;
      if (most === null) return;
      const count = yield* repository.count(tenant);
      if (count < most) return;
      return yield* Forbidden.limit(
        "max_notifications",
        `The plan allows ${counted(most, "notification")} in ${environmentName(tenant.environment)}, ` +
          `and there are ${count}: delete one first.`,
      );
    });

    /** Stores a new content; gives its id. */
    const add = Effect.fnUntraced(function* (
      tenant: Tenant,
      draft: ContentDraft,
      media: MediaKind | null,
      now: number,
    ) {
      const id = idAt(now);
      const content = contentOf(draft, null, media, () => idAt(now));
      yield* repository.insert(tenant, id, draft.name, content, now);
      return id;
    });

    /** Gives a content its new revision, for all its campaigns (contract F7). */
    const revise = (
      tenant: Tenant,
      row: ContentRow,
      draft: ContentDraft,
      media: MediaKind | null,
      now: number,
    ) =>
      repository.revise(
        tenant,
        row.id,
        draft.name,
        contentOf(draft, storedContent(row), media, () => idAt(now)),
        now,
      );

    const insert = Effect.fnUntraced(function* (tenant: Tenant, sent: SentContent) {
      yield* workspaces.lock(tenant);
      const media = yield* check(tenant, sent, null);
      const draft = (yield* sent.complete) as ContentDraft;
      yield* checkLimit(tenant);
      const id = yield* add(tenant, draft, media, yield* Clock.currentTimeMillis);
      return yield* Effect.orDie(find(tenant, id));
    }, database.atomically);

    const replace = Effect.fnUntraced(function* (tenant: Tenant, id: string, sent: SentContent) {
      yield* workspaces.lock(tenant);
      const row = yield* findRow(tenant, id);
      const media = yield* check(tenant, sent, row);
      const draft = (yield* sent.complete) as ContentDraft;
      yield* revise(tenant, row, draft, media, yield* Clock.currentTimeMillis);
      return yield* Effect.orDie(find(tenant, row.id));
    }, database.atomically);

    return {
      shown,
      checkButton,
      check,
      checkLimit,
      add,
      revise,
      find,

      /** Deletes a content that is on no campaign; what was sent of it stays readable. */
      deleteUnused: (tenant: Tenant, id: string) => repository.deleteUnused(tenant, id),

      /** All contents, on campaigns or not, newest first. */
      page: (tenant: Tenant, position: PagePosition) =>
        Effect.map(repository.page(tenant, position), (rows) => rows.map(show)),

      /** Makes content that is on no campaign yet. @throws 422 with everything wrong at once, 403 for the plan */
      create: Effect.fn("Contents.create")(function* (tenant: Tenant, sent: SentContent) {
        yield* checkButton(sent);
        return yield* insert(tenant, sent);
      }),

      /** Puts the draft in the place of the whole content, for all its campaigns (contract F7). @throws 404, 422 */
      update: Effect.fn("Contents.update")(function* (tenant: Tenant, id: string, sent: SentContent) {
        yield* findRow(tenant, id);
        yield* checkButton(sent);
        return yield* replace(tenant, id, sent);
      }),

      /** Deletes a content that is on no campaign; one that is on any is refused. @throws 404, 422 */
      delete: Effect.fn("Contents.delete")(function* (tenant: Tenant, id: string) {
        yield* workspaces.lock(tenant);
        const row = yield* findRow(tenant, id);
        if (row.campaign_ids.length > 0) {
          const ids = row.campaign_ids.slice(0, mostNamed).join(", ");
          const more = row.campaign_ids.length > mostNamed ? " and others" : "";
          return yield* Unprocessable.validation({
            notification: [`The notification is on campaigns (${ids}${more}): detach it from them first.`],
          });
        }
        yield* repository.deleteUnused(tenant, row.id);
        return { id: row.id, deleted: true as const };
      }, database.atomically),
    };
  }),
}) {
  static readonly layer = Layer.effect(Contents, Contents.make).pipe(Layer.provide(CallToAction.layer));
}

/** Most campaigns that a refusal names. */
const mostNamed = 10;

const storedContent = (row: ContentRow): MessageContent => ({
  type: row.type,
  headline: row.headline,
  body: row.body,
  cta_label: row.cta_label,
  cta_url: row.cta_url,
  media_asset_id: row.media_asset_id,
  media_kind: row.media_kind,
  questions: row.questions ?? [],
});
