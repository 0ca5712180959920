/** The way from an empty environment to the first message: locations, message, test, publish. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Ability } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { ButtonLink } from "../parts/Button.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";

/** A step, and where it is done. */
interface Step {
  readonly title: string;
  readonly text: string;
  /** Undefined before the first data. */
  readonly isDone: boolean | undefined;
  readonly link: readonly [text: string, path: string];
  /** Without it the link is not offered. */
  readonly needs: Ability;
}

/** The steps with what is done; null where nothing is asked. */
export const useFirstSteps = (isAsked: boolean): ReadonlyArray<Step> | null => {
  const isShown = isAsked && may("campaigns:read");
  const usage = useData(isShown ? platform.usage.get() : null).data?.data;
  const campaigns = useData(isShown ? platform.campaigns.list({ limit: 100 }) : null).data?.data;
  const isListed = isShown && may("devices:read");
  const testers = useData(isListed ? platform.devices.list({ approved: true, limit: 1 }) : null).data?.data;
  if (!isShown) return null;
  const newest = campaigns?.[0];
  const newestPath = newest === undefined ? "/campaigns" : `/campaigns/${newest.id}`;
  return [
    {
      title: "Locations",
      text: "Import a list, or draw them on the map. A push campaign to segments needs none.",
      isDone: usage && usage.locations > 0,
      link: ["Add locations", "/locations"],
      needs: "locations:write",
    },
    {
      title: "Message",
      text: "A campaign says where, when and for whom. Its notification is what people read.",
      isDone: usage && usage.notifications > 0,
      link:
        newest === undefined
          ? ["New campaign", "/campaigns/new"]
          : ["Add notification", `${newestPath}/notifications/new`],
      needs: "campaigns:write",
    },
    {
      title: "Test",
      text: "Approve a test device on its page, and send it the message with “Test”.",
      isDone: testers && testers.length > 0,
      link: ["Approve a test device", "/devices"],
      needs: "devices:write",
    },
    {
      title: "Publish",
      text: "Nobody gets anything before. A summary says first whom it reaches.",
      isDone: campaigns?.some(({ status }) => status !== "paused"),
      link: ["Publish a campaign", newestPath],
      needs: "campaigns:write",
    },
  ];
};

/** The steps, each with a link to where it is done. */
export const FirstSteps = ({ steps }: { readonly steps: ReadonlyArray<Step> }) => {
  const next = steps.find(({ isDone, needs }) => isDone === false && may(needs));
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">Nothing was sent yet</h2>
      <p class="quiet">
        Devices register themselves once your app has the SDK key of this workspace. Four steps lead to the
        first message:
      </p>
      <ol class="first-steps">
        {steps.map((step) => (
          <li key={step.title}>
            <div>
              <h3>
                {step.title} {step.isDone === true && <Badge text="Done" tone="good" />}
              </h3>
              <p class="quiet">{step.text}</p>
            </div>
            {step.isDone === false && may(step.needs) && (
              <ButtonLink variant={step === next ? "primary" : "secondary"} href={addressOf(step.link[1])}>
                {step.link[0]}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
};
