/** The variants of a notification beside each other, each with its phone. */
import { platform } from "../data/Api.ts";
import { useData } from "../data/Query.ts";
import { Button } from "../parts/Button.tsx";
import { WholeProblems } from "../parts/form/FieldProblems.tsx";
import { TextField } from "../parts/form/Fields.tsx";
import { fieldsOf } from "../parts/form/BoundField.ts";
import { FieldScope, type FormModel } from "../parts/form/Form.tsx";
import { may } from "../session/SessionState.ts";
import type { MessageValues } from "./NotificationForm.ts";
import { Phone, type PhoneSettings } from "./PhonePreview.tsx";
import { PictureChoice, usePictures } from "./PictureField.tsx";
import { PushFields } from "./PushFields.tsx";
import { TranslationFields } from "./TranslationFields.tsx";
import { controlWeight, maxVariants, nextVariant, type VariantValues } from "./VariantForm.ts";

interface VariantsProps {
  readonly form: FormModel<MessageValues>;
  readonly settings: PhoneSettings;
  /** The id of a campaign that is there: once its experiment has begun, keys and weights stay. */
  readonly campaign: string | null;
}

interface VariantProps extends Omit<VariantsProps, "campaign"> {
  readonly index: number;
  readonly variant: VariantValues;
  readonly isFixed: boolean;
  readonly onChange: (changes: Partial<VariantValues>) => void;
  readonly onRemove: () => void;
}

const VariantGroup = ({ form, index, isFixed, onChange, onRemove, settings, variant }: VariantProps) => {
  const message = form.values.value;
  const { picture, pictures } = usePictures(variant.media_asset_id || message.media_asset_id);
  const name = variant.key.trim() || String(index + 1);
  const within = `variants.${index}.`;
  const field = fieldsOf(variant, onChange, within);
  const text = (key: "headline" | "body" | "cta_label" | "cta_url", label: string, rows = 1) => (
    <TextField {...field(key)} label={`${label} of ${name}`} placeholder={message[key]} rows={rows} />
  );
  return (
    <fieldset class="field-group">
      <legend>
        {name}: {variant.weight.trim() || "?"} % of people
      </legend>
      <Phone message={message} picture={picture} settings={settings} variant={variant} />
      {!isFixed && (
        <div class="field-pair">
          <TextField {...field("key")} label={`Key of variant ${index + 1}`} />
          <TextField {...field("weight")} label={`Percent of people for ${name}`} inputMode="numeric" />
        </div>
      )}
      {text("headline", "Headline")}
      {text("body", "Body", 4)}
      {text("cta_label", "Button label")}
      {text("cta_url", "Button address")}
      {message.type === "message" && (
        <PictureChoice
          {...field("media_asset_id")}
          label={`Picture of ${name}`}
          none="As in the original"
          pictures={pictures}
        />
      )}
      <TranslationFields
        form={form}
        of={` of ${name}`}
        questions={[]}
        translations={variant.translations}
        within={within}
        onTranslations={(translations) => onChange({ translations })}
      />
      <PushFields
        form={form}
        of={` of ${name}`}
        push={variant.push}
        within={within}
        onPush={(push) => onChange({ push })}
      />
      {!isFixed && (
        <div class="actions">
          <Button label={`Remove the variant ${name}`} onPress={onRemove}>
            Remove
          </Button>
        </div>
      )}
    </fieldset>
  );
};

/** All variants after the original, and "Add variant". */
export const VariantFields = ({ campaign, form, settings }: VariantsProps) => {
  const message = form.values.value;
  const { variants } = message;
  const { data } = useData(
    campaign === null || !may("reports:read") ? null : platform.experiments.get(campaign),
  );
  const isFixed = (data?.data.started_at ?? null) !== null;
  const { picture } = usePictures(message.media_asset_id);
  const set = (changed: ReadonlyArray<VariantValues>): void => form.set({ variants: changed });
  const rest = controlWeight(variants);
  return (
    <FieldScope model={form}>
      <section class="variants" aria-label="Variants">
        <h2 class="translations-heading">Variants</h2>
        <p class="hint">
          Other words for a share of people, chosen by chance, to see which words work better. What is left
          empty is as in the original.
        </p>
        {isFixed && (
          <p class="notice">
            People are in the experiment of the campaign: its variants and their shares stay as they are.
            Their words can be mended.
          </p>
        )}
        <WholeProblems name="variants" />
        {variants.length > 0 && (
          <div class="variant-list">
            <fieldset class="field-group">
              <legend>The original: {rest > 0 ? rest : "?"} % of people</legend>
              <Phone message={message} picture={picture} settings={settings} />
            </fieldset>
            {variants.map((variant, index) => (
              <VariantGroup
                key={index}
                form={form}
                index={index}
                isFixed={isFixed}
                settings={settings}
                variant={variant}
                onChange={(changes) =>
                  set(variants.map((each, at) => (at === index ? { ...each, ...changes } : each)))
                }
                onRemove={() => {
                  form.problems.value = {};
                  set(variants.filter((_, at) => at !== index));
                }}
              />
            ))}
          </div>
        )}
        {!isFixed && variants.length < maxVariants && (
          <Button onPress={() => set([...variants, nextVariant(variants)])}>Add variant</Button>
        )}
      </section>
    </FieldScope>
  );
};
