import type { McpUpstream } from './upstream';

const UPSTREAMS_MAX = 1_000;

/**
 * The upstreams of a process by key: server, class of the credential, and capability bits. At 1,000
 * the one that was unused for longest and has no call in flight leaves, and its session is ended
 * with DELETE. `get` returns null when all are in use.
 */
export class UpstreamPool {
  private readonly upstreams = new Map<string, McpUpstream>();
  private isClosed = false;

  constructor(private readonly upstreamsMax: number = UPSTREAMS_MAX) {}

  get size(): number {
    return this.upstreams.size;
  }

  get(key: string, make: () => McpUpstream): McpUpstream | null {
    if (this.isClosed) return null;
    const known = this.upstreams.get(key);
    if (known !== undefined) {
      this.upstreams.delete(key);
      this.upstreams.set(key, known);
      return known;
    }
    if (this.upstreams.size >= this.upstreamsMax && !this.evict()) return null;
    const made = make();
    this.upstreams.set(key, made);
    return made;
  }

  /** Drops an upstream whose credential or address changed. Its calls in flight go on. */
  async drop(key: string): Promise<void> {
    const upstream = this.upstreams.get(key);
    this.upstreams.delete(key);
    await upstream?.close();
  }

  /** Ends all sessions. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    const all = [...this.upstreams.values()];
    this.upstreams.clear();
    await Promise.all(all.map((each) => each.close()));
  }

  private evict(): boolean {
    for (const [key, upstream] of this.upstreams) {
      if (upstream.calls > 0) continue;
      void this.drop(key);
      return true;
    }
    return false;
  }
}
