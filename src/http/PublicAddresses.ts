import { Context, Effect, Layer } from "effect";
import { HttpServer } from "effect/http";
import { Settings } from "../config/Settings.ts";
import type { Environment } from "../workspaces/Environment.ts";

const production = "/platform/v1";
const sandbox = "/sandbox/platform/v1";

/** The environment and path of a platform request. */
export interface PlatformAddress {
  readonly environment: Environment;
  /** The URL for the router, with the query string: always under `/platform/v1`. */
  readonly url: string;
}

/** The public base addresses of this installation (contract A1). */
export class PublicAddresses extends Context.Service<
  PublicAddresses,
  {
    /** Scheme, host and port of the listen address. */
    readonly origin: string;
    readonly base: Readonly<Record<Environment, string>>;
    readonly media: string;
    /** Finds the environment by host and path; null for a path outside of the platform API. */
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
  /** The address whose host must be called; null for any host. */
  readonly host: URL | null;
  readonly path: string;
}

/** Whether the called host is that of the address; the default port of the scheme may be given. */
const isCalledAs = (wanted: URL, called: string | undefined): boolean =>
  called === wanted.host ||
  (wanted.port === "" && called === `${wanted.host}:${wanted.protocol === "https:" ? 443 : 80}`);

/**
 * Makes `classify`. The first candidate whose path is a prefix matches; candidates with a host come first.
 */
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
    // A proxy may call Waypost by another host name. Then only distinct paths identify the environment.
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
