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
import { operatorTenants } from "./OperatorTenants.ts";

/** Handlers of `TransportsApi`. */
export const transportsHandlers = handlerGroup(
  OperatorApi,
  "transports",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* operatorTenants;
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
        tenants.dataOf(params, FcmCredentials, input, credentials.putFcm),
      )
      .handleRaw("putApns", ({ params, ...input }) =>
        tenants.dataOf(params, ApnsCredentials, input, credentials.putApns),
      )
      .handleRaw("putWebPush", ({ params, ...input }) =>
        tenants.dataOf(params, WebPushCredentials, input, credentials.putWebPush),
      )
      .handleRaw("test", ({ params, ...input }) =>
        tenants.dataOf(params, TransportTestDraft, input, (tenant, body) =>
          tests.run(tenant, params.transport, body),
        ),
      )
      .handle("delete", ({ params }) =>
        tenants.data(params, (tenant) => credentials.delete(tenant, params.transport)),
      );
  }),
);
