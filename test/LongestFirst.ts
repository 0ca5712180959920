import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** The projects in the order in which they start: the one with the longest files first. */
const projects = ["process", "service", "console", "fast"];

/** Slow test files, in the order in which they start within their project. */
const slowFiles = [
  "media/hostile/HostileFiles",
  "matrices/HostileRequests",
  "backup/Backup",
  "matrices/Crashes",
  "database/embedded/EmbeddedPostgres",
  "cli/Serve",
  "matrices/Isolation",
  "reports/ReportsProperty",
  "client/ClientPackage",
  "http/DocsPage",
  "sending/SendZones",
  "database/pool/SilentConnections",
  "http/DatabaseNetwork",
  "http/DatabaseLocks",
  "sending/SendSimulation",
  "matrices/IdempotentChanges",
  "matrices/Abilities",
  "time/LocalTimeZones",
  "machines/SeveralMachines",
  "machines/RollupsKilled",
  "upgrades/RollingRestart",
  "doctor/DoctorProcess",
  "cli/Executable",
  "upgrades/RollingUpgrade",
  "reports/rollups/Rollups",
  "http/RawSockets",
  "media/worker/MediaWorkers",
  "reports/CampaignEstimates",
  "sending/LocalSimulation",
  "upgrades/Releases",
  "console/DrawPage",
  "console/LocationListPage",
  "console/CampaignEditor",
  "console/ImportPage",
  "console/SettingsPage",
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
