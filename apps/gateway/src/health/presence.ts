import { INTERNAL, type GatewayPresence } from '@gw/contracts';
import { GATEWAY_VERSION } from '@gw/kernel';

const EVERY_MS = 30_000;
/**
 * Milliseconds until the next report after a failed one. They double with each further failure, up
 * to `EVERY_MS`.
 */
const RETRY_MS = 500;

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

/**
 * Reports this gateway and its version to the control plane every 30 seconds, and soon again after
 * a failure: both often start at the same time.
 */
export class Presence {
  private timer: NodeJS.Timeout | null = null;
  private isStopped = false;
  private skew: number | null = null;

  constructor(private readonly options: PresenceOptions) {}

  /**
   * Milliseconds by which this process's clock is ahead of the control plane's, exact to the
   * second; null: not known yet.
   */
  get clockSkewMs(): number | null {
    return this.skew;
  }

  start(): void {
    void this.report(0);
  }

  stop(): void {
    this.isStopped = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** `failures`: reports in a row that have failed before this one. */
  private async report(failures: number): Promise<void> {
    const hasFailed = !(await this.tell());
    if (this.isStopped) return;
    const waitMs = hasFailed ? Math.min(EVERY_MS, RETRY_MS * 2 ** Math.min(failures, 10)) : EVERY_MS;
    this.timer = setTimeout(() => void this.report(hasFailed ? failures + 1 : 0), waitMs).unref();
  }

  /**
   * Returns whether the control plane has taken the report. Never rejects, because no request
   * depends on it.
   */
  private async tell(): Promise<boolean> {
    const { adminUrl, serviceToken, gatewayId, clientAuth, post } = this.options;
    const url = `${adminUrl.replace(/\/$/, '')}${INTERNAL.gateways}`;
    const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
    const presence: GatewayPresence = {
      id: gatewayId,
      version: GATEWAY_VERSION,
      ...(clientAuth === null ? {} : { clientAuth }),
    };
    try {
      const { status, date } = await post(url, headers, Buffer.from(JSON.stringify(presence)));
      const theirs = date === null ? NaN : Date.parse(date);
      if (!Number.isNaN(theirs)) this.skew = Date.now() - theirs;
      return status < 300;
    } catch {
      // The last known clock difference stays valid.
      return false;
    }
  }
}
