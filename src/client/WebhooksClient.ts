import { EndpointGroup, type ListQuery } from "./Call.ts";
import type { Deleted } from "./CampaignsClient.ts";
import { type CallOptions, type ChangeOptions, slow } from "./Connection.ts";
import type { Answer, Body, Item } from "./Contract.ts";
import type { Pages } from "./Pages.ts";

/** A webhook. */
export type Webhook = Answer<"webhooks", "get">;

/** A webhook with its secret. */
export type WebhookWithSecret = Answer<"webhooks", "create">;

/** The fields of a webhook to create. */
export type WebhookDraft = Body<"webhooks", "create">;

/** The status alone, or the whole webhook. */
export type WebhookPatch = Body<"webhooks", "update">;

/** One call of a webhook. */
export type WebhookAttempt = Item<"webhooks", "attempts">;

/** What a receiver answered to a test. */
export type WebhookTestResult = Answer<"webhooks", "test">;

/** Webhooks: addresses that receive the events of the environment. */
export class WebhooksClient extends EndpointGroup {
  /** Lists all webhooks, newest first. */
  list(query: ListQuery<"webhooks"> = {}, options?: CallOptions): Pages<Webhook> {
    return this.pages(["webhooks", "list"], query, options);
  }
  /** Retrieves a webhook. Rejects with the code `not_found` if it does not exist. */
  get(id: string, options?: CallOptions): Promise<Webhook> {
    return this.data(["webhooks", "get"], { ids: { webhook: id }, options });
  }
  /** Creates a webhook. Only this response has its secret. */
  create(draft: WebhookDraft, options?: ChangeOptions): Promise<WebhookWithSecret> {
    return this.data(["webhooks", "create"], { json: draft, options });
  }
  /** Changes the status alone, or replaces the whole webhook. */
  update(id: string, patch: WebhookPatch, options?: ChangeOptions): Promise<Webhook> {
    return this.data(["webhooks", "update"], { ids: { webhook: id }, json: patch, options });
  }
  /** Deletes a webhook. Events that wait for it are not sent. */
  delete(id: string, options?: ChangeOptions): Promise<Deleted> {
    return this.data(["webhooks", "delete"], { ids: { webhook: id }, options });
  }
  /** Replaces the secret, which only this response has. The old one signs too for 24 hours. */
  secret(id: string, options?: ChangeOptions): Promise<WebhookWithSecret> {
    return this.data(["webhooks", "secret"], { ids: { webhook: id }, options });
  }
  /** Lists the calls of a webhook, newest first. */
  attempts(id: string, query: ListQuery<"webhooks"> = {}, options?: CallOptions): Pages<WebhookAttempt> {
    return this.pages(["webhooks", "attempts"], query, options, { webhook: id });
  }
  /** Sends an event again. */
  resend(id: string, event: string, options?: ChangeOptions): Promise<Answer<"webhooks", "resend">> {
    return this.data(["webhooks", "resend"], { ids: { webhook: id, event }, options });
  }
  /** Sends a test event now, and retrieves the receiver's answer. */
  test(id: string, options: ChangeOptions = {}): Promise<WebhookTestResult> {
    return this.data(["webhooks", "test"], { ids: { webhook: id }, options: { ...slow, ...options } });
  }
}
