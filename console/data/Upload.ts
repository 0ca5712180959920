/** Uploads with progress, which `fetch` does not report. */
import { ApiProblem, type ErrorBody, headersOf, noAnswer, platformBase, problemOf } from "./ApiCall.ts";
import { endSession } from "../session/SessionState.ts";

/** Parameters of an upload besides the form. */
export interface UploadOptions {
  /** Makes the change once, however often it is sent. */
  readonly idempotencyKey: string;
  /** Called with the part that was sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
};

/** Sends a form to a path of the platform API. @throws ApiProblem */
export const upload = <Body>(
  path: string,
  form: FormData,
  { idempotencyKey, onProgress }: UploadOptions,
): Promise<Body> =>
  new Promise((resolve, reject) => {
    const address = platformBase() + path;
    const request = new XMLHttpRequest();
    request.open("POST", address);
    for (const [name, value] of headersOf(address, { idempotencyKey })) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener("load", () => {
      const body = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) return resolve(body as Body);
      const problem = problemOf(request.status, body as ErrorBody);
      if (problem.status === 401) endSession(problem);
      reject(problem);
    });
    request.addEventListener("error", () => reject(noAnswer()));
    request.send(form);
  });

/** The sentences of a problem: those of its fields, or its own. */
export const sentencesOf = (problem: unknown): ReadonlyArray<string> => {
  if (!(problem instanceof ApiProblem)) return [String(problem)];
  const sentences = Object.values(problem.fields).flat();
  return sentences.length === 0 ? [problem.message] : sentences;
};
