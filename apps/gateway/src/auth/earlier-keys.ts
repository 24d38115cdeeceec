import { INTERNAL } from '@gw/contracts';

/** Keys that wait at the same time; one more is reported when it is next looked up. */
const WAITING_MAX = 1_000;

export interface EarlierKeysOptions {
  readonly adminUrl: string;
  readonly serviceToken: string;
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: Buffer) => Promise<unknown>;
}

/**
 * Shows the control plane, in the background and one after the other, the API keys that only an earlier master key has recognised, so
 * that it stores them by the hash of now. What fails is reported again when the key is next looked up.
 */
export class EarlierKeys {
  private readonly waiting = new Set<string>();
  private isSending = false;

  constructor(private readonly options: EarlierKeysOptions) {}

  report(apiKey: string): void {
    if (this.waiting.size >= WAITING_MAX) return;
    this.waiting.add(apiKey);
    if (!this.isSending) void this.send();
  }

  /** Never rejects: nothing of a request depends on it. */
  private async send(): Promise<void> {
    this.isSending = true;
    const { adminUrl, serviceToken, post } = this.options;
    const url = `${adminUrl.replace(/\/$/, '')}${INTERNAL.earlierKeys}`;
    const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
    for (const key of this.waiting) {
      try {
        await post(url, headers, Buffer.from(JSON.stringify({ key })));
      } catch {
        // The earlier master key still recognises it.
      }
      this.waiting.delete(key);
    }
    this.isSending = false;
  }
}
