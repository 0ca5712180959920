import { Effect } from "effect";
import { callerData } from "../../access/Caller.ts";
import { TargetingDraft } from "../../campaigns/TargetingDraft.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { readParsedBody } from "../../wire/ParsedBody.ts";
import { CampaignEstimates } from "./CampaignEstimates.ts";

/** Handlers of `CampaignEstimateApi`. */
export const campaignEstimateHandlers = handlerGroup(
  PlatformApi,
  "estimates",
  Effect.fnUntraced(function* (handlers) {
    const estimates = yield* CampaignEstimates;
    return handlers.handleRaw("estimate", (input) =>
      callerData((caller) =>
        Effect.flatMap(readParsedBody(TargetingDraft, input), (body) => estimates.estimate(caller, body)),
      ),
    );
  }),
);
