/** A bench: a file of this folder with its settings. Its lengths are moderate unless it is heavy. */
export interface Bench {
  /** The table of docs/benchmarks.md that has its figures. */
  readonly subject: string;
  /** Paths of the source that it measures. */
  readonly source: ReadonlyArray<string>;
  /** The file without its ending, and arguments. */
  readonly command: ReadonlyArray<string>;
  /** Environment variables, without `BENCH_`. */
  readonly settings: Readonly<Record<string, string>>;
  readonly isHeavy: boolean;
}

const bench = (subject: string, source: string, command: string, settings = "", isHeavy = false): Bench => ({
  subject,
  source: source.split(" ").map((path) => `src/${path}`),
  command: command.split(" "),
  settings: Object.fromEntries(settings.split(" ").map((each) => each.split("=") as [string, string])),
  isHeavy,
});

const heavy = (...[subject, source, command, settings]: Parameters<typeof bench>): Bench =>
  bench(subject, source, command, settings, true);

const ingest = "access deltas events sending/deliveries";
const fanout = "deltas sending/deliveries sending/sends";
const reports = "reports deltas";

/** All benches by name, in the order of the page. */
export const benches: Readonly<Record<string, Bench>> = {
  me: bench("Requests", "access http", "me"),
  campaigns: bench("Requests", "access campaigns http", "campaigns", "ROUNDS=3"),
  events: bench("Requests", ingest, "events"),
  custom: bench("Requests", ingest, "ingest --custom", "TOGETHER=20"),
  "custom-singly": heavy("Requests", ingest, "ingest --custom"),
  writes: bench("Requests", "access campaigns devices", "writes"),
  positions: bench("Requests", "access locations positions", "positions"),
  points: bench("Requests", "http locations", "points"),
  search: bench("Requests", "locations", "search"),
  processes: heavy("Requests", "processes serve", "processes"),
  fanout: bench("Sending", fanout, "fanout", "ROUNDS=3 SIZES=100000"),
  "fanout-million": heavy("Sending", fanout, "fanout", "ROUNDS=3"),
  "fanout-texts": heavy("Sending", `${fanout} notifications/templates`, "fanout", "SIZES=100000 TEXTS=1"),
  "fanout-arms": heavy("Sending", `${fanout} sending/arms`, "fanout", "ARMS=1 SIZES=100000"),
  sends: bench("Sending", fanout, "sends", "SENDS=2000"),
  "sends-10000": heavy("Sending", fanout, "sends"),
  push: bench("Sending", "outgoing sending/push", "push"),
  webhooks: bench("Sending", "outgoing outbox webhooks", "webhooks", "ROUNDS=2"),
  recipients: heavy("Sending", "sending/recipients", "recipients"),
  rendering: bench("Sending", "notifications/templates", "rendering"),
  reports: heavy("Reports", reports, "reports"),
  "reports-year": heavy("Reports", reports, "reports", "ROWS=10000000"),
  retention: heavy("Reports", reports, "retention"),
  ingest: heavy("Reports", `${ingest} reports`, "ingest --events"),
  "ingest-sends": heavy("Reports", `${ingest} reports`, "ingest --sends"),
  experiments: bench("Reports", "deltas experiments", "experiments", "ROWS=100000"),
  "experiments-million": heavy("Reports", "deltas experiments", "experiments"),
  happenings: bench("Reports", "devices events", "happenings", "DEVICES=50000"),
  "happenings-million": heavy("Reports", "devices events", "happenings"),
  devices: bench("Files and imports", "devices", "devices", "DEVICES=200000"),
  import: bench("Files and imports", "locations", "import", "ROUNDS=7"),
  hostile: bench("Files and imports", "http locations", "hostile"),
  csv: bench("Files and imports", "http sending/deliveries", "csv", "ROWS=200000"),
  tenants: heavy("Neighbours", "database http", "tenants", "ROUNDS=2 SECONDS=6"),
  start: heavy("Programs", "serve config", "start"),
  console: bench("Programs", "console", "console"),
  client: bench("Programs", "client", "client"),
  storage: bench("Programs", "database", "storage"),
  citus: heavy("Programs", "database/citus", "citus", "ROUNDS=1"),
};
