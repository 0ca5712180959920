/** Files that are uploaded: some at a time, each with its progress, and the reason of a refusal. */
import { signal } from "@preact/signals";
import { platform } from "../data/Api.ts";
import { ApiProblem, sentencesOf } from "../data/ApiCall.ts";
import { refresh } from "../data/Query.ts";
import { upload } from "../data/Upload.ts";
import { environment, workspaceId } from "../session/Scope.ts";

/** A file on its way. */
export interface UploadedFile {
  readonly key: string;
  readonly file: File;
  /** The workspace and environment that it is uploaded to. */
  readonly scope: string;
  readonly state: "waiting" | "sending" | "done" | "refused";
  /** The part that was sent, from 0 to 1. */
  readonly part: number;
  readonly reasons: ReadonlyArray<string>;
  /** Whether it may succeed without a change. */
  readonly isTemporary: boolean;
}

const concurrency = 2;

/** All files since the page was loaded, the newest last. */
export const uploads = signal<ReadonlyArray<UploadedFile>>([]);

/** The workspace and environment of the page. */
export const uploadScope = (): string => `${workspaceId.value} ${environment.value}`;

const change = (key: string, changes: Partial<UploadedFile>): void => {
  uploads.value = uploads.value.map((each) => (each.key === key ? { ...each, ...changes } : each));
};

const start = async ({ file, key }: UploadedFile): Promise<void> => {
  change(key, { state: "sending", part: 0, reasons: [] });
  try {
    await upload(platform.media.upload(file, { idempotencyKey: key }), (part) => change(key, { part }));
    change(key, { state: "done", part: 1 });
    await refresh();
  } catch (error) {
    const isTemporary = error instanceof ApiProblem && error.isTemporary;
    change(key, { state: "refused", reasons: sentencesOf(error), isTemporary });
  }
};

/** Begins the next files. A file of another workspace waits until the page shows that one again. */
export const continueUploads = (): void => {
  const running = uploads.value.filter(({ state }) => state === "sending").length;
  const waiting = uploads.value.filter(({ scope, state }) => state === "waiting" && scope === uploadScope());
  for (const next of waiting.slice(0, Math.max(0, concurrency - running)))
    void start(next).finally(continueUploads);
};

/** Uploads files. */
export const addUploads = (files: ReadonlyArray<File>): void => {
  const added = files.map((file): UploadedFile => ({
    key: crypto.randomUUID(),
    file,
    scope: uploadScope(),
    state: "waiting",
    part: 0,
    reasons: [],
    isTemporary: false,
  }));
  uploads.value = [...uploads.value, ...added];
  continueUploads();
};

/** Sends a refused file again, under the same key. */
export const retryUpload = (key: string): void => {
  change(key, { state: "waiting" });
  continueUploads();
};

/** Removes the files that are done or refused from the list. */
export const clearUploads = (): void => {
  uploads.value = uploads.value.filter(({ state }) => state === "waiting" || state === "sending");
};
