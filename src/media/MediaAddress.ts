import type { MediaKind } from "../workspaces/Plan.ts";

/** Public address of the bytes under a key; `base` is the media address of the installation. */
export const fileUrl = (base: string, key: string): string => `${base}/${key}`;

/** Public address of the small picture that stands for the bytes under a key, fixed from the upload on (contract H2). */
export const thumbnailUrl = (base: string, key: string): string => `${base}/${key}/thumbnail`;

/** The media file of a content as statements give it: without a key the file is deleted by now. */
export interface ContentMedia {
  readonly id: string;
  readonly type: MediaKind;
  readonly key: string | null;
}

/** The media file of a content as people see it: `url` is null once the file is deleted. */
export const shownMedia = (base: string, media: ContentMedia | null) =>
  media === null
    ? null
    : { id: media.id, url: media.key === null ? null : fileUrl(base, media.key), type: media.type };
