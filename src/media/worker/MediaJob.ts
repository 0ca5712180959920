/** The messages between Waypost and its media worker processes. */
import type { MediaContent } from "../formats/MediaFormat.ts";

/** A job for a media worker: inspect a file, or draw the thumbnail of an image. */
export interface MediaJob {
  /** The workspace whose other jobs wait for this one. */
  readonly owner: number;
  readonly task: "inspect" | "thumbnail";
  readonly path: string;
}

/** A job as the worker receives it. The file follows on its standard input. */
export interface MediaJobMessage {
  readonly task: MediaJob["task"];
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Messages of a worker: `ready` once after its start, then one result for each job. A worn worker did not get
 * back to the memory of its start, so its next job would have less.
 */
export type MediaWorkerMessage = { readonly _tag: "ready" } | (MediaResult & { readonly isWorn: boolean });

/** The result of a job. */
export type MediaResult =
  | { readonly _tag: "content"; readonly content: MediaContent }
  | { readonly _tag: "thumbnail"; readonly picture: Uint8Array }
  /** The file cannot be used. The message is a sentence for the field `file`. */
  | { readonly _tag: "refused"; readonly message: string }
  /** This machine cannot do the job. The problem is for the log. */
  | { readonly _tag: "unable"; readonly problem: string };

/** The internal argument that starts the program as a media worker. */
export const mediaWorkerCommand = "media-worker";
