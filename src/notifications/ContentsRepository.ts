import { Context, type Effect } from "effect";
import type { ContentMedia } from "../media/MediaAddress.ts";
import type { CampaignId, NotificationId } from "../wire/Ids.ts";
import type { PagePosition } from "../wire/PagePosition.ts";
import type { Tenant } from "../workspaces/Workspace.ts";
import type { MessageContent } from "./MessageContent.ts";
import type { Question } from "./Survey.ts";

/** The content of a notification as it is stored; `questions` is null for a message. */
export interface ContentRow extends Omit<MessageContent, "questions"> {
  readonly media: ContentMedia | null;
  readonly id: NotificationId;
  readonly name: string;
  readonly questions: ReadonlyArray<Question> | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Content with the campaigns that it is on, in the order in which it was attached to them. */
export interface ListedContentRow extends ContentRow {
  readonly campaign_ids: ReadonlyArray<CampaignId>;
}

/** Stores notifications and their content, on campaigns or not. `now` in epoch milliseconds. */
export class ContentsRepository extends Context.Service<
  ContentsRepository,
  {
    /** Newest first. */
    readonly page: (tenant: Tenant, position: PagePosition) => Effect.Effect<ReadonlyArray<ListedContentRow>>;
    readonly find: (tenant: Tenant, id: NotificationId) => Effect.Effect<ListedContentRow | null>;
    /** Whether any device has answered the survey, on any campaign. */
    readonly hasAnswers: (tenant: Tenant, id: NotificationId) => Effect.Effect<boolean>;
    /** How many notifications `max_notifications` counts (contract F8). */
    readonly count: (tenant: Tenant) => Effect.Effect<number>;
    /** Inserts a notification with its first content. */
    readonly insert: (
      tenant: Tenant,
      id: NotificationId,
      name: string,
      content: MessageContent,
      now: number,
    ) => Effect.Effect<void>;
    /**
     * Gives a notification this name, and this content as a new revision. An equal content makes no revision,
     * and if the name is equal too, `updated_at` is kept.
     */
    readonly revise: (
      tenant: Tenant,
      id: NotificationId,
      name: string,
      content: MessageContent,
      now: number,
    ) => Effect.Effect<void>;
    /** Deletes a notification if it is on no campaign, and says whether. Its deliveries keep its content. */
    readonly deleteUnused: (tenant: Tenant, id: NotificationId) => Effect.Effect<boolean>;
  }
>()("waypost/notifications/ContentsRepository") {}
