import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** Slow test files, in the order in which they start. */
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
];

/** Starts the slow files first, so that no worker waits for one at the end of the run. */
export class LongestFirst extends BaseSequencer {
  readonly #root: string;

  constructor(vitest: Vitest) {
    super(vitest);
    this.#root = vitest.config.root;
  }

  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const name = relative(this.#root, moduleId)
        .slice("test/".length)
        .replace(/(\.\w+)?\.test\.ts$/, "");
      const index = slowFiles.indexOf(name);
      return index < 0 ? slowFiles.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
