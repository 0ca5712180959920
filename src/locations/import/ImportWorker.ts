/**
 * The import thread: parses the bodies of imports and checks their features, several bodies at a time, so
 * that the event loop of requests does not. It imports little, as it starts with the first import and ends
 * when there has been none for a while.
 */
import { parentPort } from "node:worker_threads";
import { yieldCpuOfThread } from "../../processes/CpuPriority.ts";
import { ImportBodyReader } from "./ImportBodyReader.ts";
import type { ImportAnswer, ImportRequest } from "./ImportMessages.ts";

yieldCpuOfThread();
const bodies = new Map<number, ImportBodyReader>();

const readerOf = (body: number): ImportBodyReader => {
  const known = bodies.get(body);
  if (known !== undefined) return known;
  const reader = new ImportBodyReader(body);
  bodies.set(body, reader);
  return reader;
};

const answerTo = (request: ImportRequest): ImportAnswer | null => {
  if (request._tag === "close") {
    bodies.delete(request.body);
    return null;
  }
  const reader = readerOf(request.body);
  return request._tag === "piece" ? reader.push(request.bytes) : reader.end();
};

parentPort?.on("message", (request: ImportRequest) => {
  const answer = answerTo(request);
  if (answer !== null) parentPort?.postMessage(answer);
});
