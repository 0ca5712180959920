/** The fields that say when a notification goes out. */
import { FieldGroup, SelectField, TextField } from "../parts/form/Fields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { formatWallTime } from "../parts/DisplayFormats.ts";
import { DayTimeField, TimeField } from "../parts/form/TimeFields.tsx";
import { loadedLater } from "../parts/LoadedLater.tsx";
import type { MessageValues } from "./NotificationForm.ts";

/** The campaign of a notification, as far as its times depend on it. */
export interface TriggerCampaign {
  readonly type: "geo" | "push" | "event";
  readonly timezone: string;
  /** The day on which a push campaign sends, as YYYY-MM-DD; empty for one that recurs. */
  readonly day: string;
}

const geoTriggers = [
  { value: "on_enter", text: "Entering a location" },
  { value: "on_exit", text: "Leaving a location" },
  { value: "on_dwell", text: "Being inside for some minutes" },
] as const;
const triggerChoices = {
  geo: geoTriggers,
  push: [{ value: "fixed_time", text: "At a fixed time" }],
  event: [{ value: "on_event", text: "An event of the app" }],
} as const;

const zoneChoices = [
  { value: "", text: "The campaign's time zone" },
  { value: "skip", text: "Each device's own, not where it has passed" },
  { value: "send", text: "Each device's own, at once where it has passed" },
] as const;

interface TriggerProps {
  readonly campaign: TriggerCampaign;
  readonly form: FormModel<MessageValues>;
  /** The name of the choice of the zone of a push. */
  readonly zoneLabel: string;
  /** Whether it may have times of its own within those of the campaign. */
  readonly hasWindow: boolean;
}

const EventTriggerFields = loadedLater(
  () => import("./EventTriggerFields.tsx"),
  (program) => program.EventTriggerFields,
);

/** "Trigger", and what it depends on. */
export const TriggerFields = ({
  campaign: { day, timezone, type },
  form,
  hasWindow,
  zoneLabel,
}: TriggerProps) => (
  <>
    <SelectField {...form.field("trigger_type")} label="Trigger" choices={triggerChoices[type]} />
    {type === "event" && <EventTriggerFields form={form} />}
    {form.values.value.trigger_type === "on_dwell" && (
      <FieldGroup label="Minutes inside" hint="It fires once for each visit that lasts so long.">
        <TextField
          {...form.field("minutes", "trigger_config.minutes")}
          label="Minutes"
          placeholder="1 to 1440"
        />
        <TextField
          {...form.field("max_silence_minutes", "trigger_config.max_silence_minutes")}
          label="Not after so many silent minutes"
          placeholder="No limit"
        />
      </FieldGroup>
    )}
    {type === "push" && (
      <>
        <TimeField
          {...form.field("send_at", "trigger_config.send_at")}
          label="Send at"
          hint={day === "" ? "On each of its days." : `On ${formatWallTime(day)}, its day.`}
        />
        <SelectField {...form.field("late", "trigger_config.late")} label={zoneLabel} choices={zoneChoices} />
      </>
    )}
    {type !== "push" && hasWindow && (
      <FieldGroup
        label="Window"
        hint={`Only within these times, in ${timezone}. Empty: as long as the campaign.`}
      >
        <DayTimeField {...form.field("starts_at")} label="Starts at" />
        <DayTimeField {...form.field("ends_at")} label="Ends at" />
      </FieldGroup>
    )}
  </>
);
