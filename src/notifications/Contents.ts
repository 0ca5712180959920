import { Clock, Context, Effect, Layer } from "effect";
import { Activity } from "../activity/Activity.ts";
import { Database } from "../database/Database.ts";
import { pipelined } from "../database/pool/TransactionConnection.ts";
import { outsideTransaction } from "../http/OutsideTransaction.ts";
import { PublicAddresses } from "../http/PublicAddresses.ts";
import { checkVersion, versionTag } from "../http/ResourceVersion.ts";
import { shownMedia } from "../media/MediaAddress.ts";
import { MediaLibrary } from "../media/MediaLibrary.ts";
import {
  type Conflict,
  Forbidden,
  NotFound,
  type PreconditionFailed,
  Unprocessable,
} from "../wire/ApiError.ts";
import type { DeletedResource } from "../wire/Envelope.ts";
import { idAt, NotificationId, parseId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { MediaKind } from "../workspaces/Plan.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import { Workspaces } from "../workspaces/Workspaces.ts";
import { contentChange } from "./NotificationActivity.ts";
import { checkContent, contentOf, type MediaKinds, mediaIdsOf } from "./ContentRules.ts";
import { type ContentRow, ContentsSql, type ListedContentRow } from "./ContentsSql.ts";
import { LinkCheck } from "./LinkCheck.ts";
import type { Content } from "./Notification.ts";
import { totalLimitProblem } from "./NotificationLimits.ts";
import type { ContentBody, ContentDraft } from "./NotificationDraft.ts";
import { showQuestion } from "./Survey.ts";
import { addressesToCheck } from "./templates/ButtonAddresses.ts";
import { checkTemplates } from "./templates/TemplateChecks.ts";
import { fixedVariants } from "./variants/FixedVariants.ts";
import { shownVariant } from "./variants/Variant.ts";

type ShownContent = Omit<Content, "id" | "campaign_ids"> & { readonly id: NotificationId };
type Refused = NotFound | PreconditionFailed | Unprocessable;
/** The refusals of a change. */
export type ChangeRefused = Refused | Conflict;
type ListedContent = Content & ShownContent & Pick<ListedContentRow, "campaign_ids">;

/** Content of notifications, which any number of campaigns can share (contract F4–F8). */
export class Contents extends Context.Service<
  Contents,
  {
    /** The fields of a content that all responses share. */
    readonly shown: (row: ContentRow) => ShownContent;
    /** The content with its campaigns. @throws 404 */
    readonly find: (tenant: Tenant, id: string) => Effect.Effect<ListedContent, NotFound>;
    /** All contents, newest first. */
    readonly page: (tenant: Tenant, position: PagePosition) => Effect.Effect<ReadonlyArray<Content>>;
    /** A body with the variants that it leaves out and keeps, if they are to be checked (contract U7). */
    readonly withKept: <A extends ContentBody>(tenant: Tenant, row: ContentRow, body: A) => Effect.Effect<A>;
    /**
     * Checks the templates, and that all addresses can be opened, and adds their problems. This runs before
     * the transaction: the addresses take up to five seconds together, and templates are parsed in slices.
     */
    readonly checkTexts: (body: ContentBody) => Effect.Effect<void>;
    /**
     * Checks all other rules and adds their problems; `row` is the content to replace, null for a new one.
     * Gives the kinds of the media files, which cannot be deleted while the tenant is locked.
     */
    readonly check: (tenant: Tenant, body: ContentBody, row: ContentRow | null) => Effect.Effect<MediaKinds>;
    /**
     * The sentence for `added` (1 if left out) more contents than `max_notifications` allows, or null
     * (contract F8). Needs the tenant's lock.
     */
    readonly limitProblem: (tenant: Tenant, added?: number) => Effect.Effect<string | null>;
    /** How many contents `max_notifications` counts. */
    readonly count: (tenant: Tenant) => Effect.Effect<number>;
    /** Stores a new content; gives its id. */
    readonly add: (
      ...content: [tenant: Tenant, draft: ContentDraft, media: MediaKinds, now: number]
    ) => Effect.Effect<NotificationId>;
    /**
     * Stores a new revision of a content, for all its campaigns (contract F7). While people are enrolled, the
     * split of its variants is kept. @throws 409 if the draft has another one
     */
    readonly revise: (
      ...change: [tenant: Tenant, row: ContentRow, draft: ContentDraft, media: MediaKinds, now: number]
    ) => Effect.Effect<void, Conflict>;
    /** Creates content that is on no campaign. @throws 422 with all problems, 403 for the plan */
    readonly create: (tenant: Tenant, body: ContentBody) => Effect.Effect<Content, Unprocessable | Forbidden>;
    /** Replaces the whole content, for all its campaigns (contract F7). @throws 404, 409, 412, 422 */
    readonly update: (tenant: Tenant, id: string, body: ContentBody) => Effect.Effect<Content, ChangeRefused>;
    /** Deletes a content that is on no campaign. @throws 404, 412, 422 */
    readonly delete: (tenant: Tenant, id: string) => Effect.Effect<DeletedResource, Refused>;
    /** Deletes a content if it is on no campaign, and says whether. Its deliveries keep its content. */
    readonly deleteUnused: (tenant: Tenant, id: NotificationId) => Effect.Effect<boolean>;
  }
>()("waypost/notifications/Contents") {
  static readonly layer = Layer.effect(
    Contents,
    Effect.gen(function* () {
      const database = yield* Database;
      const repository = yield* ContentsSql;
      const variants = yield* fixedVariants;
      const workspaces = yield* Workspaces;
      const links = yield* LinkCheck;
      const library = yield* MediaLibrary;
      const activity = yield* Activity;
      const { media: mediaBase } = yield* PublicAddresses;

      const listed = (row: ListedContentRow) => ({ ...contents.shown(row), campaign_ids: row.campaign_ids });
      const findRow = Effect.fnUntraced(function* (tenant: Tenant, id: string) {
        const notificationId = parseId(NotificationId, id);
        const row = notificationId && (yield* repository.find(tenant, notificationId));
        return row ?? (yield* NotFound.resource("notification"));
      });

      /** The content to change, in the version that the request expects. Needs the tenant's lock. */
      const findToChange = (tenant: Tenant, id: string) =>
        Effect.tap(findRow(tenant, id), (row) => checkVersion("notification", () => versionTag(listed(row))));

      /** A survey that has answers cannot become a message (contract F4). */
      const checkAnswered = Effect.fnUntraced(function* (
        tenant: Tenant,
        row: ContentRow,
        { fields, problems }: ContentBody,
      ) {
        if (row.type !== "survey" || fields.type !== "message") return;
        if (yield* repository.hasAnswers(tenant, row.id)) {
          problems.add(
            "type",
            "The type of a survey that has answers must stay survey: make a new notification for a message.",
          );
        }
      });

      const insert = Effect.fnUntraced(function* (tenant: Tenant, body: ContentBody) {
        yield* workspaces.lock(tenant);
        const media = yield* contents.check(tenant, body, null);
        const draft = yield* body.complete;
        const problem = yield* contents.limitProblem(tenant);
        if (problem !== null) return yield* Forbidden.limit("max_notifications", problem);
        const id = yield* contents.add(tenant, draft, media, yield* Clock.currentTimeMillis);
        const content = yield* Effect.orDie(contents.find(tenant, id));
        yield* activity.record(tenant, contentChange("create", null, content));
        return content;
      }, database.atomically);

      const replace = Effect.fnUntraced(function* (tenant: Tenant, id: string, body: ContentBody) {
        yield* workspaces.lock(tenant);
        const row = yield* findToChange(tenant, id);
        const media = yield* contents.check(tenant, body, row);
        const draft = yield* body.complete;
        yield* contents.revise(tenant, row, draft, media, yield* Clock.currentTimeMillis);
        const content = yield* Effect.orDie(contents.find(tenant, row.id));
        yield* activity.record(tenant, contentChange("update", contents.shown(row), content));
        return content;
      }, database.atomically);

      const contents: Contents["Service"] = {
        shown: (row) => ({
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
          template: row.template,
          translations: row.translations,
          push: row.push,
          variants: row.variants.map(shownVariant),
          created_at: row.created_at,
          updated_at: row.updated_at,
        }),

        find: (tenant, id) => Effect.map(findRow(tenant, id), listed),
        withKept: variants.withKept,
        count: repository.count,
        page: (tenant, position) => Effect.map(repository.page(tenant, position), (rows) => rows.map(listed)),

        checkTexts: Effect.fnUntraced(function* (body) {
          yield* checkTemplates(body);
          const addresses = yield* addressesToCheck(body);
          if (addresses.length === 0) return;
          const urls = [...new Set(addresses.map(({ address }) => address))];
          const checked = Effect.forEach(urls, links.check, { concurrency: "unbounded" });
          const found = yield* outsideTransaction(`cta_url ${urls.join(" ")}`, checked);
          for (const { address, field } of addresses) {
            const problem = found[urls.indexOf(address)] ?? null;
            if (problem !== null) body.problems.add(field, problem);
          }
        }),

        check: Effect.fnUntraced(function* (tenant, body, row) {
          const media = new Map<string, MediaKind>();
          for (const id of mediaIdsOf(body.fields)) {
            const kind = yield* library.kindOf(tenant, id);
            if (kind !== null) media.set(id, kind);
          }
          checkContent(body, row?.questions ?? [], media, tenant.workspace.plan);
          if (row !== null) yield* checkAnswered(tenant, row, body);
          return media;
        }),

        limitProblem: (tenant, added = 1) => totalLimitProblem(repository, tenant, added),
        add: Effect.fnUntraced(function* (tenant, draft, media, now) {
          const id = NotificationId(idAt(now));
          const content = contentOf(draft, [], media, () => idAt(now));
          yield* pipelined(repository.insert(tenant, id, draft.name, content, now));
          return id;
        }),

        revise: Effect.fnUntraced(function* (tenant, row, draft, media, now) {
          const content = contentOf(draft, row.questions ?? [], media, () => idAt(now));
          const stored = yield* variants.toStore(tenant, row, draft, content);
          yield* repository.revise(tenant, row.id, draft.name, { ...content, variants: stored }, now);
        }),

        create: Effect.fn("Contents.create")(function* (tenant, body) {
          yield* contents.checkTexts(body);
          return yield* insert(tenant, body);
        }),

        update: Effect.fn("Contents.update")(function* (tenant, id, sent) {
          const body = yield* variants.withKept(tenant, yield* findRow(tenant, id), sent);
          yield* contents.checkTexts(body);
          return yield* replace(tenant, id, body);
        }),

        delete: Effect.fn("Contents.delete")(function* (tenant, id) {
          yield* workspaces.lock(tenant);
          const row = yield* findToChange(tenant, id);
          if (row.campaign_ids.length > 0) {
            const ids = row.campaign_ids.slice(0, maxNamed).join(", ");
            const more = row.campaign_ids.length > maxNamed ? " and others" : "";
            return yield* Unprocessable.validation({
              notification: [`The notification is on campaigns (${ids}${more}): detach it from them first.`],
            });
          }
          yield* repository.deleteUnused(tenant, row.id);
          yield* activity.record(tenant, contentChange("delete", contents.shown(row), null));
          return { id: row.id, deleted: true as const };
        }, database.atomically),

        deleteUnused: repository.deleteUnused,
      };
      return contents;
    }),
  ).pipe(Layer.provide(LinkCheck.layer));
}

/** The most campaigns that a refusal names. */
const maxNamed = 10;
