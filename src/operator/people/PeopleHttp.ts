import { Effect, Stream } from "effect";
import { HttpServerResponse } from "effect/http";
import { limitFileTransfer } from "../../http/connections/SlowClients.ts";
import { OperatorApi } from "../../OperatorApi.ts";
import { Erasures } from "../../people/Erasures.ts";
import { People } from "../../people/People.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { operatorTenants } from "../OperatorTenants.ts";

/** Handlers of `PeopleApi`. */
export const peopleHandlers = handlerGroup(
  OperatorApi,
  "people",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* operatorTenants;
    const people = yield* People;
    const erasures = yield* Erasures;
    return handlers
      .handleRaw("export", ({ params }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          yield* limitFileTransfer;
          const pieces = yield* people.export(tenant, params.user_id);
          return HttpServerResponse.stream(Stream.encodeText(pieces), { contentType: "application/json" });
        }),
      )
      .handle("erase", ({ params }) =>
        tenants.data(params, (tenant) => erasures.erasePerson(tenant, params.user_id)),
      )
      .handle("eraseDevice", ({ params: { device, ...path } }) =>
        tenants.data(path, (tenant) => erasures.eraseDevice(tenant, device)),
      );
  }),
);
