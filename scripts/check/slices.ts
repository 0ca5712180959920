/** The slices of src/ from left to right: each imports only slices to its left. ARCHITECTURE.md states the same row. */
export const slices: ReadonlyArray<string> = [
  "wire",
  "time",
  "database",
  "workspaces",
  "access",
  "http",
  "media",
  "locations",
  "campaigns",
  "notifications",
  "devices",
  "sending",
  "events",
  "reports",
  "operator",
  "console",
];
