/** The editor of a notification, beside its preview, with what a device gets and test sends below. */
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import type { Campaign } from "../data/Resources.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { DraftNotice } from "../parts/form/DraftNotice.tsx";
import { Form, useForm } from "../parts/form/Form.tsx";
import { isBehind, VersionConflict } from "../parts/form/VersionConflict.tsx";
import { showToast } from "../parts/Toasts.tsx";
import { addressOf, navigate } from "../routing/Router.ts";
import { DevicePreview } from "./DevicePreview.tsx";
import { type MessageValues, messageDraftOf } from "./NotificationForm.ts";
import { NotificationFields } from "./NotificationFields.tsx";
import { PhonePreview } from "./PhonePreview.tsx";
import { usePictures } from "./PictureField.tsx";
import { TestSection } from "./TestSendForm.tsx";
import { sentPush } from "./PushForm.ts";
import { repeatedTags } from "./TranslationForm.ts";

const labels = [
  ["name", "Name"],
  ["type", "Type"],
  ["headline", "Headline"],
  ["body", "Body"],
  ["media_asset_id", "Picture"],
  ["cta_label", "Button label"],
  ["cta_url", "Button address"],
  ["trigger_type", "Trigger"],
  ["send_at", "Send at"],
  ["late", "Time zone"],
  ["minutes", "Minutes inside"],
  ["max_silence_minutes", "Silent minutes"],
  ["starts_at", "Window: starts at"],
  ["ends_at", "Window: ends at"],
  ["questions", "Questions"],
  ["template", "Template"],
  ["translations", "Translations"],
  ["push", "Push options"],
] as const;

const shownValue = (value: MessageValues[(typeof labels)[number][0]]): string =>
  typeof value === "string"
    ? value
    : "silent" in value
      ? JSON.stringify(sentPush(value))
      : value
          .map((part) => ("tag" in part ? `${part.tag}: ${part.headline} ${part.body}` : part.question_text))
          .join("; ");

interface EditorProps {
  readonly draft: string;
  readonly campaign: Campaign;
  readonly initial: MessageValues;
  /** The id and the values that it has now; null for a new notification. */
  readonly stored: { readonly id: string; readonly values: MessageValues } | null;
}

/** Fields, the preview and the button. */
export const NotificationEditor = ({ campaign, draft, initial, stored }: EditorProps) => {
  const form = useForm<MessageValues>({
    draft,
    initial,
    send: async (values, idempotencyKey) => {
      const repeated = repeatedTags(values.translations);
      if (Object.keys(repeated).length > 0)
        throw new ApiProblem(null, "validation_failed", "A language is there twice.", repeated);
      try {
        const content = messageDraftOf(values);
        const options = { ifMatch: values.version, idempotencyKey };
        await send(
          stored === null
            ? platform.notifications.create(campaign.id, content, { idempotencyKey })
            : platform.notifications.update(campaign.id, stored.id, content, options),
        );
      } catch (error) {
        if (error instanceof ApiProblem && error.code === "version_conflict") void refresh();
        throw error;
      }
      navigate(addressOf(`/campaigns/${campaign.id}`));
      showToast(stored === null ? `“${values.name}” is added.` : `“${values.name}” is saved.`);
    },
  });
  const values = form.values.value;
  const { picture, pictures } = usePictures(values.media_asset_id);
  const saved = stored?.values ?? null;
  const isLive = campaign.status === "active" || campaign.status === "scheduled";
  return (
    <>
      {isLive && (
        <p class="notice">
          The campaign is live: it is {campaign.status}. What you save here holds at once for every device.
        </p>
      )}
      {!isBehind(form, saved) && <DraftNotice form={form} initial={initial} />}
      <VersionConflict form={form} saved={saved} noun="notification" labels={labels} show={shownValue} />
      <div class="beside">
        <Form model={form}>
          <NotificationFields campaign={campaign} form={form} pictures={pictures} />
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={form.isSending.value}>
              {stored === null ? "Add notification" : "Save"}
            </Button>
            <ButtonLink variant="plain" href={addressOf(`/campaigns/${campaign.id}`)}>
              Cancel
            </ButtonLink>
          </div>
        </Form>
        <PhonePreview message={values} picture={picture} />
      </div>
      <DevicePreview campaign={campaign} message={form} storedId={stored?.id ?? null} />
      {stored !== null && (
        <TestSection campaign={campaign} isChanged={form.isChanged.value} messageId={stored.id} />
      )}
    </>
  );
};
