import { Effect } from "effect";
import { callerData } from "../../access/Caller.ts";
import { Campaigns } from "../../campaigns/Campaigns.ts";
import { Locations } from "../../locations/Locations.ts";
import { MediaLibrary } from "../../media/MediaLibrary.ts";
import { Contents } from "../../notifications/Contents.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";

/** Handlers of `UsageApi`. */
export const usageHandlers = handlerGroup(
  PlatformApi,
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const campaigns = yield* Campaigns;
    const contents = yield* Contents;
    const locations = yield* Locations;
    const media = yield* MediaLibrary;
    return handlers.handle("get", () =>
      callerData((caller) =>
        Effect.all({
          campaigns: campaigns.countLimited(caller),
          notifications: contents.count(caller),
          locations: locations.count(caller),
          media_bytes: media.total(caller),
        }),
      ),
    );
  }),
);
