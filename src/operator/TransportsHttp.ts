import { Effect } from "effect";
import { HttpApiBuilder } from "effect/http-api";
import { OperatorApi } from "../OperatorApi.ts";
import { ApnsCredentials, FcmCredentials, WebPushCredentials } from "../sending/push/PushCredential.ts";
import { PushCredentials } from "../sending/push/PushCredentials.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `TransportsApi`. */
export const transportsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "transports",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const credentials = yield* PushCredentials;
    return handlers
      .handle("list", ({ params }) =>
        Effect.gen(function* () {
          const data = yield* credentials.list(yield* tenants.find(params));
          return { data, meta: { next_cursor: null } };
        }),
      )
      .handleRaw("putFcm", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const body = yield* readParsedBody(FcmCredentials, { request, endpoint });
          return { data: yield* credentials.putFcm(tenant, body) };
        }),
      )
      .handleRaw("putApns", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const body = yield* readParsedBody(ApnsCredentials, { request, endpoint });
          return { data: yield* credentials.putApns(tenant, body) };
        }),
      )
      .handleRaw("putWebPush", ({ endpoint, params, request }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const body = yield* readParsedBody(WebPushCredentials, { request, endpoint });
          return { data: yield* credentials.putWebPush(tenant, body) };
        }),
      )
      .handle("delete", ({ params }) =>
        Effect.gen(function* () {
          return { data: yield* credentials.delete(yield* tenants.find(params), params.transport) };
        }),
      );
  }),
);
