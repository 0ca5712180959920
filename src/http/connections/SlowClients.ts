import type { HttpServerRequest } from "effect/http";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  advance,
  isLong,
  isTooSlow,
  type Transfer,
  type TransferLimits,
  transferLimits,
  type TransferReading,
} from "./TransferRate.ts";

/** Who a request comes from. */
export interface TransferClient {
  /** The address that the bound counts by; null for a proxy that does not name its clients. */
  readonly address: string | null;
  /**
   * Whether a trusted proxy is in between: it reads for many clients, and ends those that stall by itself.
   */
  readonly isProxied: boolean;
}

/** Why a connection was ended. */
export type SlowClientReason = "body" | "response" | "address" | "file";

/** The limits of responses that are files, by their requests. */
const limitsOfFiles = new WeakMap<object, TransferLimits>();

/** Applies limits to the response of this request from now on: it is a file. They hold for proxies, too. */
export const limitFileTransfer = (
  { source }: Pick<HttpServerRequest.HttpServerRequest, "source">,
  limits: TransferLimits,
): void => void limitsOfFiles.set(source, limits);

/** Options of `SlowClients`. */
export interface SlowClientOptions {
  readonly clientOf: (request: IncomingMessage) => TransferClient;
  readonly onEnded: (reason: SlowClientReason) => void;
  readonly limits?: TransferLimits;
}

/** A request and its response until both have been transferred. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** A client that sent `Expect: 100-continue` sends its body only once it is invited. */
  isInvited: boolean;
  transfer: Transfer | null;
  /** The limits at the last check: with others, a transfer begins again. */
  limits: TransferLimits;
  /** The first check. */
  since: number | null;
}

const requestTimeout = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/** The transfer that the exchange waits for from its client; null if it waits for the server. */
const readingOf = ({ isInvited, request, response }: Exchange): TransferReading | null => {
  const { socket } = request;
  // A full buffer means that the server does not read.
  const isReceiving =
    isInvited && !request.complete && request.readableLength < request.readableHighWaterMark;
  if (isReceiving) return { direction: "body", bytes: socket.bytesRead };
  const isSending = response.headersSent && socket.writableLength > 0;
  return isSending ? { direction: "response", bytes: socket.bytesWritten - socket.writableLength } : null;
};

const isOver = ({ request, response }: Exchange): boolean =>
  request.socket.destroyed || (response.closed && request.complete);

/**
 * Ends connections whose clients send a body or read a response too slowly, and those beyond the number of
 * long transfers that one client may have. So no client can hold descriptors and memory for long.
 */
export class SlowClients {
  readonly #exchanges = new Map<ServerResponse, Exchange>();
  readonly #options: SlowClientOptions;
  readonly #limits: TransferLimits;

  constructor(options: SlowClientOptions) {
    this.#options = options;
    this.#limits = options.limits ?? transferLimits;
  }

  /** Watches an exchange whose head has arrived. */
  watch(request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    const exchange: Exchange = {
      request,
      response,
      isInvited: !expectsContinue,
      transfer: null,
      limits: this.#limits,
      since: null,
    };
    if (expectsContinue) {
      const writeContinue = response.writeContinue.bind(response);
      response.writeContinue = (callback) => {
        exchange.isInvited = true;
        writeContinue(callback);
      };
    }
    this.#exchanges.set(response, exchange);
    response.once("close", () => {
      if (isOver(exchange)) this.#exchanges.delete(response);
    });
  }

  /** Checks all exchanges. `now` is a monotonic clock in milliseconds. */
  check(now: number): void {
    const long = new Map<string, number>();
    // The oldest exchanges are first: they are within the bound.
    for (const exchange of this.#exchanges.values()) {
      if (isOver(exchange)) {
        this.#exchanges.delete(exchange.response);
        continue;
      }
      const ofFile = limitsOfFiles.get(exchange.request);
      const limits = ofFile ?? this.#limits;
      exchange.since ??= now;
      if (exchange.limits !== limits) exchange.transfer = null;
      exchange.limits = limits;
      exchange.transfer = advance(exchange.transfer, readingOf(exchange), now, limits);
      const { transfer } = exchange;
      const isLate = transfer !== null && isTooSlow(transfer, now);
      if (ofFile !== undefined && (isLate || now - exchange.since > limits.maxMillis)) {
        this.#end(exchange, "file");
        continue;
      }
      if (transfer === null) continue;
      const isTransferLong = isLong(transfer, now, this.#limits);
      if (!isTransferLong && !isLate) continue;
      const { address, isProxied } = this.#options.clientOf(exchange.request);
      if (isLate && !(isProxied && transfer.direction === "response")) {
        this.#end(exchange, transfer.direction);
        continue;
      }
      if (address === null || !isTransferLong) continue;
      const count = (long.get(address) ?? 0) + 1;
      if (count > this.#limits.maxLongPerClient) this.#end(exchange, "address");
      else long.set(address, count);
    }
  }

  #end(exchange: Exchange, reason: SlowClientReason): void {
    const { request, response } = exchange;
    this.#exchanges.delete(response);
    if (exchange.transfer?.direction === "body" && !response.headersSent) {
      request.socket.end(requestTimeout);
      request.socket.destroySoon();
    } else request.socket.destroy();
    this.#options.onEnded(reason);
  }
}
