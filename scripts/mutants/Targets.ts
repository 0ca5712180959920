/** Files to mutate, and the tests that must notice. */
export interface Target {
  /** Glob patterns of source files. */
  readonly sources: ReadonlyArray<string>;
  /** Tests without a database, run first. */
  readonly fast: ReadonlyArray<string>;
  /** Tests on PostgreSQL, run for what survives those. */
  readonly service: ReadonlyArray<string>;
}

/** Targets by name. */
export const targets: Readonly<Record<string, Target>> = {
  idempotency: {
    sources: ["src/http/Idempotency*.ts", "src/http/IdempotentRequests.ts"],
    fast: [],
    service: [
      "test/http/IdempotencySql.service",
      "test/http/IdempotencySlowBody.service",
      "test/http/Idempotency.service",
      "test/http/Metrics.service",
    ],
  },
  limits: {
    sources: ["src/http/RateLimits*.ts"],
    fast: [],
    service: ["test/http/RateLimitsSql.service", "test/http/RateLimits.service"],
  },
  caps: {
    sources: [
      "src/sending/FrequencyCap*.ts",
      "src/sending/Deliveries*.ts",
      "src/sending/deliveries/Delivery.ts",
    ],
    fast: [],
    service: [
      "test/events/FrequencyCaps.service",
      "test/events/Events.service",
      "test/sending/Sends.service",
      "test/sending/Messages.service",
      "test/sending/push/PushPaths.service",
    ],
  },
  leases: {
    sources: [
      "src/sending/sends/batches/BatchLeasesSql.ts",
      "src/sending/SendBatches*.ts",
      "src/sending/push/PushLeases.ts",
    ],
    fast: [],
    service: [
      "test/sending/push/PushLeases.service",
      "test/sending/SendWorkers.service",
      "test/sending/ManySends.service",
      "test/sending/SendPlans.service",
      "test/sending/Sends.service",
      "test/sending/SendStops.service",
      "test/sending/push/PushPaths.service",
      "test/sending/push/InFlightPushes.service",
    ],
  },
  access: {
    sources: ["src/access/*.ts"],
    fast: ["test/access/CachedLookup", "test/http/ClientAddress"],
    service: [
      "test/access/TokensSql.service",
      "test/access/FailedAttemptsSql.service",
      "test/access/FailedAttempts.service",
      "test/access/Me.service",
      "test/access/AccessAtCommit.service",
      "test/access/FullApi.service",
      "test/access/RevocationRace.service",
      "test/operator/OperatorKey.service",
      "test/devices/DeviceAccess.service",
      "test/operator/Operator.service",
      "test/http/OrderOfChecks.service",
    ],
  },
};
