import { Effect, Layer } from "effect";
import { Settings } from "../../src/config/Settings.ts";
import { LinkCheck } from "../../src/notifications/LinkCheck.ts";
import { HostResolver } from "../../src/outgoing/PublicHosts.ts";

/** A link check with a resolver for these names only, and the setting for private addresses. */
export const checker = (
  names: Readonly<Record<string, ReadonlyArray<string>>> = {},
  allowPrivateAddresses = true,
) =>
  LinkCheck.layer.pipe(
    Layer.provide(
      Layer.succeed(HostResolver, async (host) => {
        const found = names[host];
        if (found === undefined) throw new Error("ENOTFOUND");
        return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      }),
    ),
    Layer.provide(Settings.layerTest({ allowPrivateAddresses })),
  );

/** Checks the address of a button. */
export const check = (url: string) => Effect.flatMap(LinkCheck, (button) => button.check(url));
