/** A Web Push message to encrypt. The keys are those of the subscription, in base64 or base64url. */
export interface PlainMessage {
  readonly text: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** A batch for an encryption thread. */
export type EncryptionRequest = ReadonlyArray<PlainMessage>;

/** The encrypted messages of a batch, in its order; null where `p256dh` is no point of the curve. */
export type EncryptionAnswer = ReadonlyArray<Uint8Array | null>;
