import { createHash } from 'node:crypto';
import { DEVICE_GRANT } from '@gw/oauth';
import { LRUCache } from 'lru-cache';
import { OauthFault } from './oauth-body';

/** Interval in seconds at which a device polls (RFC 8628, section 3.2). */
export const POLL_SECONDS = 5;
/**
 * Maximum number of devices whose last poll is remembered. The oldest are dropped first, which can
 * only admit a poll too many.
 */
const DEVICES_MAX = 10_000;
/** Tolerance in milliseconds for devices whose clock runs a little fast. */
const TOLERANCE_MS = 500;

/** Limits how often devices poll whether their code was accepted, in this process. */
export class DevicePolls {
  private readonly lastPolls = new LRUCache<string, number>({ max: DEVICES_MAX });

  /** Throws `slow_down` for a device that polls again within the interval. */
  assertPollInterval(parameters: Readonly<Record<string, string | undefined>>, now = Date.now()): void {
    const { grant_type: grantType, device_code: code } = parameters;
    if (grantType !== DEVICE_GRANT || code === undefined) return;
    const name = createHash('sha256').update(code).digest('base64url');
    const last = this.lastPolls.get(name);
    this.lastPolls.set(name, now);
    if (last !== undefined && now - last < POLL_SECONDS * 1_000 - TOLERANCE_MS)
      throw new OauthFault(400, 'slow_down', `poll at most every ${String(POLL_SECONDS)} seconds`);
  }
}
