import type { McpUpstream } from './upstream';

const UPSTREAMS_MAX = 1_000;

interface Entry {
  readonly upstream: McpUpstream;
  /** Sequence number of the last use. */
  usedAt: number;
}

/**
 * The upstreams of a process by key: server, class of the credential, and capability bits. Beyond
 * 1,000, the pool evicts the least recently used upstream and ends its session with DELETE: first
 * among those without calls in flight and listeners, else among those with listeners only, because
 * calls matter more than notifications. `get` returns null when all have calls in flight.
 */
export class UpstreamPool {
  private readonly upstreams = new Map<string, Entry>();
  private uses = 0;
  private isClosed = false;

  constructor(private readonly upstreamsMax: number = UPSTREAMS_MAX) {}

  get size(): number {
    return this.upstreams.size;
  }

  get(key: string, make: () => McpUpstream): McpUpstream | null {
    if (this.isClosed) return null;
    const entry = this.upstreams.get(key);
    if (entry !== undefined) {
      entry.usedAt = this.uses += 1;
      return entry.upstream;
    }
    if (this.upstreams.size >= this.upstreamsMax && !this.evict()) return null;
    const upstream = make();
    this.upstreams.set(key, { upstream, usedAt: (this.uses += 1) });
    return upstream;
  }

  has(key: string): boolean {
    return this.upstreams.has(key);
  }

  /**
   * Drops an upstream whose credential or address changed. `McpUpstream.close` describes how its
   * calls in flight end.
   */
  async drop(key: string): Promise<void> {
    const entry = this.upstreams.get(key);
    this.upstreams.delete(key);
    await entry?.upstream.close();
  }

  /** Ends all sessions. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    const all = [...this.upstreams.values()];
    this.upstreams.clear();
    await Promise.all(all.map(({ upstream }) => upstream.close()));
  }

  private evict(): boolean {
    const key =
      this.oldest(({ calls, listeners }) => calls + listeners === 0) ??
      this.oldest(({ calls }) => calls === 0);
    if (key === null) return false;
    void this.drop(key);
    return true;
  }

  private oldest(mayLeave: (upstream: McpUpstream) => boolean): string | null {
    let oldest: readonly [key: string, entry: Entry] | null = null;
    for (const each of this.upstreams)
      if ((oldest === null || each[1].usedAt < oldest[1].usedAt) && mayLeave(each[1].upstream)) oldest = each;
    return oldest?.[0] ?? null;
  }
}
