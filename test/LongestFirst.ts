import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** The projects in the order in which they start: the one with the longest files first. */
const projects = ["long", "process", "service", "console", "fast"];

/** Slow test files, in the order in which they start within their project. */
const slowFiles = [
  "matrices/HostileRequests",
  "matrices/Crashes",
  "media/hostile/HostileFiles",
  "media/hostile/HostileRecordings",
  "machines/RollupsKilled",
  "machines/SeveralMachines",
  "upgrades/RollingRestart",
  "machines/ClockAhead",
  "reports/ReportsProperty",
  "database/pool/SilentConnections",
  "sending/sends/SendSimulation",
  "matrices/HeldPushCrashes",
  "matrices/WorkerCrashes",
  "campaigns/CampaignsProperty",
  "sending/sends/LocalSimulation",
  "http/DatabaseNetwork",
  "sending/deliveries/QuietZones",
  "sending/sends/SendZones",
  "upgrades/RollingUpgrade",
  "release/Release",
  "time/LocalTimeZones",
  "serve/KilledProcesses",
  "cli/Executable",
  "serve/Serve",
  "serve/ServeSettings",
  "database/embedded/EmbeddedPostgres",
  "database/embedded/NewDatabase",
  "backup/Backup",
  "doctor/DoctorProcess",
  "serve/Supervisor",
  "console/SessionProcesses",
  "media/worker/MediaWorkers",
  "demo/Demo",
  "client/ClientPackage",
  "people/ErasurePages",
  "matrices/Isolation",
  "matrices/Abilities",
  "http/DocsPage",
  "sending/pacing/Pacing",
  "http/DatabaseLocks",
  "http/RawSockets",
  "console/StaleState",
  "console/MapView",
  "console/DrawPage",
  "console/CampaignEditor",
  "console/ImportPage",
  "console/ServerAway",
  "console/LocationListPage",
  "console/SettingsPage",
  "console/DevicePages",
  "demo/DemoShop",
  "console/CopyDialog",
  "console/RecipientsPage",
  "console/SignInPage",
  "console/SpeedOfHand",
  "console/ReportsPage",
  "console/Pickers",
  "console/Story",
  "console/TwoPeople",
  "campaigns/OccurrencePlan",
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
