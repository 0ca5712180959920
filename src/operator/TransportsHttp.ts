import { Effect } from "effect";
import { OperatorApi } from "../OperatorApi.ts";
import {
  ApnsCredentials,
  FcmCredentials,
  WebPushCredentials,
} from "../sending/credentials/PushCredential.ts";
import { PushCredentials } from "../sending/credentials/PushCredentials.ts";
import { TransportTestDraft } from "../sending/push/TransportTest.ts";
import { TransportTests } from "../sending/push/TransportTests.ts";
import { handlerGroup } from "../wire/HandlerGroup.ts";
import { readParsedBody } from "../wire/ParsedBody.ts";
import { OperatorTenants } from "./OperatorTenants.ts";

/** Handlers of `TransportsApi`. */
export const transportsHandlers = handlerGroup(
  OperatorApi,
  "transports",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* OperatorTenants;
    const credentials = yield* PushCredentials;
    const tests = yield* TransportTests;
    return handlers
      .handle("list", ({ params }) =>
        Effect.map(
          tenants.data(params, (tenant) => credentials.list(tenant)),
          ({ data }) => ({ data, meta: { next_cursor: null } }),
        ),
      )
      .handleRaw("putFcm", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readParsedBody(FcmCredentials, input), (body) => credentials.putFcm(tenant, body)),
        ),
      )
      .handleRaw("putApns", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readParsedBody(ApnsCredentials, input), (body) => credentials.putApns(tenant, body)),
        ),
      )
      .handleRaw("putWebPush", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readParsedBody(WebPushCredentials, input), (body) =>
            credentials.putWebPush(tenant, body),
          ),
        ),
      )
      .handleRaw("test", ({ params, ...input }) =>
        tenants.data(params, (tenant) =>
          Effect.flatMap(readParsedBody(TransportTestDraft, input), (body) =>
            tests.run(tenant, params.transport, body),
          ),
        ),
      )
      .handle("delete", ({ params }) =>
        tenants.data(params, (tenant) => credentials.delete(tenant, params.transport)),
      );
  }),
);
