import { INTERNAL } from '@gw/contracts';

/**
 * Maximum number of keys that wait to be reported. A key above the maximum is reported at its next
 * look-up.
 */
const WAITING_MAX = 1_000;

export interface EarlierKeysOptions {
  readonly adminUrl: string;
  readonly serviceToken: string;
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: Buffer) => Promise<unknown>;
}

/**
 * Reports API keys that only an earlier master key recognised to the control plane, so that it
 * stores them by their hash under the current master key. Reports run in the background, one at a
 * time. A key whose report fails is reported again at its next look-up.
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

  /** Never rejects, because no request depends on it. */
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
