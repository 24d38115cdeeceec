import type { CloudIdentity, IssuedCredential } from '@gw/contracts';
import { Shares, VendorError } from '@gw/kernel';
import { FairCache } from './fair-cache';
import { identityKey, issue, type Issuing } from './issue';
import type { IdentityTools, Issued } from './tools';

export interface IssuedCredentialsOptions {
  /** Most credentials kept; beyond it the least recently used is forgotten. Each has at most 33 KiB. */
  readonly most?: number;
  /** Most credentials of one workspace. */
  readonly mostOfOne?: number;
  /** Most calls to token services at once, shared among workspaces. */
  readonly callsMax?: number;
  /** A number from 0 to 1, for the spread of renewals. */
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

/** With less than this left, a request waits for the new credential. */
const NEARLY_OVER_MS = 60_000;
const EARLY_MS = 300_000;
/** After a failure without a valid credential, the service is not called for this time. */
const REFUSED_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;
/** A credential that the provider refused is dropped at most once in this time. */
const DROP_EVERY_MS = 10_000;

/**
 * Keeps short-lived credentials in memory and renews them: one call for all requests that need the
 * same one, in the background while the old one is valid.
 */
export class IssuedCredentials {
  private readonly known: FairCache<Known>;
  private readonly calls: Shares;
  private readonly random: () => number;
  /** Times of the last drops, by key. */
  private readonly dropped: FairCache<{ readonly at: number }>;

  constructor(
    private readonly tools: IdentityTools,
    { most = 10_000, mostOfOne = 256, callsMax = 128, random = Math.random }: IssuedCredentialsOptions = {},
  ) {
    this.known = new FairCache({ most, mostOfOne });
    this.dropped = new FairCache({ most, mostOfOne });
    this.calls = new Shares(callsMax);
    this.random = random;
  }

  /** Number of kept credentials, failures included. */
  get size(): number {
    return this.known.size;
  }

  /** Returns a promise only when the request has to wait for a token service. @throws VendorError */
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
   * Forgets a credential that its provider refused, so that the next call gets a new one. False when
   * it was done less than 10 seconds ago: then the refusal has another reason.
   */
  drop(identity: CloudIdentity, issuing: Issuing): boolean {
    const key = identityKey(identity, issuing);
    const now = this.tools.now();
    if (now - (this.dropped.get(key)?.at ?? 0) < DROP_EVERY_MS) return false;
    this.dropped.set(key, issuing.workspaceId, { at: now });
    this.known.delete(key);
    return true;
  }

  private entryOf(key: string, workspaceId: string): Known {
    let entry = this.known.get(key);
    if (entry === undefined) {
      entry = { issued: null, renewAt: 0, renewing: null, failure: null, waitsUntil: 0, failures: 0 };
      this.known.set(key, workspaceId, entry);
    }
    return entry;
  }

  /** Waits for the new credential; the old one serves if that fails. */
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
    // The failure is kept in the entry; the old credential serves until it ends.
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
    const isValid = entry.issued !== null && now < entry.issued.expiresAt;
    entry.failure = failure;
    entry.failures += 1;
    entry.waitsUntil =
      now + (isValid ? Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (entry.failures - 1)) : REFUSED_MS);
    return failure;
  }
}
