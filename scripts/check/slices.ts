/**
 * The slices of src/ in their order: each imports only slices before it. ARCHITECTURE.md states the same
 * order.
 */
export const slices: ReadonlyArray<string> = [
  "wire",
  "time",
  "config",
  "telemetry",
  "database",
  "workers",
  "workspaces",
  "access",
  "http",
  "activity",
  "media",
  "locations",
  "outbox",
  "campaigns",
  "notifications",
  "devices",
  "sending",
  "events",
  "positions",
  "webhooks",
  "reports",
  "client",
  "operator",
  "doctor",
  "console",
  "backup",
  "demo",
  "cli",
];
