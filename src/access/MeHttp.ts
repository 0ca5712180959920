import { Effect } from "effect";
import { PlatformApi } from "../PlatformApi.ts";
import { utcText } from "../time/LocalTime.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Caller } from "./Caller.ts";

/** Handlers of `MeApi`. */
export const meHandlers = handlerGroup(PlatformApi, "me", (handlers) =>
  handlers.handle("get", () =>
    Effect.map(Caller, ({ abilities, environment, token, workspace }) => ({
      data: {
        workspace: { id: workspace.id, name: workspace.name },
        environment,
        token: {
          id: token.id,
          name: token.name,
          expires_at: token.expiresAt && utcText(token.expiresAt.getTime()),
        },
        abilities,
        platform_api_enabled: environment === "sandbox" || workspace.platform_api_enabled,
      },
    })),
  ),
);
