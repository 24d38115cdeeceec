import { INTERNAL, type GatewayPresence } from '@gw/contracts';
import { GATEWAY_VERSION } from '@gw/kernel';
import type { Post } from '@gw/telemetry';

const EVERY_MS = 30_000;

export interface PresenceOptions {
  readonly adminUrl: string;
  readonly serviceToken: string;
  readonly gatewayId: string;
  /** Of the deployment that it is of; null: none. */
  readonly clientAuth: string | null;
  readonly post: Post;
}

/** Tells the control plane that this gateway is there and which version it is. What fails is told again half a minute later. */
export class Presence {
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: PresenceOptions) {}

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
    await post(url, headers, Buffer.from(JSON.stringify(presence))).catch(() => undefined);
  }
}
