/** "When": what sends the message, the dates of the campaign, and its limits. */
import type { ComponentChildren } from "preact";
import { DayTimeField } from "../parts/form/TimeFields.tsx";
import type { FormModel } from "../parts/form/Form.tsx";
import { ZoneField } from "../parts/form/ZoneField.tsx";
import { loadedLater } from "../parts/LoadedLater.tsx";
import { type CampaignValues, endOfChanged } from "./CampaignForm.ts";
import { Limits } from "./CampaignPacing.tsx";

/** "Repeats". Its program is loaded with it, as few campaigns need it. */
const RecurrenceFields = loadedLater(
  () => import("./RecurrenceFields.tsx"),
  ({ RecurrenceFields: Fields }) => Fields<CampaignValues>,
);

/** The dates, the message's own time as `children`, the zone and the limits. */
export const WhenFields = ({
  children,
  form,
}: {
  readonly form: FormModel<CampaignValues>;
  readonly children: ComponentChildren;
}) => {
  const values = form.values.value;
  const isPush = values.type === "push";
  return (
    <>
      <div class="field-pair">
        <DayTimeField
          {...form.field("starts_at")}
          onValue={(starts_at) => form.set({ ...endOfChanged(values, form.base.value), starts_at })}
          label="Starts at"
          hint={isPush ? "The first day on which its notifications are sent." : "A day, or a day and a time."}
        />
        {!isPush && (
          <DayTimeField
            {...form.field("ends_at")}
            label="Ends at"
            hint="A day includes all of it. Empty: no end."
          />
        )}
      </div>
      {isPush && <RecurrenceFields form={form} />}
      {children}
      <ZoneField
        {...form.field("timezone")}
        label="Time zone"
        hint="The times of this campaign are in this zone."
      />
      <Limits form={form} />
    </>
  );
};
