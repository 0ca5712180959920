/** "What a device gets": the notification as the server renders it, and as a push of each service. */
import { useState } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { ApiProblem, send } from "../data/ApiCall.ts";
import type { Campaign, Preview } from "../data/Resources.ts";
import { transportTexts } from "../devices/DeviceWords.ts";
import { Button } from "../parts/Button.tsx";
import { CardSection } from "../parts/CardSection.tsx";
import { type Column, DataTable } from "../parts/DataTable.tsx";
import { formatCount } from "../parts/DisplayFormats.ts";
import { SelectField } from "../parts/form/Fields.tsx";
import type { BoundField } from "../parts/form/BoundField.ts";
import { Form, type FormModel, useForm } from "../parts/form/Form.tsx";
import { FoundField } from "../parts/form/SearchChoice.tsx";
import { mediaSource } from "../parts/MediaSource.ts";
import { may } from "../session/SessionState.ts";
import { LanguageField } from "./LanguageField.tsx";
import { LocationChoice } from "./LocationChoice.tsx";
import type { MessageValues } from "./NotificationForm.ts";
import { divided, previewOf } from "./NotificationSave.ts";
import { OpenedMessage } from "./OpenedMessage.tsx";
import { variantChoices } from "./VariantForm.ts";

interface PreviewProps {
  readonly campaign: Pick<Campaign, "type"> & { readonly id: string | null };
  readonly message: FormModel<MessageValues>;
  /** The id of the notification; null for a new one. */
  readonly storedId: string | null;
}

const fieldTexts: Readonly<Record<string, string>> = {
  headline: "headline",
  body: "body",
  media: "picture",
  cta_label: "button label",
  cta_url: "button address",
  data: "data",
  notification: "declarative part",
  actions: "actions",
};

const cutText = (cut: ReadonlyArray<string>): string =>
  cut.map((field) => fieldTexts[field] ?? "a question").join(", ");

const services = ["fcm", "apns", "webpush"] as const;
type Push = NonNullable<Preview["pushes"]>["fcm"] & { readonly service: (typeof services)[number] };

const columns: ReadonlyArray<Column<Push>> = [
  { key: "service", heading: "Push service", cell: ({ service }) => transportTexts[service] },
  { key: "bytes", heading: "Size", isFigure: true, cell: ({ bytes }) => formatCount(bytes, "byte") },
  {
    key: "cut",
    heading: "Cut to fit",
    cell: ({ cut }) => (cut.length === 0 ? "nothing" : cutText(cut)),
  },
];

const Rendered = ({ preview: { cut, failure, message, pushes } }: { readonly preview: Preview }) => {
  if (message === null || pushes === null)
    return <p class="notice notice-problem">It would not be sent. {failure}</p>;
  const { media } = message;
  const hasPicture = media !== null && media.url !== null && media.type === "image";
  return (
    <>
      <OpenedMessage
        content={{
          headline: message.headline,
          body: message.body,
          button: message.cta_label ?? "",
          address: message.cta_url ?? "",
          picture: hasPicture ? { source: mediaSource(media.url), name: "The picture" } : null,
          questions: message.questions.map(({ choices, question_text: text }) => ({
            text,
            choices: choices.map((choice) => choice.text),
          })),
        }}
      />
      {message.silent === true && <p class="notice">It is silent: it shows nothing, in no inbox either.</p>}
      {message.cta_url !== null && <p class="hint">The button opens {message.cta_url}</p>}
      {cut.length > 0 && <p class="notice">Cut at its limit: {cutText(cut)}.</p>}
      <DataTable
        label="As a push"
        columns={columns}
        rows={services.map((service) => ({ service, ...pushes[service] }))}
        rowKey={({ service }) => service}
      />
    </>
  );
};

const DeviceChoice = (field: BoundField) => (
  <FoundField
    {...field}
    label="For the device"
    list={platform.devices.list}
    get={platform.devices.get}
    textOf={(device) => device.installation_id}
    none="None: a device of which only the language is known"
  />
);

/** A form with a button, and its result. */
export const DevicePreview = ({ campaign, message, storedId }: PreviewProps) => {
  const [preview, setPreview] = useState<Preview | null>(null);
  const form = useForm({
    draft: null,
    initial: { device_id: "", locale: "", location_id: "", variant: "" },
    send: async ({ device_id: device, locale, location_id: location, variant }) => {
      setPreview(null);
      const values = message.values.value;
      // Without a change the stored one is shown: it knows the name of its campaign.
      const isStored = storedId !== null && !message.isChanged.value;
      try {
        const draft = {
          ...(isStored && campaign.id !== null
            ? { campaign_id: campaign.id, notification_id: storedId }
            : previewOf({ ...values, name: values.name || "Message" })),
          ...(device === "" ? { locale: locale.trim() || null } : { device_id: device }),
          location_id: location || null,
        };
        const { data } = await send(platform.previews.preview(draft, { variant: variant || undefined }));
        message.problems.value = {};
        setPreview(data);
      } catch (error) {
        throw error instanceof ApiProblem ? divided(error, message) : error;
      }
    },
  });
  const { device_id: device } = form.values.value;
  const { variants } = message.values.value;
  const none = device === "" ? "The original" : "By the device";
  return (
    <CardSection title="What a device gets">
      <p class="quiet">The texts as the server fills them in for a device. Nothing is stored or sent.</p>
      <Form model={form} label="What a device gets">
        {may("devices:read") && <DeviceChoice {...form.field("device_id")} />}
        {device === "" && (
          <LanguageField {...form.field("locale")} label="Language of the device" none="Unknown" />
        )}
        {campaign.type === "geo" && <LocationChoice {...form.field("location_id")} />}
        {variants.length > 0 && (
          <SelectField {...form.field("variant")} label="Variant" choices={variantChoices(variants, none)} />
        )}
        <Button type="submit" isBusy={form.isSending.value}>
          Show what it gets
        </Button>
      </Form>
      <div class="rendered" role="status">
        {preview !== null && <Rendered preview={preview} />}
      </div>
    </CardSection>
  );
};
