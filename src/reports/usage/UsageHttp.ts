import { Clock, Effect } from "effect";
import { callerData } from "../../access/Caller.ts";
import { CampaignsRepository } from "../../campaigns/CampaignsRepository.ts";
import { LocationImportsRepository } from "../../locations/LocationImportsRepository.ts";
import { MediaLibraryRepository } from "../../media/MediaLibraryRepository.ts";
import { ContentsRepository } from "../../notifications/ContentsRepository.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";

/** Handlers of `UsageApi`. */
export const usageHandlers = handlerGroup(
  PlatformApi,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const campaigns = yield* CampaignsRepository;
    const notifications = yield* ContentsRepository;
    const locations = yield* LocationImportsRepository;
    const media = yield* MediaLibraryRepository;
    return handlers.handle("get", () =>
      callerData(
        Effect.fnUntraced(function* (caller) {
          const now = yield* Clock.currentTimeMillis;
          return {
            campaigns: yield* campaigns.countLimited(caller, null, now),
            notifications: yield* notifications.count(caller),
            locations: yield* locations.count(caller),
            media_bytes: yield* media.total(caller),
          };
        }),
      ),
    );
  }),
);
