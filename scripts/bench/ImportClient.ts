/**
 * The client of the import bench, in a thread of its own: posts each body and measures the time of the
 * response.
 */
import { parentPort } from "node:worker_threads";

/** A request to send. */
export interface ImportRequest {
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

/** A response, and the milliseconds between the first byte sent and the last byte received. */
export interface ImportResponse {
  readonly millis: number;
  readonly status: number;
  readonly text: string;
}

const post = async ({ body, token, url }: ImportRequest): Promise<ImportResponse> => {
  const bytes = new TextEncoder().encode(body);
  const began = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
    body: bytes,
  });
  const text = await response.text();
  return { millis: performance.now() - began, status: response.status, text };
};

parentPort?.on("message", (request: ImportRequest) => {
  void post(request).then((response) => parentPort?.postMessage(response));
});
