import type { MediaKind } from "../workspaces/Plan.ts";

/** The public address of the file with this key; `base` is the media address of the installation. */
export const fileUrl = (base: string, key: string): string => `${base}/${key}`;

/** The public address of the file's thumbnail, valid from the upload on (contract H2). */
export const thumbnailUrl = (base: string, key: string): string => `${base}/${key}/thumbnail`;

/** The media file of a content as statements return it. The key is null once the file is deleted. */
export interface ContentMedia {
  readonly id: string;
  readonly type: MediaKind;
  readonly key: string | null;
}

/** The media file of a content as the APIs show it. `url` is null once the file is deleted. */
export const shownMedia = (base: string, media: ContentMedia | null) =>
  media === null
    ? null
    : { id: media.id, url: media.key === null ? null : fileUrl(base, media.key), type: media.type };
