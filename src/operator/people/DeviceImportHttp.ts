import { Effect, Stream } from "effect";
import { HttpServerResponse } from "effect/http";
import { DeviceImports } from "../../devices/import/DeviceImports.ts";
import { OperatorApi } from "../../OperatorApi.ts";
import { handlerGroup } from "../../wire/HandlerGroup.ts";
import { operatorTenants } from "../OperatorTenants.ts";

/** Handlers of `DeviceImportApi`. */
export const deviceImportHandlers = handlerGroup(
  OperatorApi,
  "deviceImport",
  Effect.fnUntraced(function* (handlers) {
    const tenants = yield* operatorTenants;
    const imports = yield* DeviceImports;
    return handlers.handleRaw("import", ({ params, request }) =>
      Effect.gen(function* () {
        const results = yield* imports.run(yield* tenants.find(params), request);
        return HttpServerResponse.stream(Stream.fromIterable(results.pieces()), {
          contentType: "application/json",
        });
      }),
    );
  }),
);
