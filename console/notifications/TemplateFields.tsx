/** Names and locations in the texts: "Insert …", and the switch that makes texts templates. */
import { useEffect, useRef } from "preact/hooks";
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { CheckField, Select } from "../parts/form/Fields.tsx";
import { may } from "../session/SessionState.ts";

/** A fallback keeps a sentence whole where a device has no value. */
const own = [
  ['{{ location.name | default: "us" }}', "Name of the location"],
  ["{{ location.address }}", "Address of the location"],
  ["{{ campaign.name }}", "Name of the campaign"],
  ["{{ device.locale }}", "Language of the device"],
] as const;

const example = `{% if device.attributes.points >= 100 %}a coffee is on us{% else %}welcome{% endif %}!`;

/** The choices: variables, and the attributes that devices have. */
const useInserts = () => {
  const { data } = useData(may("devices:read") ? platform.devices.attributes() : null, { millis: Infinity });
  const attributes = (data?.data ?? []).map(({ name }) => {
    const path = /^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
    return { value: `{{ device.attributes${path} | default: "" }}`, text: `The person's ${name}` };
  });
  return [
    { value: "", text: "Insert a name or a location …" },
    ...own.map(([value, text]) => ({ value, text })),
    ...attributes,
  ];
};

/** The field of the form that had the focus last: it gets what is inserted. */
const useLastField = (isOf: (field: HTMLElement) => boolean) => {
  const last = useRef<HTMLInputElement | HTMLTextAreaElement | null>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent): void => {
      const isText =
        target instanceof HTMLTextAreaElement ||
        (target instanceof HTMLInputElement && target.type === "text");
      if (isText && target.role !== "combobox" && isOf(target)) last.current = target;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  return last;
};

/** The choice, the switch, and a short help while it is on. */
export const TemplateFields = ({
  isTemplate,
  onTemplate,
}: {
  readonly isTemplate: boolean;
  readonly onTemplate: (isTemplate: boolean) => void;
}) => {
  const region = useRef<HTMLDivElement>(null);
  const last = useLastField((field) => region.current?.closest("form")?.contains(field) ?? false);
  const inserts = useInserts();
  const insert = (text: string): void => {
    const body = region.current?.closest("form")?.querySelector("textarea");
    const field = last.current?.isConnected === true ? last.current : body;
    if (text === "" || !field) return;
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    onTemplate(true);
    field.focus();
  };
  return (
    <div class="template" ref={region}>
      <label class="filter">
        <span class="unseen">Insert</span>
        <Select choices={inserts} value="" onValue={insert} />
      </label>
      <CheckField label="The texts are Liquid templates" isChecked={isTemplate} onValue={onTemplate} />
      <p class="hint">
        {isTemplate
          ? "Headline, body, button and questions are filled in for each device. A missing value is empty."
          : "Off: people see the texts exactly as they are written."}
      </p>
      {isTemplate && (
        <p class="hint">
          Conditions work too: <code>{example}</code> Filters change a value: <code>default</code>,{" "}
          <code>upcase</code>, <code>truncate</code>, <code>date</code>, <code>url_encode</code>.
        </p>
      )}
    </div>
  );
};
