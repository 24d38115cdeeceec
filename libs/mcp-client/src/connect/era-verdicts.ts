import type { EraVerdict, JsonObject } from '@gw/mcp';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error';

/** A verdict that can be kept. */
export type KnownEra = Extract<EraVerdict, { readonly kind: 'modern' | 'legacy' }>;

/** The era that `server/discover` shows, and the result of a server that knows the method. */
export interface FoundEra {
  readonly verdict: KnownEra;
  readonly result: JsonObject | null;
}

const LIFETIME_MS = 24 * 3_600_000;
const ENTRIES_MAX = 10_000;

/**
 * Eras of upstreams, each kept for 24 hours. One process shares an object; keys name the
 * integration and the class of its credential. At 10,000 entries the one that was unused for
 * longest leaves.
 */
export class EraVerdicts {
  private readonly entries = new Map<string, { readonly verdict: KnownEra; readonly expiresAt: number }>();
  private readonly probes = new Map<string, Promise<FoundEra>>();

  constructor(
    private readonly bounds: { readonly entriesMax: number; readonly lifetimeMs: number } = {
      entriesMax: ENTRIES_MAX,
      lifetimeMs: LIFETIME_MS,
    },
    private readonly now: () => number = Date.now,
  ) {}

  get(key: string): KnownEra | null {
    const entry = this.entries.get(key);
    if (entry === undefined) return null;
    this.entries.delete(key);
    if (this.now() >= entry.expiresAt) return null;
    this.entries.set(key, entry);
    return entry.verdict;
  }

  keep(key: string, verdict: KnownEra): void {
    this.entries.delete(key);
    this.entries.set(key, { verdict, expiresAt: this.now() + this.bounds.lifetimeMs });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.bounds.entriesMax) return;
      this.entries.delete(oldest);
    }
  }

  forget(key: string): void {
    this.entries.delete(key);
  }

  /**
   * Finds an era out, once for all who want it at the same time: after the restart of a gateway,
   * many sessions open at once, and a probe by each of them can take the server longer than a probe
   * may last. `credential` names the class of the credential, because only its holders share a
   * refusal. A failure of the gateway itself, such as a workspace without memory, is not shared.
   */
  find(key: string, credential: string, probe: () => Promise<FoundEra>): Promise<FoundEra> {
    const name = JSON.stringify([key, credential]);
    const shared = this.probes.get(name);
    if (shared !== undefined)
      return shared.catch((error: unknown) => {
        if (isOfGateway(error)) return probe();
        throw error;
      });
    const finding = probe().finally(() => this.probes.delete(name));
    this.probes.set(name, finding);
    return finding;
  }
}

const OF_GATEWAY: ReadonlySet<UpstreamErrorKind> = new Set(['no_memory', 'closed', 'cancelled']);

const isOfGateway = (error: unknown): boolean => error instanceof UpstreamError && OF_GATEWAY.has(error.kind);
