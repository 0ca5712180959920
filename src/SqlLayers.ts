import { Layer } from "effect";
import { FailedAttemptsSql } from "./access/FailedAttemptsSql.ts";
import { TokensSql } from "./access/TokensSql.ts";
import { ActivitySql } from "./activity/ActivitySql.ts";
import { CampaignsSql } from "./campaigns/CampaignsSql.ts";
import { CampaignTargetingSql } from "./campaigns/CampaignTargetingSql.ts";
import { enrolmentsSql } from "./campaigns/EnrolmentsSql.ts";
import { SendPlanSql } from "./campaigns/SendPlanSql.ts";
import { SessionsSql } from "./console/SessionsSql.ts";
import { SegmentsSql } from "./devices/SegmentsSql.ts";
import { IdempotencySql } from "./http/IdempotencySql.ts";
import { RateLimitsSql } from "./http/RateLimitsSql.ts";
import { MediaLibrarySql } from "./media/MediaLibrarySql.ts";
import { ThumbnailsSql } from "./media/ThumbnailsSql.ts";
import { ContentsSql } from "./notifications/ContentsSql.ts";
import { LocationGroupsSql } from "./locations/LocationGroupsSql.ts";
import { LocationImportsSql } from "./locations/LocationImportsSql.ts";
import { LocationsSql } from "./locations/LocationsSql.ts";
import { NotificationsSql } from "./notifications/NotificationsSql.ts";
import { outboxSql } from "./outbox/OutboxSql.ts";
import { WorkspacesSql } from "./workspaces/WorkspacesSql.ts";

/** The layers of the statements that several services share. */
export const sqlLayers = Layer.mergeAll(
  WorkspacesSql.layer,
  TokensSql.layer,
  FailedAttemptsSql.layer,
  RateLimitsSql.layer,
  IdempotencySql.layer,
  ActivitySql.layer,
  MediaLibrarySql.layer,
  ThumbnailsSql.layer,
  LocationsSql.layer,
  LocationGroupsSql.layer,
  LocationImportsSql.layer,
  outboxSql,
  CampaignsSql.layer,
  CampaignTargetingSql.layer,
  enrolmentsSql,
  SendPlanSql.layer,
  ContentsSql.layer,
  NotificationsSql.layer,
  SegmentsSql.layer,
  SessionsSql.layer,
);
