/** The repositories on PostgreSQL. */
import { Layer } from "effect";
import { failedAttemptsSql } from "./access/FailedAttemptsSql.ts";
import { tokensSql } from "./access/TokensSql.ts";
import { activitySql } from "./activity/ActivitySql.ts";
import { campaignsSql } from "./campaigns/CampaignsSql.ts";
import { campaignTargetingSql } from "./campaigns/CampaignTargetingSql.ts";
import { enrolmentsSql } from "./campaigns/EnrolmentsSql.ts";
import { sendPlanSql } from "./campaigns/SendPlanSql.ts";
import { sessionsSql } from "./console/SessionsSql.ts";
import { segmentsSql } from "./devices/SegmentsSql.ts";
import { idempotencySql } from "./http/IdempotencySql.ts";
import { rateLimitsSql } from "./http/RateLimitsSql.ts";
import { mediaLibrarySql } from "./media/MediaLibrarySql.ts";
import { thumbnailsSql } from "./media/ThumbnailsSql.ts";
import { contentsSql } from "./notifications/ContentsSql.ts";
import { locationGroupsSql } from "./locations/LocationGroupsSql.ts";
import { locationImportsSql } from "./locations/LocationImportsSql.ts";
import { locationsSql } from "./locations/LocationsSql.ts";
import { notificationsSql } from "./notifications/NotificationsSql.ts";
import { outboxSql } from "./outbox/OutboxSql.ts";
import { workspacesSql } from "./workspaces/WorkspacesSql.ts";

/** The implementation of each repository. */
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
  enrolmentsSql,
  sendPlanSql,
  contentsSql,
  notificationsSql,
  segmentsSql,
  sessionsSql,
);
