/** The health check of the image, which has no shell and no curl: asks Waypost whether it is ready. */
import process from "node:process";

/** The internal first argument of a health check. */
export const healthArgument = "health-check";

/** Whether Waypost accepts requests at `PORT` within 5 seconds. */
export const isHealthy = (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${process.env["PORT"] ?? "8080"}/health/ready`, {
    signal: AbortSignal.timeout(5_000),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
