import { createHash } from 'node:crypto';
import { DEVICE_GRANT } from '@gw/oauth';
import { LRUCache } from 'lru-cache';
import { OauthFault } from './oauth-body';

/** Seconds that a device waits between its questions (RFC 8628, 3.2). */
export const POLL_SECONDS = 5;
/** Devices whose last question is remembered; the oldest are dropped, which admits a question too many. */
const DEVICES_MAX = 10_000;
/** A clock that runs a little fast must not be slowed down. */
const TOLERANCE_MS = 500;

/** How often devices ask whether their code was accepted, in this process. */
export class DevicePolls {
  private readonly lastPolls = new LRUCache<string, number>({ max: DEVICES_MAX });

  /** Throws `slow_down` for a device that asks again within the interval. */
  assertSlow(parameters: Readonly<Record<string, string | undefined>>, now = Date.now()): void {
    const { grant_type: grantType, device_code: code } = parameters;
    if (grantType !== DEVICE_GRANT || code === undefined) return;
    const name = createHash('sha256').update(code).digest('base64url');
    const last = this.lastPolls.get(name);
    this.lastPolls.set(name, now);
    if (last !== undefined && now - last < POLL_SECONDS * 1_000 - TOLERANCE_MS)
      throw new OauthFault(400, 'slow_down', `ask every ${String(POLL_SECONDS)} seconds at most`);
  }
}
