import { Shares, type Share, type Tenant } from '@gw/kernel';
import type { McpUpstream } from './upstream';

/** Maximum number of upstreams of all workspaces; one workspace has at most half of them. */
const UPSTREAMS_MAX = 2_000;

interface Entry {
  readonly upstream: McpUpstream;
  readonly organisationId: string;
  /** The share of the upstream's workspace. */
  readonly share: Share;
  /** Sequence number of the last use. */
  usedAt: number;
}

type KeyedEntry = readonly [key: string, entry: Entry];

/**
 * The upstreams of a process by key: server, class of the credential, and capability bits.
 * Workspaces share the pool. A workspace whose share is full loses its own least recently used
 * upstream, whose session the pool ends with DELETE: first among those without calls in flight and
 * listeners, else among those with listeners only, because calls matter more than notifications.
 * `get` returns null when all have calls in flight. A workspace without an upstream takes the place
 * of another one of its organisation, or of any if the organisation has none, which happens only
 * when there are more workspaces than places.
 */
export class UpstreamPool {
  private readonly upstreams = new Map<string, Entry>();
  private readonly shares: Shares;
  private uses = 0;
  private isClosed = false;

  constructor(upstreamsMax: number = UPSTREAMS_MAX) {
    this.shares = new Shares(upstreamsMax);
  }

  get size(): number {
    return this.upstreams.size;
  }

  /** Returns the upstream of a key, which `owner` owns. Creates it if there is none. */
  get(key: string, owner: Tenant, make: () => McpUpstream): McpUpstream | null {
    if (this.isClosed) return null;
    const entry = this.upstreams.get(key);
    if (entry !== undefined) {
      entry.usedAt = this.uses += 1;
      return entry.upstream;
    }
    const { workspaceId, organisationId } = owner;
    const share = this.shares.of(workspaceId, organisationId);
    const fits = share.fits(1);
    const replaced = fits ? null : this.replaceable(share, organisationId);
    if (!fits && replaced === null) return null;
    const upstream = make();
    if (replaced === null) share.take(1);
    else {
      share.takeOver(1, replaced[1].share);
      void this.remove(replaced);
    }
    this.upstreams.set(key, { upstream, organisationId, share, usedAt: (this.uses += 1) });
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
    if (entry === undefined) return;
    entry.share.give(1);
    await this.remove([key, entry]);
  }

  /** Ends all sessions. Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    const all = [...this.upstreams.values()];
    this.upstreams.clear();
    await Promise.all(all.map(({ upstream }) => upstream.close()));
  }

  private async remove([key, { upstream }]: KeyedEntry): Promise<void> {
    this.upstreams.delete(key);
    await upstream.close();
  }

  /** Returns the upstream whose place one of a full share may take; null when there is none. */
  private replaceable(share: Share, organisationId: string): KeyedEntry | null {
    const ofWorkspace = (entry: Entry): boolean => entry.share === share;
    const ofOrganisation = (entry: Entry): boolean => entry.organisationId === organisationId;
    const entries = [...this.upstreams.values()];
    const mayLeave =
      [ofWorkspace, ofOrganisation].find((isOwn) => entries.some(isOwn)) ?? ((): boolean => true);
    return (
      this.oldest((entry) => mayLeave(entry) && entry.upstream.calls + entry.upstream.listeners === 0) ??
      this.oldest((entry) => mayLeave(entry) && entry.upstream.calls === 0)
    );
  }

  private oldest(mayLeave: (entry: Entry) => boolean): KeyedEntry | null {
    let oldest: KeyedEntry | null = null;
    for (const each of this.upstreams)
      if ((oldest === null || each[1].usedAt < oldest[1].usedAt) && mayLeave(each[1])) oldest = each;
    return oldest;
  }
}
