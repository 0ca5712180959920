/**
 * Numbers in the documentation that the code also states: for each page, the words around a number (`#`) and
 * its value in the code. A test compares them.
 */
import { Effect, Exit } from "effect";
import { attemptWindowMillis } from "../../src/access/FailedAttempts.ts";
import { Settings } from "../../src/config/Settings.ts";
import { divided } from "../../src/database/pool/PoolLimits.ts";
import { lateDays } from "../../src/events/Transition.ts";
import { fileLimits, fullSpoolLimits, queryLimits } from "../../src/http/connections/TransferRate.ts";
import { maxSpoolBytes, pageBytes } from "../../src/http/files/Spool.ts";
import { EARTH_RADIUS_METERS } from "../../src/locations/geometry/BoundingBox.ts";
import { MAX_RADIUS_METERS, MIN_RADIUS_METERS } from "../../src/locations/ImportLimits.ts";
import { maxFileBytes, maxSandboxBytes } from "../../src/media/MediaFile.ts";
import { SourceRowLimits } from "../../src/reports/SlowReports.ts";
import { attemptTimeoutMillis } from "../../src/sending/push/PushAttempts.ts";
import { leaseMillis as pushLeaseMillis } from "../../src/sending/push/PushLeases.ts";
import { payloadLimit } from "../../src/sending/push/PushPayload.ts";
import { nextAttempt } from "../../src/sending/push/PushRetries.ts";
import { BatchSize } from "../../src/sending/sends/Send.ts";
import { BodyRules } from "../../src/wire/RequestBody.ts";
import { defaultPlan } from "../../src/workspaces/Plan.ts";
import { constant, type Figure, jobPause, schemaLimit } from "./figures.ts";
import { maxFiles } from "./naming.ts";
import { maxLines } from "./shape.ts";
import { maxColumns } from "./vocabulary.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const [kibibyte, mebibyte] = [1024, 1_048_576];

const acceptsRetention = (days: number): boolean =>
  Exit.isSuccess(Effect.runSyncExit(Settings.fromRecord({ WAYPOST_EVENT_RETENTION_DAYS: String(days) })));
const minRetentionDays = Array.from({ length: 100 }, (_, days) => days).findIndex(acceptsRetention);

/** The attempts of a push that fails at once each time. */
const maxAttempts =
  Array.from({ length: 20 }, (_, index) => index + 1).findIndex(
    (attempts) => nextAttempt({ attempts, firstAt: 0 }, 0, null, 0) === null,
  ) + 1;

const sourceRows = Object.values(SourceRowLimits.defaultValue());
const keepalive = (name: string) => constant("Postgres.ts", `tcp_keepalives_${name}`);
const connections = constant("PoolLimits.ts", "maxStatementConnections");
const batchLease = constant("SendBatches.ts", "leaseMillis") / second;
const pushLease = pushLeaseMillis / second;
const keyHours = constant("IdempotentRequests.ts", "keptMillis") / hour;
const cacheSeconds = constant("CachedLookup.ts", "cacheMillis") / second;
const maxEventDays = constant("Transition.ts", "maxAgeMillis") / day;
const maxTriggerMinutes = constant("Transition.ts", "maxTriggerAgeMillis") / minute;
const maxAheadMinutes = constant("Transition.ts", "maxAheadMillis") / minute;
const maxAccuracy = constant("Position.ts", "maxAccuracy");
const maxLeeway = constant("Position.ts", "maxLeeway");
const maxFeatures = schemaLimit("platform", "FeatureCollection.features", "maxItems");
const importMebibytes = constant("LocationsApi.ts", "maxBytes") / mebibyte;
const maxFileKilobytes = maxFileBytes / kibibyte;
const megapixels = constant("Images.ts", "maxPixels") / 1e6;
const maxReportDays = constant("ReportDates.ts", "maxDays");
const defaultReportDays = constant("ReportDates.ts", "defaultDays");
const defaultPage = constant("Cursors.ts", "defaultLimit");
const answerCharacters = constant("AnswerValue.ts", "maxText");
const maxIndexed = constant("LocationIndexes.ts", "maxMemory");
const maxDepth = constant("PushDispatcher.ts", "maxDepth");

/** The figures of each page. */
export const figureTable: Readonly<Record<string, ReadonlyArray<Figure>>> = {
  "docs/operating.md": [
    ["parts of at most # features", constant("ImportFile.ts", "features")],
    [
      "parts of at most 10,000 features and # MiB",
      constant("ImportFile.ts", "features: 10_000, bytes") / mebibyte,
    ],
    ["Within # hours a part", keyHours],
    ["a start renames it if it is over # MiB", constant("PostgresFiles.ts", "maxLogBytes") / mebibyte],
    ["uses a PostgreSQL # or newer", constant("Postgres.ts", "minVersion") / 10_000],
    ["at most # connections for statements", connections],
    ["An upload may take # seconds", constant("UploadParsing.ts", "uploadTimeout") / second],
    ["must bring # KB", constant("UploadParsing.ts", "minBytes") / kibibyte],
    ["KB in every # seconds", constant("UploadParsing.ts", "interval") / second],
    ["others after # minutes", constant("StoredBytes.ts", "uploadMillis") / minute],
    ["up to # times", constant("Migrations.ts", "maxRetries")],
    ["leases: # seconds for batches", batchLease],
    ["# seconds for pushes", pushLease],
    ["at the latest after # seconds", cacheSeconds],
    ["batch of at most # devices", BatchSize.defaultValue()],
    ["It leases it for # seconds", batchLease],
    ["leases each push for # seconds", pushLease],
    ["does not respond within # seconds", attemptTimeoutMillis / second],
    ["that lost its network after # seconds", keepalive("idle") + keepalive("interval") * keepalive("count")],
    ["rollups every # seconds and deliveries", jobPause("rollups") / second],
    [
      "deliveries every # seconds",
      (jobPause("rollups") / second) * constant("Rollups.ts", "runsPerDeliveryRun"),
    ],
    ["counts more than # source rows", Math.min(...sourceRows)],
    ["for the database for more than # seconds", constant("DatabaseTime.ts", "maxRequestMillis") / second],
    ["silent for # seconds, and destroys", constant("ConnectionWatch.ts", "silentMillis") / second],
    ["destroyed after # seconds. Otherwise", constant("ConnectionWatch.ts", "hopelessMillis") / second],
    ["not free within # seconds is 503", constant("Postgres.ts", "lock_timeout") / second],
    [
      "that froze are free after # seconds",
      constant("Postgres.ts", "idle_in_transaction_session_timeout") / second,
    ],
    ["They must be read at # kB a second", fileLimits.minRate / 1000],
    ["kB a second, on average over # seconds", fileLimits.graceMillis / second],
    ["and at # MB a second", fullSpoolLimits.minRate / 1_000_000],
    ["over # seconds, once their query", fullSpoolLimits.graceMillis / second],
    ["Queries of files end after # minutes", queryLimits.maxMillis / minute],
    ["of at most # MB in each process", maxSpoolBytes / 1_048_576],
    ["A small file, up to # kB", pageBytes / 1024],
    ["Waypost tests every # seconds", constant("DiskSpace.ts", "testMillis") / second],
    ["would count more than # rows", Math.max(...sourceRows)],
    ["process that runs alone has # for short statements", divided(connections).short],
    ["for short statements and # for long ones", divided(connections).long],
    ["One that waits for # seconds", constant("LongReads.ts", "maxWait") / second],
    ["A statement of a long read ends after # seconds", constant("Postgres.ts", "longReadMillis") / second],
    [
      "long read ends after 20 seconds, others after # seconds",
      constant("Postgres.ts", "statementMillis") / second,
    ],
    ["A report waits at most # seconds", constant("LongReads.ts", "maxWait") / second],
    ["runs at most # seconds", constant("SlowReports.ts", "maxRun") / second],
    ["The minimum is # days", minRetentionDays],
    ["reports # days or more after it happened", lateDays],
    ["is compacted # days before the limit", maxEventDays],
    ["`Idempotency-Key` | # hours", keyHours],
    ["unknown tokens | # seconds", attemptWindowMillis / second],
    ["removed within # minutes after that", jobPause("failed_attempt_pruning") / minute],
    ["have at most # positions", maxIndexed],
    ["positions (# MB) in memory", (maxIndexed * 16) / 1e6],
    ["mean radius, # m", EARTH_RADIUS_METERS],
    ["payload has at most # bytes", payloadLimit],
    ["has at most # pushes in flight", constant("PushWorkerState.ts", "maxInFlight")],
    ["each starts with # pushes in flight", constant("ProviderConcurrency.ts", "initial")],
    ["more as it responds (up to #)", constant("ConcurrencyRule.ts", "maxLimit")],
    ["for that time, at most # seconds", constant("ProviderConcurrency.ts", "maxBackOffMillis") / second],
    ["has # seconds to send the head", constant("Server.ts", "headersTimeout") / second],
    ["# minutes for the whole request", constant("Server.ts", "requestTimeout") / minute],
    ["idle for # seconds", constant("Server.ts", "keepAliveTimeout") / second],
    ["shorter than Waypost's #", constant("Server.ts", "keepAliveTimeout") / second],
    ["reads nothing of a response for # seconds", constant("DrainingServer.ts", "stalledMillis") / second],
    ["`push_queue_depth` | every # seconds", jobPause("push_queue_depth") / second],
    ["`rollups` | every # seconds", jobPause("rollups") / second],
    ["`thumbnails` | every # seconds", jobPause("thumbnails") / second],
    ["`media_sweeping` | every # seconds", jobPause("media_sweeping") / second],
    ["`table_statistics` | every # seconds", jobPause("table_statistics") / second],
    ["`failed_attempt_pruning` | every # minutes", jobPause("failed_attempt_pruning") / minute],
    ["counted up to #", maxDepth],
    ["start of at most # push attempts", constant("PushWorkerState.ts", "maxInFlight")],
    ["A receiver has # seconds", constant("ExportClient.ts", "requestTimeout") / second],
    ["at most # requests at a time", constant("ExportClient.ts", "maxInFlight")],
  ],
  "docs/scaling.md": [
    ["at most # for statements", connections],
    ["must exceed # times the processes", connections + 1],
    ["`default_pool_size` of at least #", connections + 1],
    ["# MB of buffers", constant("PostgresServer.ts", "shared_buffers")],
    ["# MB of WAL", constant("PostgresServer.ts", "max_wal_size")],
    ["SET statement_timeout = '#s'", constant("Postgres.ts", "statementMillis") / second],
    ["SET lock_timeout = '#s'", constant("Postgres.ts", "lock_timeout") / second],
    ["SET tcp_user_timeout = '#s'", constant("Postgres.ts", "tcp_user_timeout") / second],
    [
      "SET idle_in_transaction_session_timeout = '#s'",
      constant("Postgres.ts", "idle_in_transaction_session_timeout") / second,
    ],
    [
      "SET client_connection_check_interval = '#s'",
      constant("Postgres.ts", "client_connection_check_interval") / second,
    ],
    ["SET tcp_keepalives_idle = #", keepalive("idle")],
    ["SET tcp_keepalives_interval = #", keepalive("interval")],
    ["SET tcp_keepalives_count = #", keepalive("count")],
    ["token for up to # seconds", cacheSeconds],
  ],
  "docs/contract/campaigns.md": [
    ["has at most # characters", schemaLimit("platform", "CampaignDraft.name", "maxLength")],
    ["Each list has at most # entries", schemaLimit("platform", "CampaignDraft.location_ids", "maxItems")],
    [
      "`frequency_cap_count` is from 1 to #",
      schemaLimit("platform", "CampaignDraft.frequency_cap_count", "maximum"),
    ],
  ],
  "docs/contract/notifications.md": [
    [
      "`headline` is required and has at most # characters",
      schemaLimit("platform", "NotificationDraft.headline", "maxLength"),
    ],
    [
      "`question_text` is required and has at most # characters",
      schemaLimit("platform", "QuestionDraft.question_text", "maxLength"),
    ],
    ["1 to # questions", constant("Survey.ts", "maxQuestions")],
    ["# to 4 choices", constant("Survey.ts", "minChoices")],
    ["2 to # choices", constant("Survey.ts", "maxChoices")],
    ["takes at most # seconds", constant("LinkCheck.ts", "timeLimit") / second],
    ["follows at most # redirects", constant("LinkCheck.ts", "maxRedirects")],
    ["at most # characters for `OPEN_ENDED`", answerCharacters],
  ],
  "docs/contract/messages.md": [
    ["at most # tags and outputs", constant("TemplateLimits.ts", "maxTags")],
    ["# values and symbols", constant("TemplateLimits.ts", "maxParts")],
    ["have # tags and 250,000", constant("TemplateLimits.ts", "maxTagsTogether")],
    ["tags and # characters", constant("TemplateLimits.ts", "maxCharactersTogether")],
  ],
  "docs/contract/locations.md": [
    ["`radius` of # to", MIN_RADIUS_METERS],
    ["to # metres", MAX_RADIUS_METERS],
    ["`address` of at most # characters", schemaLimit("platform", "LocationPatch.address", "maxLength")],
    ["A polygon has at most # positions", constant("PolygonRings.ts", "MAX_POSITIONS")],
    ["at most # groups", constant("LocationEdit.ts", "maxGroups")],
    ["An import has at most # features", maxFeatures],
    ["features and # MiB", importMebibytes],
  ],
  "docs/contract/media.md": [
    ["(# KB)", maxFileKilobytes],
    ["An image over # megapixels", megapixels],
    ["in Sandbox it is at most #", maxSandboxBytes],
    ["fits #×400", constant("Images.ts", "width")],
    ["fits 400×#", constant("Images.ts", "height")],
  ],
  "docs/contract/device.md": [
    ["1 to # events", schemaLimit("device", "TransitionReport.events", "maxItems")],
    ["1 to # positions", schemaLimit("device", "PositionRequest.positions", "maxItems")],
    ["A device makes # requests", defaultPlan.device_requests_per_minute ?? 0],
    ["reports # events a minute", defaultPlan.device_events_per_minute ?? 0],
  ],
  "docs/contract/requests.md": [
    ["A body has at most # MiB", BodyRules.defaultValue().maxBytes / mebibyte],
    ["an import # MiB", importMebibytes],
    ["`limit` is # by default", defaultPage],
    ["is over # hours old", constant("Cursors.ts", "lifetimeMillis") / hour],
    ["A cursor is valid for # hours", constant("Cursors.ts", "lifetimeMillis") / hour],
    ["Sandbox allows # requests", defaultPlan.sandbox_requests_per_minute ?? 0],
    ["30 requests and # changes", defaultPlan.sandbox_writes_per_minute ?? 0],
    ["a minute, and # requests a day", defaultPlan.sandbox_requests_per_day ?? 0],
    ["Production allows # requests", defaultPlan.production_requests_per_minute ?? 0],
    ["600 requests and # changes", defaultPlan.production_writes_per_minute ?? 0],
    ["From the #st unknown token", constant("FailedAttempts.ts", "allowedAttempts") + 1],
    ["an address within # seconds", attemptWindowMillis / second],
    ["(# KB)", maxFileKilobytes],
    ["is stored for # hours", keyHours],
    ["A retry within # hours", keyHours],
    ["waits up to # seconds", constant("IdempotentRequests.ts", "maxWaitMillis") / second],
  ],
  "docs/contract/reports.md": [
    ["The default is # days before the end", defaultReportDays],
    ["starts # days earlier", defaultReportDays],
    ["at most # days later", maxReportDays],
    ["More than # days", maxReportDays],
  ],
  "docs/contract/sending.md": [
    ["is over # minutes old", maxTriggerMinutes],
    ["is over # days old", maxEventDays],
    ["over # minutes in the future", maxAheadMinutes],
    ["at most # attempts", maxAttempts],
    ["after # second, doubled", (nextAttempt({ attempts: 1, firstAt: 0 }, 0, null, 0) ?? 0) / second],
    ["shortened to # bytes", payloadLimit],
    ["at most # m count", maxLeeway],
    ["over # m off", maxAccuracy],
  ],
  "openapi/platform.json": [
    ["at most # in an hour", constant("TestSends.ts", "maxTests")],
    ["# KB", maxFileKilobytes],
    ["# megapixels", megapixels],
    ["features and # MiB", importMebibytes],
    ["# features", maxFeatures],
    ["# hours", keyHours],
    ["1 to # conditions", schemaLimit("platform", "SegmentRule.conditions", "maxItems")],
    ["holds at most # bytes", maxSandboxBytes],
    ["# days before the end", defaultReportDays],
    ["# if left out", defaultPage],
    ["up to # characters", answerCharacters],
  ],
  "openapi/device.json": [
    ["# days ago", maxEventDays],
    ["# minutes ahead", maxAheadMinutes],
    ["# minutes old", maxTriggerMinutes],
    ["# m count", maxLeeway],
    ["over # m is accepted", maxAccuracy],
    ["up to # characters", answerCharacters],
  ],
  "docs/first-campaign.md": [["at most # KB", maxFileKilobytes]],
  "README.md": [
    ["allows # requests", defaultPlan.sandbox_requests_per_minute ?? 0],
    ["30 requests and # changes", defaultPlan.sandbox_writes_per_minute ?? 0],
    ["a minute, and # requests a day", defaultPlan.sandbox_requests_per_day ?? 0],
    ["have # MB in total", maxSandboxBytes / mebibyte],
  ],
  "CONTRIBUTING.md": [
    ["It has at most # lines in `src/`", maxLines.program],
    ["lines in `src/`, # elsewhere", maxLines.elsewhere],
    ["at most # files on one level", maxFiles.folder],
    ["`src/` itself #", maxFiles.root],
    ["lines of at most # columns", maxColumns],
  ],
};
