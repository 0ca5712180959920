/** "Repeats" in the campaign editor. Its program is loaded with it, as few campaigns need it. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FormModel } from "../parts/form/Form.tsx";
import { Loading } from "../parts/PageFrame.tsx";
import type { CampaignValues } from "./CampaignForm.ts";

type Props = { readonly form: FormModel<CampaignValues> };

/** The fields of the recurrence of a push campaign. */
export const RecurrenceSection = ({ form }: Props) => {
  const [Fields, setFields] = useState<ComponentType<Props>>();
  useEffect(
    () => void import("./RecurrenceFields.tsx").then((loaded) => setFields(() => loaded.RecurrenceFields)),
    [],
  );
  return Fields === undefined ? <Loading /> : <Fields form={form} />;
};
