/** "Test": whether the campaign would reach test devices now, if not, why, and test sends. */
import { useId, useState } from "preact/hooks";
import { obstacles } from "../../src/devices/Obstacle.ts";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Device, Notification } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatInstant } from "../parts/DisplayFormats.ts";
import { ChoiceFilter, SearchFilter } from "../parts/Filters.tsx";
import { TryDialog } from "../devices/TryHere.tsx";
import { instantWord } from "../devices/Why.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { TestSendForm } from "../notifications/TestSendForm.tsx";
import { addressOf } from "../routing/Router.ts";
import { isOperator, may } from "../session/SessionState.ts";

const DeviceLine = ({ campaign, device }: { readonly campaign: Campaign; readonly device: Device }) => {
  const { data, problem } = useData(platform.explanations.explain(device.id, { campaign: campaign.id }));
  const found = data?.data[0];
  const until = found?.until ?? null;
  return (
    <li>
      <div class="test-device">
        <span>
          {device.installation_id} <span class="quiet">{device.platform}</span>
        </span>
        {found !== undefined && (
          <Badge text={found.reaches ? "Reached" : "Not reached"} tone={found.reaches ? "good" : "waiting"} />
        )}
      </div>
      {problem !== undefined && <LoadProblem problem={problem} />}
      {found !== undefined && found.reason !== null && (
        <p class="quiet">
          {obstacles[found.reason]}
          {until !== null && ` ${instantWord(found.reason)} ${formatInstant(until, campaign.timezone)}.`}
        </p>
      )}
    </li>
  );
};

/** Sends a notification of the campaign to test devices. */
const SendTest = ({ campaign, messages }: Pick<TestProps, "campaign" | "messages">) => {
  const [chosen, setChosen] = useState(messages[0]?.id ?? "");
  const id = useId();
  return (
    <section class="page-section" aria-labelledby={id}>
      <h3 id={id}>Send a test</h3>
      <p>It goes out now, whatever schedule, pause, cap and quiet hours say, and counts in no report.</p>
      <ChoiceFilter
        label="Notification"
        choices={messages.map((message) => ({ value: message.id, text: message.name }))}
        value={chosen}
        onValue={setChosen}
      />
      <TestSendForm
        key={chosen}
        campaign={campaign}
        messageId={chosen}
        variants={messages.find(({ id }) => id === chosen)?.variants ?? []}
      />
    </section>
  );
};

interface TestProps {
  readonly campaign: Campaign;
  readonly messages: ReadonlyArray<Notification>;
  readonly onClose: () => void;
}

/** Test devices with what each would get now, and the sending of a test. */
export const CampaignTest = ({ campaign, messages, onClose }: TestProps) => {
  const [search, setSearch] = useState("");
  const [isTrying, setTrying] = useState(false);
  const { data, problem } = useData(
    platform.devices.list({ approved: true, limit: 10, q: search || undefined }),
  );
  const devices = data?.data;
  if (isTrying) return <TryDialog campaign={campaign} onClose={() => setTrying(false)} />;
  return (
    <Dialog
      title={`Test “${campaign.name}”`}
      onClose={onClose}
      actions={
        <>
          {isOperator() && <Button onPress={() => setTrying(true)}>Try it here</Button>}
          <Button onPress={onClose}>Close</Button>
        </>
      }
    >
      <p>Whether it would reach approved test devices now. This list sends nothing.</p>
      <SearchFilter label="Search devices by installation id" value={search} onValue={setSearch} />
      <LoadProblem problem={problem} />
      {devices === undefined && problem === undefined && <Loading />}
      {devices?.length === 0 && (
        <p class="quiet">
          {search !== "" && "No test device matches."}
          {search === "" && (
            <>
              There is no approved test device yet. Open one under <a href={addressOf("/devices")}>Devices</a>
              , and approve it on its page.
            </>
          )}
        </p>
      )}
      <ul class="lines">
        {devices?.map((device) => (
          <DeviceLine key={device.id} campaign={campaign} device={device} />
        ))}
      </ul>
      {messages.length > 0 && may("notifications:write") && (
        <SendTest campaign={campaign} messages={messages} />
      )}
    </Dialog>
  );
};
