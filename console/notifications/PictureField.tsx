/** The picture of a notification: one of the media files, by name. */
import { platform } from "../data/Api.ts";
import type { MediaFile } from "../data/Resources.ts";
import { useData } from "../data/Query.ts";
import { SelectField } from "../parts/form/Fields.tsx";
import { addressOf } from "../routing/Router.ts";
import { may } from "../session/SessionState.ts";

/** A list of all media files can be long. */
const listMillis = 60_000;

/** The media files to choose from, with the chosen one, which may be older than the list. */
export const usePictures = (
  chosen: string,
): { readonly pictures: ReadonlyArray<MediaFile>; readonly picture: MediaFile | undefined } => {
  const isAllowed = may("media:read");
  const { data } = useData(isAllowed ? platform.media.list() : null, {
    isWhole: true,
    millis: listMillis,
  });
  const listed = data?.data ?? [];
  const isListed = listed.some(({ id }) => id === chosen);
  const single = useData(
    isAllowed && chosen !== "" && data !== undefined && !isListed ? platform.media.get(chosen) : null,
  );
  const own = single.data?.data;
  const pictures = own === undefined || isListed ? listed : [own, ...listed];
  return { pictures, picture: pictures.find(({ id }) => id === chosen) };
};

const Hint = ({ isEmpty }: { readonly isEmpty: boolean }) => {
  if (!may("media:read")) return <>Your access key may not list media.</>;
  if (!isEmpty) return <>An image, a video or a sound. Optional.</>;
  return (
    <>
      There is no media yet. <a href={addressOf("/media")}>Upload a file</a>: what you typed here is kept.
    </>
  );
};

/** "Picture". */
export const PictureField = ({
  onValue,
  pictures,
  value,
}: {
  readonly value: string;
  readonly pictures: ReadonlyArray<MediaFile>;
  readonly onValue: (id: string) => void;
}) => {
  const isKnown = value === "" || pictures.some(({ id }) => id === value);
  const choices = [
    { value: "", text: "None" },
    ...(isKnown ? [] : [{ value, text: "The one that it has" }]),
    ...pictures.map(({ id, name, type }) => ({
      value: id,
      text: type === "image" ? name : `${name} (${type})`,
    })),
  ];
  return (
    <SelectField
      name="media_asset_id"
      label="Picture"
      hint={<Hint isEmpty={pictures.length === 0} />}
      choices={choices}
      value={value}
      onValue={onValue}
    />
  );
};
