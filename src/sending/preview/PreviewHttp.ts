import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { callerData } from "../../access/Caller.ts";
import { PlatformApi } from "../../PlatformApi.ts";
import { readJson } from "../../wire/RequestBody.ts";
import { Previews } from "./Previews.ts";

/** Handlers of `PreviewApi`. */
export const previewHandlers = HttpApiBuilder.group(
  PlatformApi,
  "previews",
  Effect.fnUntraced(function* (handlers) {
    const previews = yield* Previews;
    return handlers.handleRaw("preview", (input) =>
      callerData((caller) => Effect.flatMap(readJson(input), (body) => previews.preview(caller, body))),
    );
  }),
);
