/** "Settings": all for the operator, the webhooks for those who may read them. */
import { PageFrame } from "../parts/PageFrame.tsx";
import { changedAddress } from "../routing/Router.ts";
import { environment, environmentNames } from "../session/Scope.ts";
import { isOperator, may } from "../session/SessionState.ts";
import { InstallationSettings } from "./InstallationSettings.tsx";
import { SdkKeySettings } from "./SdkKeySettings.tsx";
import { TokenSettings } from "./TokenSettings.tsx";
import { TransportSettings } from "./TransportSettings.tsx";
import { WebhookSettings } from "./WebhookSettings.tsx";
import { WorkspaceSettings } from "./WorkspaceSettings.tsx";

/** The sections by the ids of their headings. */
const sections = [
  ["workspace", "Workspace"],
  ["plan", "Plan"],
  ["tokens", "Tokens"],
  ["sdk-keys", "SDK keys"],
  ["transports", "Transports"],
  ["webhooks", "Webhooks"],
  ["installation", "Installation"],
] as const;

const shownSections = () =>
  sections.filter(([id]) => {
    if (id === "installation") return true;
    return id === "webhooks" ? may("webhooks:read") : isOperator();
  });

/** The settings of the workspace, of the environment and of the installation. */
export const SettingsPage = () => (
  <PageFrame
    title="Settings"
    lead={`SDK keys, transports and webhooks are those of ${environmentNames[environment.value]}.`}
  >
    <nav class="sections" aria-label="Sections">
      {shownSections().map(([id, text]) => (
        <a key={id} href={`${changedAddress({})}#${id}`}>
          {text}
        </a>
      ))}
    </nav>
    {isOperator() && (
      <>
        <WorkspaceSettings />
        <TokenSettings />
        <SdkKeySettings />
        <TransportSettings />
      </>
    )}
    {may("webhooks:read") && <WebhookSettings />}
    <InstallationSettings />
  </PageFrame>
);
