import type { MediaContent } from "../formats/MediaFormat.ts";

/** What the main process wants to know of a file. */
export interface MediaJob {
  readonly task: "inspect" | "thumbnail";
  readonly path: string;
}

/** How a child hears of it: the file itself follows on its standard input, and is so long. */
export interface MediaOrder {
  readonly task: MediaJob["task"];
  readonly bytes: number;
}

/** How a child answers: in its own words once at its start, then once for each job. */
export type MediaAnswer =
  | { readonly is: "ready" }
  | { readonly is: "content"; readonly content: MediaContent }
  | { readonly is: "thumbnail"; readonly picture: Uint8Array }
  /** The file is to blame: a sentence for the field `file`. */
  | { readonly is: "refused"; readonly message: string }
  /** This machine is to blame: words for the log. */
  | { readonly is: "unable"; readonly problem: string };

/** The argument that makes the program such a child; no command for people. */
export const mediaWorkerCommand = "media-worker";

/** The exit code of a child that took too much memory. */
export const outOfMemory = 77;
