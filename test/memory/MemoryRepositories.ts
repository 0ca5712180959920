/** The repositories in memory: rules are tested on them without a database. */
import { Layer } from "effect";
import { failedAttemptsMemory } from "./FailedAttemptsMemory.ts";
import { tokensMemory } from "./TokensMemory.ts";
import { activityMemory } from "./ActivityMemory.ts";
import { campaignsMemory } from "./CampaignsMemory.ts";
import { campaignTargetingMemory } from "./CampaignTargetingMemory.ts";
import { enrolmentsMemory } from "./EnrolmentsMemory.ts";
import { sendPlanMemory } from "./SendPlanMemory.ts";
import { sessionsMemory } from "./SessionsMemory.ts";
import { segmentsMemory } from "./SegmentsMemory.ts";
import { idempotencyMemory } from "./IdempotencyMemory.ts";
import { rateLimitsMemory } from "./RateLimitsMemory.ts";
import { mediaLibraryMemory, thumbnailsMemory } from "./MediaLibraryMemory.ts";
import { contentsMemory } from "./ContentsMemory.ts";
import { locationGroupsMemory, locationImportsMemory, locationsMemory } from "./LocationsMemory.ts";
import { notificationsMemory } from "./NotificationsMemory.ts";
import { outboxMemory } from "./OutboxMemory.ts";
import { workspacesMemory } from "./WorkspacesMemory.ts";

/** The in-memory implementation of each repository. */
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
  enrolmentsMemory,
  sendPlanMemory,
  contentsMemory,
  notificationsMemory,
  segmentsMemory,
  sessionsMemory,
);
