/** The repositories that have two implementations: PostgreSQL, and tables in memory for tests of rules. */
import { Layer } from "effect";
import { failedAttemptsMemory } from "./access/FailedAttemptsMemory.ts";
import { failedAttemptsSql } from "./access/FailedAttemptsSql.ts";
import { tokensMemory } from "./access/TokensMemory.ts";
import { tokensSql } from "./access/TokensSql.ts";
import { activityMemory } from "./activity/ActivityMemory.ts";
import { activitySql } from "./activity/ActivitySql.ts";
import { campaignsMemory } from "./campaigns/CampaignsMemory.ts";
import { campaignsSql } from "./campaigns/CampaignsSql.ts";
import { campaignTargetingMemory } from "./campaigns/CampaignTargetingMemory.ts";
import { campaignTargetingSql } from "./campaigns/CampaignTargetingSql.ts";
import { sendPlanMemory } from "./campaigns/SendPlanMemory.ts";
import { sendPlanSql } from "./campaigns/SendPlanSql.ts";
import { sessionsMemory } from "./console/SessionsMemory.ts";
import { sessionsSql } from "./console/SessionsSql.ts";
import { segmentsMemory } from "./devices/SegmentsMemory.ts";
import { segmentsSql } from "./devices/SegmentsSql.ts";
import { idempotencyMemory } from "./http/IdempotencyMemory.ts";
import { idempotencySql } from "./http/IdempotencySql.ts";
import { rateLimitsMemory } from "./http/RateLimitsMemory.ts";
import { rateLimitsSql } from "./http/RateLimitsSql.ts";
import { mediaLibraryMemory, thumbnailsMemory } from "./media/MediaLibraryMemory.ts";
import { mediaLibrarySql } from "./media/MediaLibrarySql.ts";
import { thumbnailsSql } from "./media/ThumbnailsSql.ts";
import { contentsMemory } from "./notifications/ContentsMemory.ts";
import { contentsSql } from "./notifications/ContentsSql.ts";
import { locationGroupsMemory, locationImportsMemory, locationsMemory } from "./locations/LocationsMemory.ts";
import { locationGroupsSql } from "./locations/LocationGroupsSql.ts";
import { locationImportsSql } from "./locations/LocationImportsSql.ts";
import { locationsSql } from "./locations/LocationsSql.ts";
import { notificationsMemory } from "./notifications/NotificationsMemory.ts";
import { notificationsSql } from "./notifications/NotificationsSql.ts";
import { outboxMemory } from "./outbox/OutboxMemory.ts";
import { outboxSql } from "./outbox/OutboxSql.ts";
import { workspacesMemory } from "./workspaces/WorkspacesMemory.ts";
import { workspacesSql } from "./workspaces/WorkspacesSql.ts";

/** On PostgreSQL. */
export const sqlRepositories = Layer.mergeAll(
  workspacesSql,
  tokensSql,
  failedAttemptsSql,
  rateLimitsSql,
  idempotencySql,
  activitySql,
  mediaLibrarySql,
  thumbnailsSql,
  locationsSql,
  locationGroupsSql,
  locationImportsSql,
  outboxSql,
  campaignsSql,
  campaignTargetingSql,
  sendPlanSql,
  contentsSql,
  notificationsSql,
  segmentsSql,
  sessionsSql,
);

/** In memory. */
export const memoryRepositories = Layer.mergeAll(
  workspacesMemory,
  tokensMemory,
  failedAttemptsMemory,
  rateLimitsMemory,
  idempotencyMemory,
  activityMemory,
  mediaLibraryMemory,
  thumbnailsMemory,
  locationsMemory,
  locationGroupsMemory,
  locationImportsMemory,
  outboxMemory,
  campaignsMemory,
  campaignTargetingMemory,
  sendPlanMemory,
  contentsMemory,
  notificationsMemory,
  segmentsMemory,
  sessionsMemory,
);
