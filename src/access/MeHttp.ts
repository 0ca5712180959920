import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { PlatformApi } from "../PlatformApi.ts";
import { Caller } from "./Caller.ts";

/** Handlers of `MeApi`. */
export const meHandlers = HttpApiBuilder.group(PlatformApi, "me", (handlers) =>
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
