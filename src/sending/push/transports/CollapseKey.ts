/** A collapse key as headers of push services can have it (contract T3). */
import { hash } from "node:crypto";

const visible = /^[\x21-\x7e]+$/;

const hashed = (key: string): string => hash("sha256", key, "base64url");

/** The `apns-collapse-id` of a key: the key itself if it is all visible ASCII, else its hash. */
export const collapseId = (key: string): string => (visible.test(key) ? key : hashed(key));

/** The `Topic` of a key: at most 32 characters of base64url (RFC 8030, section 5.4). */
export const topicOfKey = (key: string): string => hashed(key).slice(0, 32);
