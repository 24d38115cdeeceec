import type { CloudIdentity, IssuedCredential } from '@gw/contracts';
import { Shares, VendorError } from '@gw/kernel';
import { FairCache } from './fair-cache';
import { identityKey, issue, type Issuing } from './issue';
import type { IdentityTools, Issued } from './tools';

export interface IssuedCredentialsOptions {
  /**
   * Maximum cached credentials, of at most 33 KiB each; beyond it the least recently used one is
   * dropped.
   */
  readonly most?: number;
  /** Maximum cached credentials of one workspace. */
  readonly mostOfOne?: number;
  /** Maximum concurrent calls to token services, shared among workspaces. */
  readonly callsMax?: number;
  /** Returns a number from 0 to 1, which spreads renewals. */
  readonly random?: () => number;
}

interface Known {
  issued: Issued | null;
  /** Unix milliseconds from which the credential is renewed while it is used. */
  renewAt: number;
  /** The call that renews it; null when none is in progress. */
  renewing: Promise<Issued> | null;
  failure: VendorError | null;
  /** Unix milliseconds until which no call is made after a failure. */
  waitsUntil: number;
  failures: number;
}

/** Remaining lifetime below which a request waits for the new credential. */
const NEARLY_OVER_MS = 60_000;
const EARLY_MS = 300_000;
/** After a failure without a valid credential, the service is not called for this time. */
const REFUSED_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;
/** A credential that the provider refused is dropped at most once in this time. */
const DROP_EVERY_MS = 10_000;

/**
 * Caches short-lived credentials in memory and renews them: in the background while the old one is
 * valid, with one call for all requests that need the same one.
 */
export class IssuedCredentials {
  private readonly entries: FairCache<Known>;
  private readonly calls: Shares;
  private readonly random: () => number;
  /** Times of the last drops, by key. */
  private readonly dropped: FairCache<{ readonly at: number }>;

  constructor(
    private readonly tools: IdentityTools,
    { most = 10_000, mostOfOne = 256, callsMax = 128, random = Math.random }: IssuedCredentialsOptions = {},
  ) {
    this.entries = new FairCache({ most, mostOfOne });
    this.dropped = new FairCache({ most, mostOfOne });
    this.calls = new Shares(callsMax);
    this.random = random;
  }

  /** Number of cached credentials, failures included. */
  get size(): number {
    return this.entries.size;
  }

  /**
   * Returns the credential of an identity; a promise only when the request must wait for a token
   * service. @throws VendorError
   */
  of(identity: CloudIdentity, issuing: Issuing): IssuedCredential | Promise<IssuedCredential> {
    const key = identityKey(identity, issuing);
    const entry = this.entryOf(key, issuing.workspaceId);
    const now = this.tools.now();
    if (entry.issued !== null && now < entry.issued.expiresAt) {
      if (now >= entry.renewAt && now >= entry.waitsUntil) this.renewLater(entry, identity, issuing);
      const isNearlyOver = entry.issued.expiresAt - now < NEARLY_OVER_MS && entry.renewing !== null;
      if (!isNearlyOver) return entry.issued.credential;
      return this.orOld(entry, entry.renewing as Promise<Issued>);
    }
    if (entry.failure !== null && now < entry.waitsUntil) throw entry.failure;
    return (entry.renewing ?? this.renew(entry, identity, issuing)).then(({ credential }) => credential);
  }

  /**
   * Drops a credential that its provider refused, so that the next call gets a new one. Returns
   * false when that happened less than 10 seconds ago, because the refusal then has another cause.
   */
  drop(identity: CloudIdentity, issuing: Issuing): boolean {
    const key = identityKey(identity, issuing);
    const now = this.tools.now();
    if (now - (this.dropped.get(key)?.at ?? 0) < DROP_EVERY_MS) return false;
    this.dropped.set(key, issuing.workspaceId, { at: now });
    this.entries.delete(key);
    return true;
  }

  private entryOf(key: string, workspaceId: string): Known {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = { issued: null, renewAt: 0, renewing: null, failure: null, waitsUntil: 0, failures: 0 };
      this.entries.set(key, workspaceId, entry);
    }
    return entry;
  }

  /**
   * Resolves to the new credential, or to the old one when the renewal fails while that is valid.
   */
  private orOld(entry: Known, renewing: Promise<Issued>): Promise<IssuedCredential> {
    const old = entry.issued;
    return renewing.then(
      ({ credential }) => credential,
      (failure: unknown) => {
        if (old !== null && this.tools.now() < old.expiresAt) return old.credential;
        throw failure;
      },
    );
  }

  private renewLater(entry: Known, identity: CloudIdentity, issuing: Issuing): void {
    if (entry.renewing !== null) return;
    // The entry stores the failure; the old credential is used until it expires.
    this.renew(entry, identity, issuing).catch(() => undefined);
  }

  private renew(entry: Known, identity: CloudIdentity, issuing: Issuing): Promise<Issued> {
    const share = this.calls.of(issuing.workspaceId, issuing.workspaceId);
    if (!share.take(1)) {
      return Promise.reject(new VendorError('unreachable', 'Too many credentials are being issued at once.'));
    }
    const renewing = issue(identity, issuing, this.tools)
      .then(
        (issued) => {
          this.keep(entry, issued);
          return issued;
        },
        (thrown: unknown) => {
          throw this.failed(entry, thrown);
        },
      )
      .finally(() => {
        share.give(1);
        entry.renewing = null;
      });
    entry.renewing = renewing;
    return renewing;
  }

  private keep(entry: Known, issued: Issued): void {
    const now = this.tools.now();
    const left = issued.expiresAt - now;
    const early = Math.min(left / 2, Math.max(EARLY_MS, left / 5)) * (0.9 + 0.2 * this.random());
    entry.issued = issued;
    entry.renewAt = issued.expiresAt - early;
    entry.failure = null;
    entry.failures = 0;
    entry.waitsUntil = 0;
  }

  private failed(entry: Known, thrown: unknown): VendorError {
    const failure =
      thrown instanceof VendorError
        ? thrown
        : new VendorError('invalid', 'The credential could not be issued.', { cause: thrown });
    const now = this.tools.now();
    const { issued } = entry;
    entry.failure = failure;
    entry.failures += 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (entry.failures - 1));
    // Once the old credential has expired, requests fail until there is a new one.
    entry.waitsUntil =
      issued !== null && now < issued.expiresAt ? Math.min(now + waitMs, issued.expiresAt) : now + REFUSED_MS;
    return failure;
  }
}
