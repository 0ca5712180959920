import type { Finding } from "../../src/doctor/HealthCheck.ts";

/** The output of `waypost doctor --json`. */
export interface DoctorReport {
  readonly ok: boolean;
  readonly findings: ReadonlyArray<Finding>;
}

/** The findings of one check. */
export const findingsOf = (report: DoctorReport, area: string, check: string) =>
  report.findings.filter((each) => each.area === area && each.check === check);

/** The findings that are not ok, as area, check and verdict. */
export const notOk = (report: DoctorReport) =>
  report.findings
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ area, check, verdict }) => [area, check, verdict]);
