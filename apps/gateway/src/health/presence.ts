import { INTERNAL, type GatewayPresence } from '@gw/contracts';
import { GATEWAY_VERSION } from '@gw/kernel';

const EVERY_MS = 30_000;

export interface PresenceOptions {
  readonly adminUrl: string;
  readonly serviceToken: string;
  readonly gatewayId: string;
  /** Of the deployment that it is of; null: none. */
  readonly clientAuth: string | null;
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ) => Promise<{ readonly status: number; readonly date: string | null }>;
}

/** Tells the control plane that this gateway is there and which version it is. A failed report is repeated half a minute later. */
export class Presence {
  private timer: NodeJS.Timeout | null = null;
  private skew: number | null = null;

  constructor(private readonly options: PresenceOptions) {}

  /** Milliseconds that this process's clock is ahead of the control plane's, to the second; null: not known yet. */
  get clockSkewMs(): number | null {
    return this.skew;
  }

  start(): void {
    void this.tell();
    this.timer = setInterval(() => void this.tell(), EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
  }

  /** Never rejects: nothing of a request depends on it. */
  private async tell(): Promise<void> {
    const { adminUrl, serviceToken, gatewayId, clientAuth, post } = this.options;
    const url = `${adminUrl.replace(/\/$/, '')}${INTERNAL.gateways}`;
    const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
    const presence: GatewayPresence = {
      id: gatewayId,
      version: GATEWAY_VERSION,
      ...(clientAuth === null ? {} : { clientAuth }),
    };
    try {
      const { date } = await post(url, headers, Buffer.from(JSON.stringify(presence)));
      const theirs = date === null ? NaN : Date.parse(date);
      if (!Number.isNaN(theirs)) this.skew = Date.now() - theirs;
    } catch {
      // Reported again half a minute later; what is known of the clock stays.
    }
  }
}
