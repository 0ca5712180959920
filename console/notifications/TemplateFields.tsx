/** Whether the texts are templates, with a short help. */
import { CheckField } from "../parts/form/Fields.tsx";

const variables = [
  ["device.attributes.name", "an attribute that the app has sent, by any name"],
  ["device.platform, device.locale, device.timezone", "as the device registered"],
  ["location.name, location.address, location.external_id", "where it was triggered; empty on push"],
  ["campaign.name", "the name of the campaign"],
] as const;

const example = `Hi {{ device.attributes.name | default: "there" }},
{% if device.attributes.points >= 100 %}a coffee is on us{% else %}welcome{% endif %}!`;

const Help = () => (
  <details class="template-help">
    <summary>Variables and an example</summary>
    <dl class="template-variables">
      {variables.map(([name, meaning]) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
    <pre class="template-example">
      <code>{example}</code>
    </pre>
    <p class="hint">
      A missing value renders empty. <code>if</code>, <code>unless</code> and <code>case</code> choose, and
      filters change a value: <code>default</code>, <code>upcase</code>, <code>truncate</code>,{" "}
      <code>date</code>, <code>url_encode</code>.
    </p>
  </details>
);

/** The switch, and the help while it is on. */
export const TemplateFields = ({
  isTemplate,
  onTemplate,
}: {
  readonly isTemplate: boolean;
  readonly onTemplate: (isTemplate: boolean) => void;
}) => (
  <div class="template">
    <CheckField label="The texts are Liquid templates" isChecked={isTemplate} onValue={onTemplate} />
    <p class="hint">
      {isTemplate
        ? "Headline, body, button and questions are filled in for each device."
        : "Off: people see the texts exactly as they are written."}
    </p>
    {isTemplate && <Help />}
  </div>
);
