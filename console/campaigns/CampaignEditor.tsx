/** The editor of a campaign and a message of it, new or there, in four steps. */
import { loadedLater } from "../parts/LoadedLater.tsx";
import { useState } from "preact/hooks";
import { ApiProblem } from "../data/ApiCall.ts";
import type { Campaign } from "../data/Resources.ts";
import { DevicePreview, TestSection, VariantFields } from "../notifications/EditorSections.tsx";
import { MessageConflict, messageLabels, shownMessageValue } from "../notifications/MessageConflict.tsx";
import { MessageFields } from "../notifications/MessageFields.tsx";
import { firstTrigger, valuesOfMessage } from "../notifications/NotificationForm.ts";
import { PhonePreview, usePhones } from "../notifications/PhonePreview.tsx";
import { usePictures } from "../notifications/PictureField.tsx";
import { TriggerFields } from "../notifications/TriggerFields.tsx";
import { campaignTypes } from "../reports/ReportFilters.ts";
import { Button, ButtonLink } from "../parts/Button.tsx";
import { Changes, changesOf } from "../parts/form/Changes.tsx";
import { DraftNotice } from "../parts/form/DraftNotice.tsx";
import { SelectField, TextField } from "../parts/form/Fields.tsx";
import { FormScope } from "../parts/form/Form.tsx";
import { isBehind, VersionConflict } from "../parts/form/VersionConflict.tsx";
import { addressOf } from "../routing/Router.ts";
import { campaignLabels, isInEffect, shownCampaignValue, valuesOf } from "./CampaignForm.ts";
import { type Edited, useEditorForms } from "./EditorForms.ts";
import {
  stepAddress,
  StepHeading,
  StepLinks,
  stepOfAddress,
  stepOfField,
  stepOfMessageField,
  steps,
} from "./EditorSteps.tsx";
import { Lead, PublishDialog, type PublishSummary, summaryOf } from "./PublishSummary.tsx";
import { WhenFields } from "./WhenFields.tsx";

const WhoFields = loadedLater(
  () => import("./WhoFields.tsx"),
  (program) => program.WhoFields,
);

const ReviewStep = loadedLater(
  () => import("./ReviewStep.tsx"),
  (program) => program.ReviewStep,
);

const types = Object.entries(campaignTypes).map(([value, text]) => ({ value, text }));
const typeHints = {
  geo: "Geo: when a device enters or leaves a location.",
  push: "Push: at fixed times on the day of the start, or again and again.",
  event: "Event: when an app or a server reports an event of its own.",
} as const;

const LiveNotice = ({ campaign }: { readonly campaign: Campaign }) => (
  <p class="notice">
    This campaign is live: it is {campaign.status}. “Publish” changes it at once for every device. “Save
    paused” stops it until it is published again.
  </p>
);

/** The steps, the buttons, and what stands in the way of a save. */
export const CampaignEditor = (props: Edited) => {
  const { initial, message: edited, others, stored } = props;
  const step = stepOfAddress();
  const forms = useEditorForms(props);
  const { form, message } = forms;
  const values = form.values.value;
  const [asked, setAsked] = useState<PublishSummary | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [phones, setPhones] = usePhones();
  const { picture, pictures } = usePictures(message.values.value.media_asset_id);
  const own = { ...message.values.value, name: message.values.value.name || values.name };
  const reviewed = [
    ...(edited === null ? [] : [own]),
    ...others.map((each) => valuesOfMessage(each, values, "")),
  ];
  const saved = stored === null ? null : valuesOf(stored.campaign, stored.version);
  const storedId = edited?.storedId ?? null;
  const savedMessage = edited === null || storedId === null ? null : edited.initial;
  const isRunning = stored !== null && isInEffect(stored.campaign);
  const campaign = {
    id: stored?.campaign.id ?? null,
    type: values.type,
    timezone: values.timezone,
    day: values.recurrence_rule === "" ? values.starts_at.slice(0, 10) : "",
  };
  const changes = [
    ...changesOf(form, campaignLabels, shownCampaignValue),
    ...(edited === null ? [] : changesOf(message, messageLabels, shownMessageValue)),
  ];
  const askToPublish = async (): Promise<void> => {
    if (isAsking || form.isSending.value) return;
    setAsking(true);
    try {
      if (await forms.check()) setAsked(await summaryOf(values, reviewed));
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 422) await forms.save("check");
      else form.refusal.value = error instanceof Error ? error.message : String(error);
    }
    setAsking(false);
  };
  const next = steps[steps.findIndex(([key]) => key === step) + 1]?.[0];
  const isElsewhere = (name: string): boolean => stepOfField(name) !== step;
  const isMessageElsewhere = (name: string): boolean => stepOfMessageField(name) !== step;
  const fields = (
    <div class="form">
      <FormScope model={form} isElsewhere={isElsewhere}>
        {step === "message" && (
          <>
            <TextField {...form.field("name")} label="Name" hint="For you. People do not see it." />
            <SelectField
              {...form.field("type")}
              label="Type"
              hint={typeHints[values.type]}
              choices={types}
              onValue={(value) => {
                const type = value as typeof values.type;
                form.set({ type });
                message.set({ trigger_type: firstTrigger(type) });
              }}
            />
          </>
        )}
        {step === "who" && <WhoFields form={form} />}
        {step === "when" && (
          <WhenFields form={form}>
            {edited !== null && (
              <FormScope model={message} isElsewhere={isMessageElsewhere}>
                <TriggerFields
                  campaign={campaign}
                  form={message}
                  zoneLabel="Whose time"
                  hasWindow={edited.initial.starts_at !== "" || edited.initial.ends_at !== ""}
                />
              </FormScope>
            )}
          </WhenFields>
        )}
      </FormScope>
      {step === "message" && edited !== null && (
        <FormScope model={message} isElsewhere={isMessageElsewhere}>
          {savedMessage !== null && (
            <TextField {...message.field("name")} label="Name of the message" hint="For you, too." />
          )}
          <MessageFields form={message} pictures={pictures} typeLabel="Message type" />
        </FormScope>
      )}
      {step === "message" && edited === null && (
        <p class="quiet">Your access key may not write notifications.</p>
      )}
      {step === "review" && (
        <ReviewStep values={values} messages={edited === null && others.length === 0 ? null : reviewed}>
          {stored !== null && <Changes changes={changes} isInEffect={isRunning} />}
        </ReviewStep>
      )}
    </div>
  );
  const isAnyBehind = isBehind(form, saved) || isBehind(message, savedMessage);
  return (
    <>
      {isRunning && <LiveNotice campaign={stored.campaign} />}
      {!isAnyBehind && (
        <DraftNotice
          isChanged={form.isChanged.value || message.isChanged.value}
          onDiscard={() => {
            form.reset(initial);
            if (edited !== null) message.reset(edited.initial);
          }}
        />
      )}
      <VersionConflict
        form={form}
        saved={saved}
        noun="campaign"
        labels={campaignLabels}
        show={shownCampaignValue}
      />
      <MessageConflict form={message} saved={savedMessage} />
      <StepLinks chosen={step} problems={forms.problems} />
      <StepHeading step={step} />
      <form class="form form-wide" noValidate onSubmit={(event) => event.preventDefault()}>
        {step === "message" || step === "review" ? (
          <div class="beside">
            {fields}
            {edited !== null && (
              <PhonePreview
                message={message.values.value}
                picture={picture}
                settings={phones}
                onSettings={setPhones}
              />
            )}
          </div>
        ) : (
          fields
        )}
        {step === "message" && edited !== null && (
          <VariantFields campaign={campaign.id} form={message} settings={phones} />
        )}
        <div class="actions form-actions">
          {next === undefined ? (
            <Button
              variant="primary"
              isBusy={isAsking || form.isSending.value}
              onPress={() => void askToPublish()}
            >
              Publish
            </Button>
          ) : (
            <ButtonLink variant="primary" href={stepAddress(next)}>
              Next
            </ButtonLink>
          )}
          <Button isBusy={form.isSending.value} onPress={() => void forms.save("paused")}>
            Save paused
          </Button>
          <ButtonLink
            variant="plain"
            href={addressOf(stored ? `/campaigns/${stored.campaign.id}` : "/campaigns")}
          >
            Cancel
          </ButtonLink>
        </div>
      </form>
      {step === "message" && edited !== null && (
        <DevicePreview campaign={campaign} message={message} storedId={storedId} />
      )}
      {step === "message" && stored !== null && storedId !== null && (
        <TestSection
          campaign={stored.campaign}
          isChanged={message.isChanged.value}
          messageId={storedId}
          variants={edited?.initial.variants ?? []}
        />
      )}
      {asked !== null && (
        <PublishDialog summary={asked} onConfirm={() => forms.save("publish")} onClose={() => setAsked(null)}>
          <Lead summary={asked} />
          {stored !== null && <Changes changes={changes} isInEffect={isRunning} />}
        </PublishDialog>
      )}
    </>
  );
};
