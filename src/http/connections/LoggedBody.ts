import { Cause, Effect, Stream } from "effect";
import { HttpBody, HttpServerResponse } from "effect/http";

/** A response that logs a failure of its body. The connection is cut then, because the head was sent. */
export const withLoggedBody = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: string,
): HttpServerResponse.HttpServerResponse => {
  const { body } = response;
  if (body._tag !== "Stream") return response;
  const logged = Stream.tapCause(body.stream, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.annotateLogs(Effect.logError("A response broke off", cause), { requestId }),
  );
  return HttpServerResponse.setBody(response, HttpBody.stream(logged, body.contentType, body.contentLength));
};
