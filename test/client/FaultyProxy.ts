import { Effect } from "effect";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readAll } from "../Listening.ts";
import { localServer } from "../notifications/LocalServer.ts";

/**
 * The fault of a request: `pass`; `refuse` closes the connection before the server sees it; `lose` and
 * `cut` drop the response or its second half; `hang` never responds; an object is another response.
 */
export type Fault =
  | "pass"
  | "refuse"
  | "lose"
  | "cut"
  | "hang"
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** A request that arrived at the proxy. */
interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly type: string | undefined;
}

/** A proxy between a client and the server at `origin`. Request N meets fault N; later requests pass. */
export const faultyProxy = (origin: string, faults: ReadonlyArray<Fault> = []) =>
  Effect.gen(function* () {
    const seen: Array<ReceivedRequest> = [];
    const arrivals: Array<() => void> = [];

    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const fault = faults[seen.length] ?? "pass";
      const { headers, method = "", url = "" } = request;
      const body = await readAll(request);
      seen.push({
        method,
        url,
        key: headers["idempotency-key"] as string | undefined,
        type: headers["content-type"],
      });
      for (const arrived of arrivals.splice(0)) arrived();
      if (fault === "hang") return;
      if (fault === "refuse") return void request.socket.destroy();
      if (typeof fault === "object")
        return void response.writeHead(fault.status, fault.headers).end(fault.body);
      const { host: _host, connection: _connection, "content-length": _length, ...passed } = headers;
      const answered = await fetch(origin + url, {
        method,
        headers: passed as Record<string, string>,
        ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await answered.arrayBuffer());
      if (fault === "lose") return void request.socket.destroy();
      const sent = Object.fromEntries(answered.headers);
      for (const name of ["connection", "keep-alive", "transfer-encoding", "content-encoding"])
        delete sent[name];
      response.writeHead(answered.status, { ...sent, "content-length": String(bytes.length) });
      if (fault === "cut")
        return void response.write(bytes.subarray(0, bytes.length / 2), () => request.socket.destroy());
      response.end(bytes);
    };

    const { port } = yield* localServer((request, response) => void answer(request, response));
    return {
      url: `http://127.0.0.1:${port}`,
      seen,
      /** Waits for the next request. */
      arrival: () => new Promise<void>((resolve) => arrivals.push(resolve)),
    };
  });
