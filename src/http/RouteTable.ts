import { Context } from "effect";
import type { HttpApiEndpoint } from "effect/http-api";
import { HttpApi } from "effect/http-api";
import { MethodNotAllowed, NotFound } from "../wire/ApiError.ts";
import { isUuid } from "../wire/Ids.ts";

/** The texts that a parameter of an endpoint's path can be, by its name. Any other is 404 whatever the method, with a sentence that tells them. */
export const PathChoices = Context.Reference<
  Readonly<Record<string, { readonly choices: ReadonlyArray<string>; readonly otherwise: string }>>
>("waypost/http/PathChoices", { defaultValue: () => ({}) });

interface Pattern {
  readonly method: string;
  readonly segments: ReadonlyArray<string>;
  readonly choices: (typeof PathChoices)["Service"];
}

/** Path parameters that are not ids of ours, so that any text may stand there. */
const free = new Set(["env", "installation_id", "transport"]);

const parameter = (segment: string): string | null =>
  /^(?::(\w+)|\{(\w+)\})$/.exec(segment)?.slice(1).find(Boolean) ?? null;

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/");

/** The paths and methods of every interface: what a request that met no route is told. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    /** What an unknown path is told. */
    readonly unknown: NotFound;
    /**
     * 405 and the methods that the path takes, or 404: for an unknown path, and where an id can be no id, so that every
     * method but `POST` on `/locations/import` is one (contract B1, B2). A path that takes the method and met no route all the
     * same holds a text that cannot be read, and is unknown too.
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
    const unknown = NotFound.of(
      "There is no such endpoint, or no such resource: see /docs for the paths there are.",
    );
    const notFound = { error: unknown, allow: null };
    return {
      unknown,
      refusal: (method, path) => {
        const segments = segmentsOf(path);
        const matching = patterns.filter(
          (pattern) =>
            pattern.segments.length === segments.length &&
            pattern.segments.every((want, at) => parameter(want) !== null || want === segments[at]),
        );
        const impossible = matching.some((pattern) =>
          pattern.segments.some((want, at) => {
            const name = parameter(want);
            return name !== null && !free.has(name) && !isUuid(segments[at] ?? "");
          }),
        );
        if (matching.length === 0 || impossible) return notFound;
        for (const { choices, segments: wanted } of matching) {
          for (const [at, want] of wanted.entries()) {
            const known = choices[parameter(want) ?? ""];
            if (known !== undefined && !known.choices.includes(segments[at] ?? "")) {
              return { error: NotFound.of(known.otherwise), allow: null };
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
