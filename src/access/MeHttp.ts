import { Effect } from "effect";
import { PlatformApi } from "../PlatformApi.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { Caller } from "./Caller.ts";

/** Handlers of `MeApi`. */
export const meHandlers = handlerGroup(PlatformApi, "me", (handlers) =>
  handlers.handle("get", () =>
    Effect.map(Caller, ({ abilities, environment, workspace }) => ({
      data: {
        workspace: { id: workspace.id, name: workspace.name },
        environment,
        abilities,
        platform_api_enabled: environment === "sandbox" || workspace.platform_api_enabled,
      },
    })),
  ),
);
