/** The way from an empty environment to the first message: locations, message, test, publish. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Ability } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { ButtonLink } from "../parts/Button.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";

/** A step: whether it is done (undefined before the first data), and the link for those who may. */
type Step = readonly [
  title: string,
  text: string,
  isDone: boolean | undefined,
  link: string,
  path: string,
  needs: Ability,
];

const texts = [
  "Import a list, or draw them on the map. A push campaign to segments needs none.",
  "A campaign says where, when and for whom. Its notification is what people read.",
  "Approve a test device on its page, and send it the message with “Test”.",
  "Nobody gets anything before. A summary says first whom it reaches.",
] as const;

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
  const [add, addPath] =
    newest === undefined
      ? (["New campaign", "/campaigns/new"] as const)
      : (["Add notification", `${newestPath}/notifications/new`] as const);
  const hasLocations = usage && usage.locations > 0;
  const hasMessage = usage && usage.notifications > 0;
  const isPublished = campaigns?.some(({ status }) => status !== "paused");
  return [
    ["Locations", texts[0], hasLocations, "Add locations", "/locations", "locations:write"],
    ["Message", texts[1], hasMessage, add, addPath, "campaigns:write"],
    ["Test", texts[2], testers && testers.length > 0, "Approve a test device", "/devices", "devices:write"],
    ["Publish", texts[3], isPublished, "Publish a campaign", newestPath, "campaigns:write"],
  ];
};

/** The steps, each with a link to where it is done. */
export const FirstSteps = ({ steps }: { readonly steps: ReadonlyArray<Step> }) => {
  const isOpen = ([, , isDone, , , needs]: Step) => isDone === false && may(needs);
  const next = steps.find(isOpen);
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">Nothing was sent yet</h2>
      <p class="quiet">
        Devices register themselves once your app has the SDK key of this workspace. Four steps lead to the
        first message:
      </p>
      <ol class="first-steps">
        {steps.map((step) => {
          const [title, text, isDone, link, path] = step;
          return (
            <li key={title}>
              <h3>
                {title} {isDone === true && <Badge text="Done" tone="good" />}
              </h3>
              <p class="quiet">{text}</p>
              {isOpen(step) && (
                <ButtonLink variant={step === next ? "primary" : "secondary"} href={addressOf(path)}>
                  {link}
                </ButtonLink>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
};
