/** The editor of one notification of a campaign, beside its preview, with test sends below. */
import { useState } from "preact/hooks";
import { isInEffect } from "../campaigns/CampaignForm.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { ConfirmDialog } from "../parts/Dialog.tsx";
import { Changes, changesOf } from "../parts/form/Changes.tsx";
import { DraftNotice } from "../parts/form/DraftNotice.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { focusFirstProblem, Form, useForm } from "../parts/form/Form.tsx";
import { isBehind } from "../parts/form/VersionConflict.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { wallTimeAt } from "../parts/WallClock.ts";
import { addressOf, navigate } from "../routing/Router.ts";
import { DevicePreview, TestSection, VariantFields } from "./EditorSections.tsx";
import { MessageConflict, messageLabels, shownMessageValue } from "./MessageConflict.tsx";
import { MessageFields } from "./MessageFields.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { saveNotification } from "./NotificationSave.ts";
import { PhonePreview, usePhones } from "./PhonePreview.tsx";
import { usePictures } from "./PictureField.tsx";
import { TriggerFields } from "./TriggerFields.tsx";

interface EditorProps {
  readonly draft: string;
  readonly campaign: Campaign;
  readonly initial: MessageValues;
  /** The id and the values that it has now; null for a new notification. */
  readonly stored: { readonly id: string; readonly values: MessageValues } | null;
}

/** Fields, the preview and the button. Changes of a live campaign are asked about. */
export const NotificationEditor = ({ campaign, draft, initial, stored }: EditorProps) => {
  const [isAsking, setAsking] = useState(false);
  const form = useForm<MessageValues>({
    draft,
    initial,
    send: async (values, idempotencyKey) => {
      await saveNotification(campaign.id, stored?.id ?? null, values, idempotencyKey);
      navigate(addressOf(`/campaigns/${campaign.id}`));
      void refresh();
      showToast(stored === null ? `“${values.name}” is added.` : `“${values.name}” is saved.`);
    },
  });
  const values = form.values.value;
  const [phones, setPhones] = usePhones();
  const { picture, pictures } = usePictures(values.media_asset_id);
  const saved = stored?.values ?? null;
  const isRunning = isInEffect(campaign);
  const { id, recurrence, starts_at: start, timezone, type } = campaign;
  const day = recurrence === null ? wallTimeAt(start, timezone).slice(0, 10) : "";
  const save = async (): Promise<void> => {
    if (!(await form.submit())) requestAnimationFrame(() => requestAnimationFrame(focusFirstProblem));
  };
  return (
    <>
      {isRunning && (
        <p class="notice">
          The campaign is live: it is {campaign.status}. What you save here holds at once for every device.
        </p>
      )}
      {!isBehind(form, saved) && (
        <DraftNotice isChanged={form.isChanged.value} onDiscard={() => form.reset(initial)} />
      )}
      <MessageConflict form={form} saved={saved} />
      <Form model={form} isWide>
        <div class="beside">
          <div class="form">
            <TextField {...form.field("name")} label="Name" hint="For you. People do not see it." />
            <MessageFields form={form} pictures={pictures} typeLabel="Type" />
            <TriggerFields campaign={{ type, timezone, day }} form={form} zoneLabel="Time zone" hasWindow />
          </div>
          <PhonePreview message={values} picture={picture} settings={phones} onSettings={setPhones} />
        </div>
        <VariantFields campaign={id} form={form} settings={phones} />
        <div class="actions">
          {stored !== null && isRunning && form.isChanged.value ? (
            <Button variant="primary" isBusy={form.isSending.value} onPress={() => setAsking(true)}>
              Save
            </Button>
          ) : (
            <Button type="submit" variant="primary" isBusy={form.isSending.value}>
              {stored === null ? "Add notification" : "Save"}
            </Button>
          )}
          <ButtonLink variant="plain" href={addressOf(`/campaigns/${id}`)}>
            Cancel
          </ButtonLink>
        </div>
      </Form>
      <DevicePreview campaign={campaign} message={form} storedId={stored?.id ?? null} />
      {stored !== null && (
        <TestSection
          campaign={campaign}
          isChanged={form.isChanged.value}
          messageId={stored.id}
          variants={stored.values.variants}
        />
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Change “${values.name}”?`}
          action="Change it"
          onConfirm={save}
          onClose={() => setAsking(false)}
        >
          <Changes changes={changesOf(form, messageLabels, shownMessageValue)} isInEffect />
        </ConfirmDialog>
      )}
    </>
  );
};
