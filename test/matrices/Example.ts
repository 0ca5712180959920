import { Effect } from "effect";
import type { MatrixFixture } from "./MatrixFixture.ts";

/** A request that its endpoint accepts. */
export interface ValidRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A value that is sent as JSON, a form, or a text of `contentType`. */
  readonly body?: unknown;
  /** The content type of a text. */
  readonly contentType?: string;
  /** Replaces the fixture's credential, for requests that end the credential that they use. */
  readonly credential?: string;
}

/** How to use an endpoint. Every matrix starts from it. */
export interface Example {
  /** Makes a request that succeeds, on resources that no other request uses. */
  readonly request: (fixture: MatrixFixture) => Effect.Effect<ValidRequest>;
  /**
   * The kinds of the ids in the body and the query: keys of `MatrixFixture.resources` by the path of the id
   * (`location_ids.0`, or `?campaign` in the query). The isolation matrix puts ids of other tenants there.
   */
  readonly idKinds?: Readonly<Record<string, string>>;
  /** The endpoint joins two resources of its path: they need not belong together before. */
  readonly joins?: true;
}

/** Examples by method and path. */
export type Examples = Readonly<Record<string, Example>>;

/** The example of a request that needs nothing of the fixture. */
export const plain = (request: ValidRequest = {}): Example => ({ request: () => Effect.succeed(request) });

type IdKinds = NonNullable<Example["idKinds"]>;

/** The example of a request about the fixture's own resources, by kind. */
export const about = (
  request: (idOf: (kind: string) => string, fixture: MatrixFixture) => ValidRequest,
  idKinds?: IdKinds,
): Example => ({
  request: (fixture) => Effect.sync(() => request((kind) => fixture.resources[kind] ?? "", fixture)),
  ...(idKinds && { idKinds }),
});

type Make = MatrixFixture["make"];
type Kind = { [K in keyof Make]: Make[K] extends Effect.Effect<any> ? K : never }[keyof Make];

/** The example of a request about a new resource. */
export const withNew = <K extends Kind>(
  kind: K,
  request: (
    made: Effect.Success<Extract<Make[K], Effect.Effect<any>>>,
    idOf: (kind: string) => string,
  ) => ValidRequest,
  idKinds?: IdKinds,
): Example => ({
  request: ({ make, resources }) =>
    Effect.map(make[kind] as Effect.Effect<never>, (made) => request(made, (name) => resources[name] ?? "")),
  ...(idKinds && { idKinds }),
});
