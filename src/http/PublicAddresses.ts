import { Context, Effect, Layer } from "effect";
import { HttpServer } from "effect/http";
import { Settings } from "../config/Settings.ts";
import type { Environment } from "../workspaces/Environment.ts";

const production = "/platform/v1";
const sandbox = "/sandbox/platform/v1";

/** Where a platform request was sent to. */
export interface PlatformAddress {
  readonly environment: Environment;
  /** The path as the router knows it, with the query string: always under `/platform/v1`. */
  readonly url: string;
}

/** The public base addresses of this installation, and which of them a request was sent to (contract A1). */
export class PublicAddresses extends Context.Service<
  PublicAddresses,
  {
    /** Scheme, host and port of the listen address. */
    readonly origin: string;
    readonly base: Readonly<Record<Environment, string>>;
    readonly media: string;
    /** Tells the environment by host and path; null for an address outside of the platform API. */
    readonly classify: (host: string | undefined, url: string) => PlatformAddress | null;
  }
>()("waypost/http/PublicAddresses") {
  static readonly layer = Layer.effect(
    PublicAddresses,
    Effect.gen(function* () {
      const { mediaUrl, productionUrl, sandboxUrl } = yield* Settings;
      const origin = yield* HttpServer.addressFormattedWith(Effect.succeed);
      const base = {
        production: productionUrl ?? origin + production,
        sandbox: sandboxUrl ?? origin + sandbox,
      };
      return PublicAddresses.of({
        origin,
        base,
        media: mediaUrl ?? `${origin}/media`,
        classify: classifier(productionUrl, sandboxUrl),
      });
    }),
  );
}

interface Candidate {
  readonly environment: Environment;
  /** The address whose host it is; null: any host. */
  readonly host: URL | null;
  readonly path: string;
}

/** A host as it may be called: a client may also name the port that its scheme has anyway. */
const isCalledAs = (wanted: URL, called: string | undefined): boolean =>
  called === wanted.host ||
  (wanted.port === "" && called === `${wanted.host}:${wanted.protocol === "https:" ? 443 : 80}`);

/** A request is of the first candidate whose path it is under; one that also names its host goes before one that does not. */
export const classifier = (productionUrl: string | undefined, sandboxUrl: string | undefined) => {
  const configured = (
    [
      ["production", productionUrl],
      ["sandbox", sandboxUrl],
    ] as const
  ).flatMap(([environment, text]): Array<Candidate> => {
    if (text === undefined) return [];
    const url = new URL(text);
    return [{ environment, host: url, path: url.pathname }];
  });
  const candidates: ReadonlyArray<Candidate> = [
    ...configured,
    // A proxy may call us by another name; then only a path of its own tells the environments apart.
    ...configured
      .filter(({ path }) => path !== production && path !== sandbox)
      .filter(({ path }) => configured.filter((other) => other.path === path).length === 1)
      .map((candidate) => ({ ...candidate, host: null })),
    { environment: "sandbox", host: null, path: sandbox },
    { environment: "production", host: null, path: production },
  ];
  return (host: string | undefined, url: string): PlatformAddress | null => {
    const called = host?.toLowerCase();
    for (const { environment, host: wanted, path } of candidates) {
      if (wanted !== null && !isCalledAs(wanted, called)) continue;
      if (url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`)) {
        return { environment, url: production + url.slice(path.length) };
      }
    }
    return null;
  };
};
