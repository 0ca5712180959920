// The first file of the executable; bin/waypost.js does the same in a source tree.
import { healthArgument, isHealthy } from "./healthCheck.ts";
import { initdb, initdbArgument, recordedInitdb, redirectInitdb } from "./withoutShell.ts";

const [, , first, program, ...parameters] = process.argv;
if (first === "media-worker") void import("../../src/media/worker/MediaWorker.ts");
else if (first === healthArgument) void isHealthy().then((isReady) => process.exit(isReady ? 0 : 1));
else if (first === initdbArgument) process.exitCode = initdb(recordedInitdb(), program, parameters);
else {
  redirectInitdb();
  void import("../../src/main.ts");
}
