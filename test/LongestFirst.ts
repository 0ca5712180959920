import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** The projects in the order in which they start: the one with the longest files first. */
const projects = ["long", "process", "service", "console", "fast"];

/** Slow test files, in the order in which they start within their project. */
const slowFiles = [
  "matrices/HostileRequests",
  "matrices/Crashes",
  "media/hostile/HostileFiles",
  "machines/RollupsKilled",
  "machines/SeveralMachines",
  "upgrades/RollingRestart",
  "machines/ClockAhead",
  "reports/ReportsProperty",
  "database/pool/SilentConnections",
  "sending/sends/SendSimulation",
  "matrices/HeldPushCrashes",
  "matrices/WorkerCrashes",
  "sending/Obstacles",
  "campaigns/CampaignsProperty",
  "sending/sends/LocalSimulation",
  "http/DatabaseNetwork",
  "sending/deliveries/QuietZones",
  "sending/sends/SendZones",
  "upgrades/RollingUpgrade",
  "release/Release",
  "time/LocalTimeZones",
  "database/embedded/EmbeddedPostgres",
  "cli/Executable",
  "serve/Serve",
  "backup/Backup",
  "doctor/DoctorProcess",
  "serve/Supervisor",
  "serve/KilledProcesses",
  "demo/DemoShop",
  "demo/Demo",
  "console/SessionProcesses",
  "console/MapView",
  "media/worker/MediaWorkers",
  "client/ClientPackage",
  "matrices/Isolation",
  "http/DocsPage",
  "matrices/Abilities",
  "matrices/RecordedChanges",
  "upgrades/Releases",
  "matrices/Examples",
  "database/DistributedStatements",
  "reports/rollups/RollupMonths",
  "reports/rollups/Rollups",
  "reports/retention/Retention",
  "http/DatabaseLocks",
  "locations/LocationPages",
  "reports/rollups/RollupVisits",
  "sending/push/ProviderConcurrency",
  "sending/push/PushSends",
  "http/RawSockets",
  "sending/push/PushConformance",
  "reports/CampaignEstimates",
  "matrices/IdempotentChanges",
  "telemetry/Telemetry",
  "console/CampaignEditor",
  "console/DrawPage",
  "console/LocationListPage",
  "console/SettingsPage",
  "console/ServerAway",
  "console/ImportPage",
  "console/DevicePages",
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
