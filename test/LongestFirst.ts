import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** The projects in the order in which they start: the one with the longest files first. */
const projects = ["long", "process", "service", "console", "fast"];

/** Slow test files, in the order in which they start within their project. */
const slowFiles = [
  "database/embedded/EmbeddedPostgres",
  "media/hostile/HostileFiles",
  "machines/RollupsKilled",
  "machines/SeveralMachines",
  "machines/ClockAhead",
  "serve/Serve",
  "doctor/DoctorProcess",
  "upgrades/RollingRestart",
  "cli/Executable",
  "backup/Backup",
  "serve/Supervisor",
  "media/worker/MediaWorkers",
  "console/SessionProcesses",
  "client/ClientPackage",
  "matrices/HostileRequests",
  "matrices/Crashes",
  "matrices/WorkerCrashes",
  "matrices/Isolation",
  "http/DocsPage",
  "matrices/Abilities",
  "reports/ReportsProperty",
  "database/pool/SilentConnections",
  "sending/sends/SendSimulation",
  "http/DatabaseLocks",
  "matrices/IdempotentChanges",
  "http/RawSockets",
  "campaigns/CampaignsProperty",
  "sending/sends/LocalSimulation",
  "upgrades/Releases",
  "http/DatabaseNetwork",
  "telemetry/Telemetry",
  "sending/push/PushConformance",
  "reports/retention/Retention",
  "sending/deliveries/QuietZones",
  "reports/rollups/Rollups",
  "reports/CampaignEstimates",
  "sending/sends/SendZones",
  "upgrades/RollingUpgrade",
  "time/LocalTimeZones",
  "console/CampaignEditor",
  "console/LocationListPage",
  "console/DrawPage",
  "console/ServerAway",
  "console/SettingsPage",
  "console/ImportPage",
  "console/ReportsPage",
];

/**
 * Starts the projects one after the other and the slow files of each first, so that no worker waits for one
 * at the end of the run. A worker ends when the next file is of another project, and a new one imports
 * everything again, which takes over a second: so projects do not mix.
 */
export class LongestFirst extends BaseSequencer {
  readonly #root: string;

  constructor(vitest: Vitest) {
    super(vitest);
    this.#root = vitest.config.root;
  }

  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const name = relative(this.#root, moduleId)
        .slice("test/".length)
        .replace(/(\.\w+)?\.test\.ts$/, "");
      const index = slowFiles.indexOf(name);
      return projects.indexOf(project.name) * 1000 + (index < 0 ? slowFiles.length : index);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
