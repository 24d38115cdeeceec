import { createHmac } from 'node:crypto';
import type { BufferedClient } from '@gw/outbound';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 65_536;

export interface Post {
  readonly url: string;
  /** Event id, the same for every delivery of the event. */
  readonly id: string;
  readonly body: string;
  /** Signing secret of 32 bytes. */
  readonly secret: Buffer;
}

/**
 * Signs a message according to Standard Webhooks. `webhook-signature` is `v1,` and the base64
 * HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the timestamp in Unix seconds lets a
 * receiver refuse old messages.
 */
export function signatureHeaders(
  { id, body, secret }: Omit<Post, 'url'>,
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/**
 * Posts to addresses that tenants chose: under the address policy, without redirects, with a
 * timeout.
 */
export class WebhookSender {
  constructor(private readonly client: BufferedClient) {}

  /** Returns the response status. Rejects with `OutboundError` if there is no response. */
  async post(post: Post): Promise<number> {
    const { status } = await this.client.fetchBuffered({
      url: post.url,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signatureHeaders(post, Date.now()) },
      body: post.body,
      totalTimeoutMs: TIMEOUT_MS,
      bytesMax: RESPONSE_BYTES_MAX,
    });
    return status;
  }
}
