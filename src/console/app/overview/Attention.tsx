/** What needs a person: webhooks that were disabled. */
import { usePlatform } from "../data/Query.ts";
import type { Ability, Page, Webhook } from "../data/Resources.ts";
import { formatInstant } from "../parts/DisplayFormats.ts";
import { workspace } from "../session/Scope.ts";
import { may } from "../session/SessionState.ts";

const webhooksRead: Ability = "webhooks:read";

/** The things of this workspace that do not work and that a person can mend. */
export const Attention = () => {
  const webhooks = usePlatform<Page<Webhook>>(may(webhooksRead) ? "/webhooks?limit=100" : null);
  const disabled = webhooks.data?.data.filter(({ disabled_at: at }) => at !== null) ?? [];
  const zone = workspace.value?.timezone ?? "UTC";
  return (
    <section class="card" aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {disabled.length === 0 && <p class="quiet">Everything works.</p>}
      <ul class="lines">
        {disabled.map(({ description, disabled_at: at, id, url }) => (
          <li key={id}>
            The webhook {description ?? url} is disabled
            {at !== null && <time dateTime={at}>since {formatInstant(at, zone)}</time>}
          </li>
        ))}
      </ul>
    </section>
  );
};
