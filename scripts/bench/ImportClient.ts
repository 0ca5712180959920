/** The client of the import bench, in a thread of its own: posts what it is given and tells how long the answer took. */
import { parentPort } from "node:worker_threads";

/** What the bench asks of its client. */
export interface ImportAsk {
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

/** How many milliseconds passed from the first byte sent to the last byte received. */
export interface ImportAnswer {
  readonly millis: number;
  readonly status: number;
  readonly text: string;
}

parentPort?.on("message", ({ body, token, url }: ImportAsk) => {
  const bytes = new TextEncoder().encode(body);
  const ask = async (): Promise<ImportAnswer> => {
    const began = performance.now();
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/geo+json" },
      body: bytes,
    });
    const text = await response.text();
    return { millis: performance.now() - began, status: response.status, text };
  };
  void ask().then((answer) => parentPort?.postMessage(answer));
});
