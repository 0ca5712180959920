/** Endpoints of the operator interface that the platform API has now, until their callers have moved too. */
import { Context, Effect } from "effect";
import { Caller } from "../access/Caller.ts";
import { CallerAuthentication } from "../access/CallerAuthentication.ts";
import type { IncomingRequest } from "../http/Authenticators.ts";
import { NotFound } from "../wire/ApiError.ts";
import { IsOperator } from "./OperatorAccess.ts";
import { isEnvironment } from "./OperatorTenants.ts";

const path = new RegExp(
  "^/operator/v1/workspaces/([^/?]+)/([^/?]+)" +
    "(/(?:segments|notifications|campaigns|sends|deliveries|reports|webhooks|activity|usage|devices)" +
    "(?:[/?].*)?)$",
);

/** The workspace, environment and URL of a moved endpoint; null for an endpoint of the operator. */
const moved = ({ request: { method, url } }: IncomingRequest) => {
  const [, workspace = "", environment, rest = ""] = path.exec(url) ?? [];
  const isOwn = /^\/devices\/(?:import\b|[^/]+$)/.test(rest) && method !== "GET" && method !== "PATCH";
  if (environment === undefined || isOwn) return null;
  return { workspace, environment, url: `/platform/v1${rest}` };
};

/** The URL for the router of a request to the operator interface. */
export const routedUrl = (incoming: IncomingRequest): string => moved(incoming)?.url ?? incoming.request.url;

/** Makes the function that adds the operator to the services of a request. @throws 404 */
export const operatorServices = Effect.map(
  CallerAuthentication,
  (callers) => (incoming: IncomingRequest) =>
    Effect.gen(function* () {
      const found = moved(incoming);
      if (found === null) {
        return <R>(services: Context.Context<R>): Context.Context<R> =>
          Context.add(services, IsOperator, true);
      }
      const { environment, workspace } = found;
      if (!isEnvironment(environment)) {
        return yield* NotFound.of("The environment in the path must be sandbox or production.");
      }
      const caller = yield* Effect.mapError(callers.authenticateOperator(workspace, environment), () =>
        NotFound.of("There is no workspace with this id."),
      );
      return <R>(services: Context.Context<R>): Context.Context<R> => Context.add(services, Caller, caller);
    }),
);
