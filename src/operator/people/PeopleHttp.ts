import { Effect } from "effect";
import { FileExports } from "../../http/files/FileExports.ts";
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
    const exports = yield* FileExports;
    return handlers
      .handleRaw("export", ({ params }) =>
        Effect.gen(function* () {
          const tenant = yield* tenants.find(params);
          const pieces = yield* people.export(tenant, params.user_id);
          return yield* exports.send(tenant.workspaceId, pieces, { contentType: "application/json" });
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
