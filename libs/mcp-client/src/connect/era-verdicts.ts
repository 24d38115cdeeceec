import type { EraVerdict, JsonObject } from '@gw/mcp';
import { UpstreamError, type UpstreamErrorKind } from '../upstream-error';

/** A verdict that may be remembered. */
export type KnownEra = Extract<EraVerdict, { readonly kind: 'modern' | 'legacy' }>;

/** The era that `server/discover` shows, and the result if the server knows the method. */
export interface FoundEra {
  readonly verdict: KnownEra;
  readonly result: JsonObject | null;
}

const LIFETIME_MS = 24 * 3_600_000;
const ENTRIES_MAX = 10_000;

/**
 * Eras of upstreams, each remembered for 24 hours. A process uses one object; keys name the
 * integration and the class of its credential. Beyond 10,000 entries, the least recently used one
 * is removed.
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
   * Determines an era. Concurrent callers with the same class of `credential` share one probe:
   * after a restart of a gateway many sessions open at once, and the server could not respond to a
   * probe of each within the time limit. Other classes probe separately, because a refusal concerns
   * one class only. A failure of the gateway itself, such as a workspace without memory, is not
   * shared.
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
