import { Clock, Context, Effect, Layer, Redacted } from "effect";
import { createHmac, timingSafeEqual } from "node:crypto";
import { makeCredential } from "../../access/Credential.ts";
import { seal, sealingKey, unseal } from "../../access/SealedText.ts";
import { Activity } from "../../activity/Activity.ts";
import { Database } from "../../database/Database.ts";
import { DataDirectory } from "../../database/DataDirectory.ts";
import { utcText } from "../../time/LocalTime.ts";
import { Forbidden } from "../../wire/ApiError.ts";
import type { TenantKey } from "../../workspaces/Environment.ts";
import type { Tenant } from "../../workspaces/Workspace.ts";
import type { IssuedUserSecret } from "./UserSecret.ts";
import { UserSecretsSql } from "./UserSecretsSql.ts";

const prefix = "wpu_";

/** The proof of a user id: its HMAC-SHA256 under the user secret. */
const userHash = (secret: string, userId: string): string =>
  createHmac("sha256", secret).update(userId).digest("hex");

const hashRequired = Forbidden.of(
  "user_hash_required",
  "This workspace takes a user_id only with its user_hash: the HMAC-SHA256 of the id under the user secret " +
    "of this environment, in hexadecimal digits.",
);

/** Binds a sealed secret to its environment. */
const contextOf = ({ environment, workspaceId }: TenantKey): string => `${workspaceId}/${environment}`;

/** The secrets by which an app's own server proves whose a device is (contract X31a). */
export class UserSecrets extends Context.Service<
  UserSecrets,
  {
    /** Makes the secret of an environment. An earlier one ends at once. */
    readonly issue: (tenant: TenantKey) => Effect.Effect<IssuedUserSecret>;
    /** Checks the proof of a user id where the workspace demands one. @throws 403 */
    readonly check: (
      tenant: Tenant,
      sent: { readonly user_id?: string | null | undefined; readonly user_hash?: string | null | undefined },
    ) => Effect.Effect<void, Forbidden>;
  }
>()("waypost/devices/users/UserSecrets") {
  static readonly layer = Layer.effect(
    UserSecrets,
    Effect.gen(function* () {
      const { secretKey } = yield* DataDirectory;
      const key = sealingKey(Redacted.value(secretKey), "waypost user secrets");
      const database = yield* Database;
      const repository = yield* UserSecretsSql;
      const activity = yield* Activity;

      return UserSecrets.of({
        issue: Effect.fn("UserSecrets.issue")(function* (tenant) {
          const now = yield* Clock.currentTimeMillis;
          const secret = makeCredential(prefix);
          const createdAt = utcText(now);
          yield* repository.put(tenant, seal(key, contextOf(tenant), secret), now);
          yield* activity.record(tenant, {
            action: "create",
            resource: { type: "user_secret", id: null, name: null },
            before: null,
            after: { issued_at: createdAt },
          });
          return { user_secret: secret, created_at: createdAt };
        }, database.atomically),

        check: Effect.fnUntraced(function* (tenant, { user_hash, user_id }) {
          if (!tenant.workspace.user_hash_required || user_id === undefined || user_id === null) return;
          const row = yield* repository.find(tenant);
          const secret = row && unseal(key, contextOf(tenant), row.sealed);
          if (secret === null) return yield* hashRequired;
          // The texts are compared: several hexadecimal texts decode to the same bytes.
          const sent = Buffer.from(user_hash?.toLowerCase() ?? "");
          const expected = Buffer.from(userHash(secret, user_id));
          if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return yield* hashRequired;
        }),
      });
    }),
  ).pipe(Layer.provide(UserSecretsSql.layer));
}
