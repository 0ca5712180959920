import { relative } from "node:path";
import { BaseSequencer, type TestSpecification, type Vitest } from "vitest/node";

/** Files that take many seconds, in the order in which they are begun. */
const longest = [
  "matrices/HostileRequests",
  "backup/Backup",
  "matrices/Crashes",
  "database/embedded/EmbeddedPostgres",
  "cli/Serve",
  "matrices/Isolation",
  "reports/ReportsProperty",
  "client/ClientPackage",
  "sending/SendZones",
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
];

/** Begins with the files that take long, so that at the end of the run no worker waits for one of them. */
export class LongestFirst extends BaseSequencer {
  readonly #root: string;

  constructor(vitest: Vitest) {
    super(vitest);
    this.#root = vitest.config.root;
  }

  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = longest.indexOf(relative(this.#root, moduleId).slice("test/".length, -".test.ts".length));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
