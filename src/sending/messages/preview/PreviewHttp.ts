import { Effect } from "effect";
import { callerData } from "../../../access/Caller.ts";
import { PlatformApi } from "../../../PlatformApi.ts";
import { handlerGroup } from "../../../wire/HandlerGroup.ts";
import { readParsedBody } from "../../../wire/ParsedBody.ts";
import { PreviewDraft } from "./Preview.ts";
import { Previews } from "./Previews.ts";

/** Handlers of `PreviewApi`. */
export const previewHandlers = handlerGroup(
  PlatformApi,
  "previews",
  Effect.fnUntraced(function* (handlers) {
    const previews = yield* Previews;
    return handlers.handleRaw("preview", ({ query: { variant = null }, ...input }) =>
      callerData((caller) =>
        Effect.flatMap(readParsedBody(PreviewDraft, input), (body) =>
          previews.preview(caller, body, variant),
        ),
      ),
    );
  }),
);
