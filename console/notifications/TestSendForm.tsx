/** Test sends: a notification is sent now to approved test devices, with the results. */
import { useEffect, useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { send } from "../data/ApiCall.ts";
import { useData } from "../data/Query.ts";
import type { Campaign, Delivery, TestSend } from "../data/Resources.ts";
import { Badge } from "../parts/Badge.tsx";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { SelectField } from "../parts/form/Fields.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { PickList, type PickItem } from "../parts/form/PickList.tsx";
import { may } from "../session/SessionState.ts";
import { LocationChoice } from "./LocationChoice.tsx";
import { variantChoices } from "./VariantForm.ts";

/** How often the result is read, in milliseconds. */
const resultMillis = 2_000;
const maxShown = 20;

const statusBadges = {
  held: <Badge text="Held by quiet hours" tone="waiting" />,
  queued: <Badge text="On its way" tone="waiting" />,
  handed_over: <Badge text="Sent to the push service" tone="waiting" />,
  delivered: <Badge text="Delivered" tone="good" />,
  failed: <Badge text="Failed" tone="bad" />,
} as const satisfies Readonly<Record<Delivery["status"], unknown>>;

/** The outcome of a test for each device. */
const Results = ({
  known,
  path,
  sent,
}: {
  readonly known: ReadonlyMap<string, PickItem>;
  readonly path: readonly [campaign: string, notification: string];
  readonly sent: TestSend;
}) => {
  const { data } = useData(platform.testSends.get(...path, sent.id), { millis: resultMillis });
  const now = new Map(data?.data.deliveries.map((delivery) => [delivery.id, delivery]));
  return (
    <ul class="lines">
      {sent.deliveries.map((delivery) => {
        const { device_id: device, id, last_error: error, status } = now.get(delivery.id) ?? delivery;
        return (
          <li key={id} class="test-device">
            <span>{known.get(device)?.name ?? device}</span>
            <span>
              {statusBadges[status]}
              {error !== null && <span class="second-line">{error}</span>}
            </span>
          </li>
        );
      })}
    </ul>
  );
};

/** Approved test devices by search, and the names of those that were seen. */
const useTestDevices = () => {
  const [search, setSearch] = useState("");
  const [known, setKnown] = useState<ReadonlyMap<string, PickItem>>(new Map());
  const wanted = search.trim();
  const { data } = useData(
    platform.devices.list({ approved: true, limit: maxShown, q: wanted || undefined }),
  );
  const found = (data?.data ?? []).map((device): PickItem => ({
    id: device.id,
    name: device.installation_id,
    note: device.user_id ?? device.platform,
  }));
  useEffect(() => {
    setKnown((before) => new Map([...before, ...found.map((item) => [item.id, item] as const)]));
  }, [data]);
  return {
    search,
    setSearch,
    known,
    found,
    isLoaded: data !== undefined,
    next: data?.meta.next_cursor ?? null,
  };
};

/** The devices, the button and the results. */
export const TestSendForm = ({
  campaign,
  messageId,
  variants,
}: {
  readonly campaign: Pick<Campaign, "id" | "type">;
  readonly messageId: string;
  readonly variants: ReadonlyArray<{ readonly key: string }>;
}) => {
  const [sent, setSent] = useState<TestSend>();
  const devices = useTestDevices();
  const form = useForm({
    draft: null,
    initial: { device_ids: [] as ReadonlyArray<string>, location_id: "", variant: "" },
    send: async ({ device_ids, location_id: location, variant }, idempotencyKey) => {
      setSent(undefined);
      const draft = { device_ids, location_id: location || null, variant: variant || null };
      const { data } = await send(platform.testSends.send(campaign.id, messageId, draft, { idempotencyKey }));
      setSent(data);
    },
  });
  const { device_ids: chosen } = form.values.value;
  return (
    <>
      <Form model={form} label="Send a test">
        <PickList
          label="Test devices"
          name="device_ids"
          searchLabel="Search test devices"
          search={devices.search}
          onSearch={devices.setSearch}
          found={devices.found}
          hasMore={devices.next !== null}
          known={devices.known}
          chosen={chosen}
          onChosen={(ids) => form.set({ device_ids: ids })}
          empty={
            devices.isLoaded ? "There is no approved test device yet. Approve one under Devices." : "Loading…"
          }
        />
        {campaign.type === "geo" && <LocationChoice {...form.field("location_id")} />}
        {variants.length > 0 && (
          <SelectField
            {...form.field("variant")}
            label="Variant"
            choices={variantChoices([...variants, { key: "control" }], "By the device")}
          />
        )}
        <Button type="submit" isBusy={form.isSending.value}>
          Send a test
        </Button>
      </Form>
      <div role="status">
        {sent !== undefined && (
          <Results key={sent.id} known={devices.known} path={[campaign.id, messageId]} sent={sent} />
        )}
      </div>
    </>
  );
};

/** "Send a test" of a stored notification. */
export const TestSection = ({
  campaign,
  isChanged,
  ...message
}: {
  readonly campaign: Campaign;
  readonly isChanged: boolean;
  readonly messageId: string;
  readonly variants: ReadonlyArray<{ readonly key: string }>;
}) =>
  may("devices:read") && may("notifications:write") ? (
    <CardSection title="Send a test">
      <p class="quiet">
        It goes out now, whatever schedule, pause, cap and quiet hours say, and counts in no report.
      </p>
      {isChanged && <p class="notice">What is sent is the saved version, without your changes.</p>}
      <TestSendForm campaign={campaign} {...message} />
    </CardSection>
  ) : null;
