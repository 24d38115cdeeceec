import type { Keyring } from '@gw/kernel';
import {
  documentKey,
  type ApiKeyDocument,
  type ConfigDocument,
  type DocumentKey,
  type OrganisationDocument,
  type ProviderDocument,
  type ReadModelDocument,
  type WorkspaceDocument,
} from '@gw/contracts';
import { DiskCopy, type DiskCopyContent } from './disk-copy';
import { AbsentKeys, CHANGED, DocumentCache, type CacheEntry } from './document-cache';
import { DocumentLoader } from './document-loader';
import { EventFollower } from './event-follower';
import { readModelLimits, type ReadModelLimits } from './bounds';
import type { DocumentSource, EventSource, FoundDocument } from './ports';
import { ReadModelUnavailable, within } from './unavailable';

/**
 * Value of `liveEpoch` while the event stream is not up to date; no entry ever has this epoch.
 */
const NONE = -2;
/** Maximum length of a key: a kind, a UUID and a slug of 255 characters. */
const KEY_LENGTH_MAX = 320;

export type ChangeListener = (key: DocumentKey, document: ReadModelDocument | null) => void;

export interface ReadModelOptions {
  readonly documents: DocumentSource;
  readonly events: EventSource;
  /** The encrypted copy for a cold start; none when absent. */
  readonly disk?: { readonly path: string; readonly ring: Keyring };
  readonly limits?: Partial<ReadModelLimits>;
  /** Returns milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Called at the end of `stop`, to free the sources' resources. */
  readonly release?: () => void;
  /** Reports problems to the operator; never includes a document. */
  readonly warn?: (message: string, error?: unknown) => void;
}

export interface ReadModelState {
  /** Whether the event stream is up to date. */
  readonly verified: boolean;
  /** Sequence number of the newest applied change; null before the first contact. */
  readonly sequence: number | null;
  /** Documents in memory. */
  readonly entries: number;
  /** Keys known to have no document. */
  readonly absent: number;
  /** Current transport of events: `http` or `redis`. */
  readonly source: string;
  /** ISO 8601; null before the first event. */
  readonly lastEventAt: string | null;
}

/**
 * This process's view of the control plane. Reads are synchronous and served from memory.
 * Events keep it current. While events are lost, a document that was verified more than 5 s ago is
 * verified when it is used. While the source is unreachable too, known documents are served at any
 * age. A removed document is refused within 2 s, and within 10 s when events were lost.
 */
export class ReadModel {
  private readonly limits: ReadModelLimits;
  private readonly now: () => number;
  private readonly warn: (message: string, error?: unknown) => void;
  private readonly cache: DocumentCache;
  private readonly absent: AbsentKeys;
  private readonly loader: DocumentLoader;
  private readonly disk: DiskCopy | null;
  private readonly listeners = new Set<ChangeListener>();
  private readonly events: EventFollower;

  /**
   * Increases with every reset: entries of an older epoch are unverified even while the stream is
   * up to date.
   */
  private epoch = 0;
  /** `epoch` while the stream is up to date, `NONE` otherwise; a lookup compares only this. */
  private liveEpoch = NONE;
  /** Time until which entries of this epoch are known to have been current. */
  private verifiedUntil = -Infinity;
  /** Known documents are not verified before this time, because the last attempt failed. */
  private verifyRetryAt = -Infinity;
  /**
   * Consecutive failed verifications. After the first failure, requests do not wait for a
   * verification until one succeeds.
   */
  private verifyFailures = 0;

  constructor(private readonly options: ReadModelOptions) {
    this.limits = readModelLimits(options.limits);
    this.now = options.now ?? (() => performance.now());
    this.warn = options.warn ?? (() => undefined);
    this.cache = new DocumentCache(this.limits);
    this.absent = new AbsentKeys(this.limits.absentMax);
    this.loader = new DocumentLoader(options.documents, {
      concurrency: this.limits.readsMax,
      pendingMax: this.limits.pendingMax,
      retryAfterMs: this.limits.retryAfterMs,
      now: this.now,
      epoch: () => this.epoch,
      deliver: (key, found, epoch) => {
        this.deliver(key, found, epoch);
      },
    });
    this.events = new EventFollower({
      events: options.events,
      silenceMaxMs: this.limits.silenceMaxMs,
      now: this.now,
      followed: {
        confirmed: () => {
          this.liveEpoch = this.epoch;
          this.verifiedUntil = this.now();
          this.sourceResponded();
        },
        lost: () => {
          this.liveEpoch = NONE;
        },
        startedOver: () => {
          this.epoch += 1;
          this.absent.clear();
          this.liveEpoch = NONE;
        },
        removed: (key, sequence) => {
          this.loader.raise(key, sequence);
          this.forget(key, this.cache.peek(key) !== undefined);
        },
        changed: (key, sequence) => {
          this.markChanged(key, sequence);
        },
        applied: () => {
          if (this.liveEpoch !== NONE) this.verifiedUntil = this.now();
        },
      },
    });
    this.disk = options.disk
      ? new DiskCopy({ ...options.disk, limits: this.limits, warn: this.warn, content: () => this.content() })
      : null;
  }

  /**
   * Reads the disk copy and opens the event stream, without waiting for the control plane. Never
   * rejects.
   */
  async start(): Promise<void> {
    const copy = await this.disk?.read();
    if (copy) this.restore(copy);
    this.events.start();
  }

  /** Closes the event stream and writes the disk copy. */
  async stop(): Promise<void> {
    this.events.stop();
    await this.disk?.close();
    this.options.release?.();
  }

  /**
   * Looks up a document in memory. Null when there is none; undefined when that is unknown or must
   * be verified first, which `load` does.
   */
  get(key: DocumentKey): ReadModelDocument | null | undefined {
    const entry = this.cache.get(key);
    if (entry === undefined) return this.getAbsent(key);
    if (entry.epoch === this.liveEpoch) return entry.document;
    const now = this.now();
    if (this.inGrace(entry, now) || now < this.verifyRetryAt) return entry.document;
    if (this.verifyFailures === 0) return undefined;
    this.verifyInBackground(key);
    return entry.document;
  }

  /**
   * Returns the document, or null when there is none.
   * Waits at most 5 s for an unknown document, and at most 300 ms for the verification of a known
   * one. When the source does not respond, returns the known document unverified. Later calls do
   * not wait; they verify in the background until one verification succeeds.
   * Throws `ReadModelUnavailable` when the source is unreachable and nothing is known.
   */
  async load(key: DocumentKey): Promise<ReadModelDocument | null> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const entry = this.cache.peek(key);
    if (entry !== undefined) return this.verify(key, entry);
    // A name from a request may have any length; no document has a longer key.
    if (key.length > KEY_LENGTH_MAX) return null;
    if (this.loader.down) throw new ReadModelUnavailable();
    return within(this.loader.load(key, 0), this.limits.loadTimeoutMs);
  }

  /**
   * Reads the document of a key from the source, also a known one: for a change of which this
   * process has learned before the event arrives. Rejects with `ReadModelUnavailable`.
   */
  async reload(key: DocumentKey): Promise<ReadModelDocument | null> {
    if (key.length > KEY_LENGTH_MAX) return null;
    if (this.loader.down) throw new ReadModelUnavailable();
    return within(this.loader.loadAgain(key), this.limits.loadTimeoutMs);
  }

  /**
   * Returns known documents whose keys start with the prefix, recently used ones first. Examines at
   * most 5,000 keys, so it may miss some. Reads nothing from the source and does not count as a
   * use.
   */
  known(prefix: DocumentKey): readonly ReadModelDocument[] {
    return this.cache.under(prefix);
  }

  getApiKey(hash: string): ApiKeyDocument | null | undefined {
    return this.get(documentKey.apiKey(hash)) as ApiKeyDocument | null | undefined;
  }
  loadApiKey(hash: string): Promise<ApiKeyDocument | null> {
    return this.load(documentKey.apiKey(hash)) as Promise<ApiKeyDocument | null>;
  }
  getOrganisation(id: string): OrganisationDocument | null | undefined {
    return this.get(documentKey.organisation(id)) as OrganisationDocument | null | undefined;
  }
  loadOrganisation(id: string): Promise<OrganisationDocument | null> {
    return this.load(documentKey.organisation(id)) as Promise<OrganisationDocument | null>;
  }
  getWorkspace(id: string): WorkspaceDocument | null | undefined {
    return this.get(documentKey.workspace(id)) as WorkspaceDocument | null | undefined;
  }
  loadWorkspace(id: string): Promise<WorkspaceDocument | null> {
    return this.load(documentKey.workspace(id)) as Promise<WorkspaceDocument | null>;
  }
  getProvider(workspaceId: string, slug: string): ProviderDocument | null | undefined {
    return this.get(documentKey.provider(workspaceId, slug)) as ProviderDocument | null | undefined;
  }
  loadProvider(workspaceId: string, slug: string): Promise<ProviderDocument | null> {
    return this.load(documentKey.provider(workspaceId, slug)) as Promise<ProviderDocument | null>;
  }
  getConfig(workspaceId: string, slugOrId: string): ConfigDocument | null | undefined {
    return this.get(documentKey.config(workspaceId, slugOrId)) as ConfigDocument | null | undefined;
  }
  loadConfig(workspaceId: string, slugOrId: string): Promise<ConfigDocument | null> {
    return this.load(documentKey.config(workspaceId, slugOrId)) as Promise<ConfigDocument | null>;
  }

  /**
   * Calls the listener when the document of a key is replaced or removed (null). Verifying an
   * unchanged document keeps the same object and calls no listener. Listeners must not throw.
   * Returns a function that unsubscribes.
   */
  onChange(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  state(): ReadModelState {
    return {
      verified: this.liveEpoch !== NONE,
      sequence: this.events.sequence,
      entries: this.cache.entries,
      absent: this.absent.size,
      source: this.options.events.name,
      lastEventAt: this.events.lastEventAt,
    };
  }

  private getAbsent(key: DocumentKey): null | undefined {
    const since = this.absent.get(key);
    if (since === undefined) return undefined;
    const now = this.now();
    if (now - since > this.limits.absentTtlMs) {
      this.absent.delete(key);
      return undefined;
    }
    if (this.liveEpoch !== NONE) return null;
    return now - Math.max(since, this.verifiedUntil) < this.limits.unverifiedMaxMs ? null : undefined;
  }

  /** Whether an unverified entry may be served for now without a read. */
  private inGrace(entry: CacheEntry, now: number): boolean {
    if (entry.epoch === CHANGED) return now - entry.changedAt < this.limits.changedMaxMs;
    const until = entry.epoch === this.epoch ? this.verifiedUntil : -Infinity;
    return now - Math.max(entry.verifiedAt, until) < this.limits.unverifiedMaxMs;
  }

  private async verify(key: DocumentKey, entry: CacheEntry): Promise<ReadModelDocument | null> {
    try {
      return await within(this.loader.load(key, Infinity, true), this.limits.verifyTimeoutMs);
    } catch {
      this.sourceFailed();
      // An event may have removed or replaced it in the meantime.
      const current = this.cache.peek(key);
      if (current !== undefined) return current.document;
      return this.absent.get(key) === undefined ? entry.document : null;
    }
  }

  /** Verifies in the background, so that no request waits for a source that failed last time. */
  private verifyInBackground(key: DocumentKey): void {
    this.verifyRetryAt = Infinity;
    within(this.loader.load(key, Infinity, true), this.limits.loadTimeoutMs).then(
      () => {
        this.sourceResponded();
      },
      () => {
        this.sourceFailed();
      },
    );
  }

  private sourceResponded(): void {
    this.verifyFailures = 0;
    this.verifyRetryAt = -Infinity;
  }

  private sourceFailed(): void {
    const { retryAfterMs, retryAfterMaxMs } = this.limits;
    const pauseMs = Math.min(retryAfterMs * 2 ** Math.min(this.verifyFailures, 10), retryAfterMaxMs);
    this.verifyFailures += 1;
    this.verifyRetryAt = this.now() + pauseMs;
  }

  private deliver(key: DocumentKey, { document }: FoundDocument, epoch: number): void {
    const now = this.now();
    const before = this.cache.peek(key);
    if (document === null) {
      this.forget(key, before !== undefined);
      // The read began before the last reset, so its result is valid for its caller only and must
      // not be cached.
      if (epoch !== this.epoch) this.absent.delete(key);
      return;
    }
    this.absent.delete(key);
    if (before !== undefined && before.document.version === document.version) {
      before.epoch = epoch;
      before.verifiedAt = now;
      return;
    }
    const size = JSON.stringify(document).length;
    this.cache.set(key, { document, size, epoch, verifiedAt: now, changedAt: now });
    this.disk?.changed();
    this.notify(key, document);
  }

  private forget(key: DocumentKey, wasKnown: boolean): void {
    this.cache.delete(key);
    this.absent.set(key, this.now());
    if (!wasKnown) return;
    this.disk?.changed();
    this.notify(key, null);
  }

  private markChanged(key: DocumentKey, sequence: number): void {
    this.absent.delete(key);
    this.loader.raise(key, sequence);
    const entry = this.cache.peek(key);
    if (entry === undefined) return;
    entry.epoch = CHANGED;
    entry.changedAt = this.now();
    this.disk?.changed();
    // When this read fails, the next use of the document reads it again.
    this.loader.load(key, sequence, true).catch(() => undefined);
  }

  private notify(key: DocumentKey, document: ReadModelDocument | null): void {
    for (const listener of this.listeners) listener(key, document);
  }

  private restore(copy: DiskCopyContent): void {
    this.events.sequence = copy.sequence;
    for (const { key, document, size, changed } of copy.documents) {
      const epoch = changed ? CHANGED : this.epoch;
      this.cache.set(key, { document, size, epoch, verifiedAt: -Infinity, changedAt: -Infinity });
    }
  }

  private content(): DiskCopyContent {
    const documents = [];
    for (const [key, { document, size, epoch }] of this.cache.all()) {
      documents.push({ key, document, size, changed: epoch !== this.epoch });
    }
    return { sequence: this.events.sequence, documents };
  }
}
