import { randomHex } from '@gw/kernel';
import type { Redis } from '@gw/redis';
import type { ReplicaLink } from '../replicas/replica-link';
import type { SessionName } from './session-store';

/** Milliseconds for which a session stays leased after the gateway of its stream has died. */
const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 10_000;

/**
 * Renews the lease if this stream still holds it, or if it has expired. Returns 0 when another
 * stream holds it.
 */
const RENEW = `
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

interface Lease {
  readonly token: string;
  readonly lost: () => void;
  readonly timer: NodeJS.Timeout | null;
}

/**
 * Leases that allow one GET stream per session across all gateways, so that each message is sent
 * once. A stream that resumes takes the lease over immediately; a new stream gets it when the
 * earlier one has ended, or 30 seconds after its gateway has died. While Redis cannot be reached,
 * each gateway knows only its own streams.
 */
export class StreamLeases {
  private readonly leases = new Map<string, Lease>();

  /** `redis` is null when this is the only gateway. */
  constructor(
    private readonly redis: Redis | null,
    private readonly link: ReplicaLink,
  ) {
    link.on('stream_taken', ({ session, token }) => {
      if (this.leases.get(session)?.token === token) this.lose(session);
    });
  }

  /**
   * Leases the session to a stream. Resolves to false when another stream holds the lease and this
   * one does not resume. `lost` is called when another stream takes the lease over.
   */
  async take(name: SessionName, resumes: boolean, lost: () => void): Promise<boolean> {
    const { session } = name;
    if (this.leases.has(session) && !resumes) return false;
    const token = randomHex(16);
    if (!(await this.takeShared(name, valueOf(this.link.id, token), resumes))) return false;
    this.lose(session);
    const timer =
      this.redis === null ? null : setInterval(() => void this.renew(name, token), RENEW_EVERY_MS).unref();
    this.leases.set(session, { token, lost, timer });
    return true;
  }

  /** Releases the lease at the end of a stream. */
  release(name: SessionName, lost: () => void): void {
    const lease = this.leases.get(name.session);
    if (lease?.lost !== lost) return;
    this.forget(name.session);
    this.redis?.eval(RELEASE, 1, keyOf(name), valueOf(this.link.id, lease.token)).catch(() => undefined);
  }

  close(): void {
    for (const session of [...this.leases.keys()]) this.forget(session);
  }

  private async takeShared(name: SessionName, value: string, resumes: boolean): Promise<boolean> {
    if (this.redis === null) return true;
    try {
      if (!resumes) return (await this.redis.set(keyOf(name), value, 'PX', LEASE_MS, 'NX')) === 'OK';
      const held = await this.redis.set(keyOf(name), value, 'PX', LEASE_MS, 'GET');
      const [replica = '', token = ''] = held?.split('.') ?? [];
      if (held !== null && replica !== this.link.id)
        this.link.send(replica, { kind: 'stream_taken', session: name.session, token });
      return true;
    } catch {
      return true;
    }
  }

  private async renew(name: SessionName, token: string): Promise<void> {
    const kept = await this.redis
      ?.eval(RENEW, 1, keyOf(name), valueOf(this.link.id, token), LEASE_MS)
      .catch(() => 1);
    if (kept === 0 && this.leases.get(name.session)?.token === token) this.lose(name.session);
  }

  private lose(session: string): void {
    const lease = this.leases.get(session);
    this.forget(session);
    lease?.lost();
  }

  private forget(session: string): void {
    const timer = this.leases.get(session)?.timer ?? null;
    if (timer !== null) clearInterval(timer);
    this.leases.delete(session);
  }
}

const valueOf = (replica: string, token: string): string => `${replica}.${token}`;
const keyOf = ({ principal, session }: SessionName): string => `gw:mcp:get:{${principal}}:${session}`;
