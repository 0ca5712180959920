import { Effect } from "effect";
import type { SettingsService } from "../config/Settings.ts";
import type { NamedProcess } from "../database/SessionName.ts";
import { counted } from "../wire/Text.ts";
import { runCheck, warning } from "./HealthCheck.ts";

/** Warns if processes on several machines store media on their own disks. */
export const sharedMediaHealthCheck = (settings: SettingsService, processes: ReadonlyArray<NamedProcess>) =>
  runCheck(
    "media",
    "shared",
    Effect.sync(() => {
      const hosts = new Set(processes.map(({ host }) => host));
      if (settings.databaseUrl === undefined || hosts.size < 2 || settings.mediaStore._tag === "s3")
        return [];
      return warning(
        `${counted(hosts.size, "machine")} use this database, and media are on a disk (WAYPOST_MEDIA_STORE).`,
        "Make media/ of every data directory the same shared file system, or store media in a bucket.",
      );
    }),
  );
