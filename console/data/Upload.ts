/** Uploads with progress, which `fetch` does not report. */
import { type ApiRequest, type ErrorBody, headersOf, noAnswer, problemOf } from "./ApiCall.ts";
import { jsonOr } from "./Json.ts";
import { endSession } from "../session/SessionState.ts";

/** Sends a request whose body is a file. `onProgress` gets the part sent, from 0 to 1. @throws ApiProblem */
export const upload = <Body>(
  { json, ...target }: ApiRequest<Body>,
  onProgress: (part: number) => void,
): Promise<Body> =>
  new Promise((resolve, reject) => {
    const form = new FormData();
    form.set("file", json as File);
    const request = new XMLHttpRequest();
    request.open("POST", target.path);
    for (const [name, value] of headersOf(target)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    });
    request.addEventListener("load", () => {
      const body = jsonOr(request.responseText, {});
      if (request.status >= 200 && request.status < 300) return resolve(body as Body);
      const problem = problemOf(request.status, body as ErrorBody);
      if (problem.status === 401) endSession(problem);
      reject(problem);
    });
    request.addEventListener("error", () => reject(noAnswer()));
    request.send(form);
  });
