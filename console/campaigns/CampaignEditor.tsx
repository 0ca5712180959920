/** The editor of a campaign, new or there. */
import { useRef, useState } from "preact/hooks";
import { ApiProblem } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign, Notification } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { DraftNotice } from "../parts/form/DraftNotice.tsx";
import { focusFirstProblem, Form, useForm } from "../parts/form/Form.tsx";
import { isBehind, VersionConflict } from "../parts/form/VersionConflict.tsx";
import { addressOf } from "../routing/Router.ts";
import { CampaignFields } from "./CampaignFields.tsx";
import { type CampaignValues, isIncomplete, valuesOf } from "./CampaignForm.ts";
import { saveCampaign, type SaveIntent } from "./CampaignSave.ts";
import { PublishDialog, type PublishSummary, summaryOf } from "./PublishDialog.tsx";

const labels = [
  ["name", "Name"],
  ["type", "Type"],
  ["timezone", "Time zone"],
  ["starts_at", "Starts at"],
  ["ends_at", "Ends at"],
  ["frequency_cap_count", "Frequency cap: times"],
  ["frequency_cap_period", "Frequency cap: per"],
  ["cap_by", "Frequency cap: counted for"],
  ["quiet_from", "Quiet hours: from"],
  ["quiet_to", "Quiet hours: to"],
  ["quiet_action", "Quiet hours: action"],
  ["cooldown_minutes", "Cooldown"],
  ["max_per_minute", "Pace"],
  ["location_ids", "Locations"],
  ["location_group_ids", "Location groups"],
  ["segmentation_ids", "Segments"],
  ["segment_match", "Devices in segments"],
] as const;

const shownValue = (value: CampaignValues[(typeof labels)[number][0]]): string =>
  typeof value === "string" ? value : `${value.length} chosen`;

interface EditorProps {
  /** The name of the form, under which its draft is kept. */
  readonly draft: string;
  readonly initial: CampaignValues;
  /** The campaign as it is now, with its version; null for a new one. */
  readonly stored: { readonly campaign: Campaign; readonly version: string } | null;
  /** Its notifications, or those that a copy gets; null if they are not known. */
  readonly messages: ReadonlyArray<Notification> | null;
}

const isLive = ({ status }: Campaign): boolean => status === "active" || status === "scheduled";

const LiveNotice = ({ campaign }: { readonly campaign: Campaign }) =>
  isLive(campaign) ? (
    <p class="notice">
      This campaign is live: it is {campaign.status}. “Publish” changes it at once for every device. “Save
      paused” stops it until it is published again.
    </p>
  ) : null;

const Copies = ({ messages }: { readonly messages: ReadonlyArray<Notification> }) => (
  <section class="card" aria-labelledby="copied">
    <h2 id="copied">Notifications of the copy</h2>
    <ul class="lines">
      {messages.map(({ headline, id, name }) => (
        <li key={id}>
          {name} <span class="quiet">{headline}</span>
        </li>
      ))}
    </ul>
  </section>
);

/** Fields, both buttons, and what stands in the way of a save. */
export const CampaignEditor = ({ draft, initial, messages, stored }: EditorProps) => {
  const intent = useRef<SaveIntent>("paused");
  const [summary, setSummary] = useState<PublishSummary | null>(null);
  const [isAsking, setAsking] = useState(false);
  const form = useForm<CampaignValues>({
    draft,
    initial,
    send: async (values, idempotencyKey) => {
      try {
        const copies = stored === null ? (messages ?? []) : [];
        const campaign = stored?.campaign ?? null;
        await saveCampaign({ values, intent: intent.current, idempotencyKey, stored: campaign, copies });
      } catch (error) {
        if (error instanceof ApiProblem && error.code === "version_conflict") void refresh();
        throw error;
      }
    },
  });
  const values = form.values.value;
  const saved = stored === null ? null : valuesOf(stored.campaign, stored.version);

  const save = async (next: SaveIntent): Promise<void> => {
    intent.current = next;
    await form.submit();
    requestAnimationFrame(() => requestAnimationFrame(focusFirstProblem));
  };
  const askToPublish = async (): Promise<void> => {
    if (form.isSending.value || isAsking) return;
    if (isIncomplete(values)) return save("check");
    setAsking(true);
    try {
      setSummary(await summaryOf(values, messages));
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 422) await save("check");
      else form.refusal.value = error instanceof Error ? error.message : String(error);
    } finally {
      setAsking(false);
    }
  };
  return (
    <>
      {stored !== null && <LiveNotice campaign={stored.campaign} />}
      {!isBehind(form, saved) && <DraftNotice form={form} initial={initial} />}
      <VersionConflict form={form} saved={saved} noun="campaign" labels={labels} show={shownValue} />
      <Form model={form} onSubmit={() => void (intent.current = "paused")}>
        <CampaignFields form={form} />
        {stored === null && messages !== null && messages.length > 0 && <Copies messages={messages} />}
        <div class="actions form-actions">
          <Button
            // In a live campaign Enter in a field pauses nothing.
            type={stored !== null && isLive(stored.campaign) ? "button" : "submit"}
            onPress={stored !== null && isLive(stored.campaign) ? () => void save("paused") : undefined}
            isBusy={form.isSending.value}
          >
            Save paused
          </Button>
          <Button
            variant="primary"
            isBusy={isAsking || form.isSending.value}
            onPress={() => void askToPublish()}
          >
            Publish
          </Button>
          <ButtonLink
            variant="plain"
            href={addressOf(stored ? `/campaigns/${stored.campaign.id}` : "/campaigns")}
          >
            Cancel
          </ButtonLink>
        </div>
      </Form>
      {summary !== null && (
        <PublishDialog summary={summary} onConfirm={() => save("publish")} onClose={() => setSummary(null)} />
      )}
    </>
  );
};
