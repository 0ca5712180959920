import type { Finding } from "../../src/doctor/HealthCheck.ts";

/** What `waypost doctor --json` says. */
export interface Told {
  readonly ok: boolean;
  readonly findings: ReadonlyArray<Finding>;
}

/** What it says of one check. */
export const about = (told: Told, area: string, check: string) =>
  told.findings.filter((each) => each.area === area && each.check === check);

/** What is not well. */
export const verdicts = (told: Told) =>
  told.findings
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ area, check, verdict }) => [area, check, verdict]);
