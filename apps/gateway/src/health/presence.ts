import { INTERNAL, type GatewayPresence } from '@gw/contracts';
import { GATEWAY_VERSION } from '@gw/kernel';

const EVERY_MS = 30_000;

export interface PresenceOptions {
  readonly adminUrl: string;
  readonly serviceToken: string;
  readonly gatewayId: string;
  /** The `client_auth` token of the gateway's deployment; null: none. */
  readonly clientAuth: string | null;
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer,
  ) => Promise<{ readonly status: number; readonly date: string | null }>;
}

/** Reports this gateway and its version to the control plane every 30 seconds. */
export class Presence {
  private timer: NodeJS.Timeout | null = null;
  private skew: number | null = null;

  constructor(private readonly options: PresenceOptions) {}

  /**
   * Milliseconds by which this process's clock is ahead of the control plane's, exact to the second; null:
   * not known yet.
   */
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

  /** Never rejects, because no request depends on it. */
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
