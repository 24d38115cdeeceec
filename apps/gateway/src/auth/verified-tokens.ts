import { SharedEntries, type Tenant } from '@gw/kernel';
import { hash } from 'node:crypto';

/** Maximum bytes for all workspaces together, about ten thousand tokens. */
const BYTES_MAX = 67_108_864;
/** Bytes of a caller in addition to the claims of its token. */
const CALLER_BYTES = 2_048;
/** Bytes per character of a token, because claims are stored decoded, and some of them twice. */
const BYTES_PER_CHARACTER = 4;

interface Entry<Caller> {
  readonly caller: Caller;
  readonly bytes: number;
}

export interface VerifiedTokensOptions {
  readonly bytesMax?: number;
  readonly now?: () => number;
}

/**
 * Callers resolved from signed tokens, by the token's SHA-256, so that memory holds no usable
 * token. Bounded by bytes (tokens have up to 16 KiB). A workspace with many tokens evicts its own
 * entries only.
 */
export class VerifiedTokens<Caller> {
  private readonly entries: SharedEntries<Entry<Caller>>;

  constructor({ bytesMax = BYTES_MAX, now }: VerifiedTokensOptions = {}) {
    this.entries = new SharedEntries({
      bytesMax,
      sizeOf: ({ bytes }) => bytes,
      ...(now === undefined ? {} : { now }),
    });
  }

  /** Estimated bytes of memory that the callers use. */
  get bytes(): number {
    return this.entries.bytes;
  }

  get(token: string): Caller | undefined {
    return this.entries.get(digestOf(token))?.caller;
  }

  /** Stores a caller. If there is no room, its token is verified again at its next use. */
  set(
    token: string,
    caller: Caller,
    { tenant, ttlMs }: { readonly tenant: Tenant; readonly ttlMs: number },
  ): void {
    const bytes = CALLER_BYTES + BYTES_PER_CHARACTER * token.length;
    this.entries.set(tenant, digestOf(token), { caller, bytes }, ttlMs);
  }

  delete(token: string): void {
    this.entries.delete(digestOf(token));
  }
}

const digestOf = (token: string): string => hash('sha256', token, 'base64');
