import { Context } from "effect";
import type { HttpApiEndpoint } from "effect/http-api";
import { HttpApi } from "effect/http-api";
import { MethodNotAllowed, NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";

/**
 * Annotation of an endpoint: the accepted texts of path parameters, by name. Others are 404 with this
 * sentence.
 */
export const PathChoices = Context.Reference<
  Readonly<Record<string, { readonly choices: ReadonlyArray<string>; readonly otherwise: string }>>
>("waypost/http/PathChoices", { defaultValue: () => ({}) });

interface Pattern {
  readonly method: string;
  readonly segments: ReadonlyArray<string>;
  readonly choices: (typeof PathChoices)["Service"];
}

/** Path parameters that are not UUIDs. */
const notIds = new Set(["env", "installation_id", "transport", "user_id"]);

const parameter = (segment: string): string | null =>
  /^(?::(\w+)|\{(\w+)\})$/.exec(segment)?.slice(1).find(Boolean) ?? null;

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/");

/** The paths and methods of every interface. It decides between 404 and 405 for a request without a route. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    /** The error for an unknown path. */
    readonly unknown: NotFound;
    /**
     * 405 with the methods of the path; 404 for an unknown path, and for a path with a text that cannot be an
     * id, such as every method but `POST` on `/locations/import` (contract B1, B2). A path that accepts the
     * method but has no route contains a text that cannot be decoded: it is 404 too.
     */
    readonly refusal: (
      method: string,
      path: string,
    ) => {
      readonly error: MethodNotAllowed | NotFound;
      readonly allow: string | null;
    };
  }
>()("waypost/http/RouteTable") {
  static readonly make = (apis: ReadonlyArray<HttpApi.Top>): RouteTable["Service"] => {
    const patterns: Array<Pattern> = [];
    for (const api of apis) {
      HttpApi.reflect(api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
          const choices = Context.get(endpoint.annotations, PathChoices);
          patterns.push({ method: endpoint.method, segments: segmentsOf(endpoint.path), choices });
        },
      });
    }
    const unknown = NotFound.of("There is no such endpoint, or no such resource: see /docs for the paths.");
    const notFound = { error: unknown, allow: null };
    return {
      unknown,
      refusal: (method, path) => {
        const segments = segmentsOf(path);
        const matching = patterns.filter(
          (pattern) =>
            pattern.segments.length === segments.length &&
            pattern.segments.every(
              (wanted, index) => parameter(wanted) !== null || wanted === segments[index],
            ),
        );
        const impossible = matching.some((pattern) =>
          pattern.segments.some((wanted, index) => {
            const name = parameter(wanted);
            return name !== null && !notIds.has(name) && !isUuid(segments[index] ?? "");
          }),
        );
        if (matching.length === 0 || impossible) return notFound;
        for (const pattern of matching) {
          for (const [index, wanted] of pattern.segments.entries()) {
            const accepted = pattern.choices[parameter(wanted) ?? ""];
            if (accepted !== undefined && !accepted.choices.includes(segments[index] ?? "")) {
              return { error: NotFound.of(accepted.otherwise), allow: null };
            }
          }
        }
        const methods = [...new Set(matching.map((pattern) => pattern.method))].sort();
        if (methods.includes(method === "HEAD" ? "GET" : method)) return notFound;
        if (methods.includes("GET")) methods.splice(methods.indexOf("GET") + 1, 0, "HEAD");
        const allow = methods.join(", ");
        return { error: MethodNotAllowed.of(`This path takes only ${allow}.`), allow };
      },
    };
  };
}
