/** "Test": whether the campaign would reach test devices now, and if not, why. */
import { useState } from "preact/hooks";
import { usePlatform } from "../data/Query.ts";
import type { Campaign, Page } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { formatInstant } from "../parts/DisplayFormats.ts";
import { SearchFilter } from "../parts/Filters.tsx";
import { LoadProblem, Loading } from "../parts/PageFrame.tsx";
import { environment } from "../session/Scope.ts";
import type { ReachExplanation, TestDevice } from "./CampaignResources.ts";

const reasons: Readonly<Record<NonNullable<ReachExplanation["reason"]>, string>> = {
  paused: "The campaign is paused.",
  not_started: "The campaign has not started.",
  ended: "The campaign has ended.",
  no_notification: "The campaign has no notification that can still be sent.",
  not_approved: "The device is not an approved test device.",
  not_in_segment: "The device is in none of the segments.",
  address_gone: "The push address of the device is gone. It gets one when the app registers again.",
  transport_not_configured: "The push transport of the device is not configured.",
  capped: "The device has got as many messages as the frequency cap allows.",
  cooldown: "The device has got a message of the campaign at this location a short time ago.",
  quiet_hours: "It is in quiet hours for the device.",
  unsubscribed: "The device wants no messages.",
  outside: "The device is in none of the locations. It gets the message when it enters or leaves one.",
};

const DeviceLine = ({ campaign, device }: { readonly campaign: Campaign; readonly device: TestDevice }) => {
  const { data, problem } = usePlatform<Page<ReachExplanation>>(
    `/devices/${device.id}/explain?campaign=${campaign.id}`,
  );
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
          {reasons[found.reason]}
          {until !== null && ` Until ${formatInstant(until, campaign.timezone)}.`}
        </p>
      )}
    </li>
  );
};

/** Test devices with what each would get. The API has no sending of a test in this version. */
export const CampaignTest = ({
  campaign,
  onClose,
}: {
  readonly campaign: Campaign;
  readonly onClose: () => void;
}) => {
  const [search, setSearch] = useState("");
  const query = new URLSearchParams({
    approved: "true",
    limit: "10",
    ...(search === "" ? {} : { q: search }),
  });
  const { data, problem } = usePlatform<Page<TestDevice>>(`/devices?${query.toString()}`);
  const devices = data?.data;
  return (
    <Dialog
      title={`Test “${campaign.name}”`}
      onClose={onClose}
      actions={<Button onPress={onClose}>Close</Button>}
    >
      <p>
        {environment.value === "sandbox"
          ? "Whether it would reach approved test devices now. To get it for real, publish it in Sandbox."
          : "Whether it would reach these devices now. Nothing is sent."}
      </p>
      <SearchFilter label="Search devices by installation id" value={search} onValue={setSearch} />
      <LoadProblem problem={problem} />
      {devices === undefined && problem === undefined && <Loading />}
      {devices?.length === 0 && (
        <p class="quiet">
          {search === ""
            ? "There is no approved test device yet. Register one with your app and approve it under Devices."
            : "No approved device matches."}
        </p>
      )}
      <ul class="lines">
        {devices?.map((device) => (
          <DeviceLine key={device.id} campaign={campaign} device={device} />
        ))}
      </ul>
    </Dialog>
  );
};
