/** "Try it here": this browser, or a phone by a code to scan, becomes a test device. */
import { useEffect, useState } from "preact/hooks";
import { here, operator, platform } from "../data/Api.ts";
import { send, sendWhole, sentencesOf } from "../data/ApiCall.ts";
import { refresh, useData } from "../data/Query.ts";
import { serverNow } from "../data/ServerTime.ts";
import type { Campaign } from "../data/Resources.ts";
import { Button } from "../parts/Button.tsx";
import { Dialog } from "../parts/Dialog.tsx";
import { SelectField } from "../parts/form/Fields.tsx";
import { addressOf } from "../routing/Router.ts";
import { draftKey, keepDraft, readDraft } from "../session/Drafts.ts";
import { environment, workspaceId } from "../session/Scope.ts";
import { isOperator } from "../session/SessionState.ts";
import { qrCode } from "./QrCode.ts";

const waitMillis = 2_000;
/** A name in the code is cut, so that the code stays coarse enough to scan. */
const maxNameChars = 30;

/** The server gives this name a meaning: it takes a key for tries for an hour. */
const keyName = "Try it here";
const youngMillis = 1_800_000;

/** A new SDK key for tries from this origin, or the one of the last half hour. @throws ApiProblem */
const sdkKeyForTries = async (): Promise<string> => {
  const draft = draftKey(workspaceId.value ?? "", environment.value, "try");
  const kept = readDraft(draft) as { readonly id: string; readonly key: string } | undefined;
  const { data } = await sendWhole(operator.sdkKeys.list(...here()));
  const keys = data.filter(({ name, revoked_at }) => name === keyName && revoked_at === null);
  const ageOf = (each: { readonly created_at: string }) => serverNow() - Date.parse(each.created_at);
  if (kept && keys.some((each) => each.id === kept.id && ageOf(each) < youngMillis)) return kept.key;
  for (const each of keys)
    if (ageOf(each) > 2 * youngMillis) await send(operator.sdkKeys.revoke(...here(), each.id));
  const issue = operator.sdkKeys.issue(...here(), { name: keyName, allowed_origins: [location.origin] });
  const { id, sdk_key: key } = (await send(issue)).data;
  keepDraft(draft, { id, key });
  return key;
};

const Code = ({ text }: { readonly text: string }) => {
  const rows = qrCode(text);
  if (rows === null) return null;
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg class="scan-code" viewBox="-4 -4 65 65" role="img" aria-label="Code to scan with a phone">
      <rect x="-4" y="-4" width="65" height="65" fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
};

/** The device of a try, which is approved as soon as it is there. */
const useTriedDevice = (name: string) => {
  const { data } = useData(platform.devices.list({ limit: 20 }), { millis: waitMillis });
  const device = data?.data.find(({ attributes }) => attributes["try_it_here"] === name);
  useEffect(() => {
    if (device === undefined || device.approved) return;
    void send(platform.devices.approve(device.id, { approved: true })).then(refresh);
  }, [device?.id]);
  return device;
};

/** The dialog. Of a geo campaign a visit of its first location is offered. */
export const TryDialog = ({
  campaign,
  onClose,
}: {
  readonly campaign?: Campaign;
  readonly onClose: () => void;
}) => {
  const [name] = useState(() => crypto.randomUUID().slice(0, 8));
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const device = useTriedDevice(name);
  const { data } = useData(platform.locations.list({ limit: 100 }), { millis: Infinity });
  const ids = campaign?.targeting.location_ids ?? [];
  const locations = data?.data.filter(({ id }) => ids.length === 0 || ids.includes(id)) ?? [];
  const first = campaign?.type === "geo" ? locations[0]?.id : "";
  const visited = locations.find(({ id }) => id === (chosen ?? first));
  useEffect(() => {
    sdkKeyForTries().then(setKey, (error: unknown) => setProblem(sentencesOf(error).join(" ")));
  }, []);
  const fragment = new URLSearchParams({
    key,
    try: name,
    ...(visited && { visit: visited.id, name: visited.name.slice(0, maxNameChars) }),
  });
  const address = `${location.origin}/sdk/v1/try.html#${fragment}`;
  return (
    <Dialog title={keyName} onClose={onClose} actions={<Button onPress={onClose}>Close</Button>}>
      <p>
        A browser becomes a test device, with an inbox and, where Web Push is set up, pushes. Use this one, or
        scan the code with a phone that reaches {location.host}.
      </p>
      {problem !== "" && <p class="notice notice-problem">{problem}</p>}
      <SelectField
        name="visit"
        label="Simulate a visit of"
        choices={[
          { value: "", text: "None" },
          ...locations.map((each) => ({ value: each.id, text: each.name })),
        ]}
        value={visited?.id ?? ""}
        onValue={setChosen}
      />
      {key !== "" && (
        <>
          <Code text={address} />
          <a class="button button-primary" href={address} target="_blank" rel="noreferrer">
            Use this browser
          </a>
        </>
      )}
      <p role="status">
        {device === undefined ? (
          "Waiting for a device…"
        ) : (
          <>
            <a href={addressOf(`/devices/${device.id}`)}>{device.installation_id}</a>{" "}
            {device.approved ? "is an approved test device." : "is here."}
          </>
        )}
      </p>
    </Dialog>
  );
};

/** The button, for the operator, who may issue the SDK key that it takes. */
export const TryHere = () => {
  const [isOpen, setOpen] = useState(false);
  if (!isOperator()) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{keyName}</Button>
      {isOpen && <TryDialog onClose={() => setOpen(false)} />}
    </>
  );
};
