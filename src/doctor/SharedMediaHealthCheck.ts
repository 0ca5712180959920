import { Effect } from "effect";
import type { Settings } from "../config/Settings.ts";
import type { NamedProcess } from "../database/SessionName.ts";
import { runCheck, warning } from "./HealthCheck.ts";
import { counted } from "../wire/Text.ts";

/** What several processes on one database must have in common, as far as one of them can tell. */
export const sharedStateHealthCheck = (config: Settings["Service"], processes: ReadonlyArray<NamedProcess>) =>
  runCheck(
    "media",
    "shared",
    Effect.sync(() => {
      const hosts = new Set(processes.map(({ host }) => host));
      if (config.databaseUrl === undefined || hosts.size < 2 || config.mediaStore._tag === "s3") return [];
      return warning(
        `${counted(hosts.size, "machine")} work on this database, and media are kept on a disk (WAYPOST_MEDIA_STORE).`,
        "See that media/ of each data directory is the same shared file system, or keep media in a bucket.",
      );
    }),
  );
