import type { DocumentKey, OrganisationDocument, ReadModelDocument, WorkspaceDocument } from '@gw/contracts';
import { readDocument, type Documents } from './documents';

/** The credential that a caller was resolved from, with its documents. */
export interface CallerOrigin {
  /** Id of the key, the trust or the grant. */
  readonly id: string;
  /** Key of the credential's document. */
  readonly at: DocumentKey;
  /**
   * Other keys under which that document may be found later, when it moves after a replacement of
   * the master key.
   */
  readonly others: readonly DocumentKey[];
  readonly source: ReadModelDocument;
  readonly workspace: WorkspaceDocument;
  readonly workspaceKey: DocumentKey;
  readonly organisation: OrganisationDocument;
  readonly organisationKey: DocumentKey;
  /** Unix milliseconds at which the credential expires. */
  readonly expiresAtMs: number;
}

interface WatchedCaller {
  readonly origin: CallerOrigin;
  /** The last version of the credential's document that was read. */
  seen: ReadModelDocument;
  endsAtMs: number;
}

/**
 * Whether the documents of a caller are still the ones that were read; `source` is the document of
 * the credential. It costs three lookups in memory.
 */
export const isUnchanged = (
  documents: Pick<Documents, 'get'>,
  { at, workspace, workspaceKey, organisation, organisationKey }: CallerOrigin,
  source: ReadModelDocument,
): boolean =>
  documents.get(at) === source &&
  documents.get(workspaceKey) === workspace &&
  documents.get(organisationKey) === organisation;

/**
 * Finds out whether the credential of an admitted caller was withdrawn since. An end that was known
 * in advance, such as an expiry or the end of a rotation's transition, does not count.
 */
export class CallerEnds<P extends object> {
  private readonly watched = new WeakMap<P, WatchedCaller>();

  constructor(private readonly documents: Documents) {}

  watch(caller: P, origin: CallerOrigin): void {
    this.watched.set(caller, { origin, seen: origin.source, endsAtMs: origin.expiresAtMs });
  }

  /**
   * Returns the document key of the caller's credential; null for a caller that was not admitted
   * here.
   */
  credentialOf(caller: P): DocumentKey | null {
    return this.watched.get(caller)?.origin.at ?? null;
  }

  /**
   * Whether the caller's credential was withdrawn; false while the documents cannot be read. Never
   * rejects.
   */
  hasEnded(caller: P): boolean | Promise<boolean> {
    const watched = this.watched.get(caller);
    if (watched === undefined || isUnchanged(this.documents, watched.origin, watched.seen)) return false;
    return this.isGone(watched).catch(() => false);
  }

  private async isGone(of: WatchedCaller): Promise<boolean> {
    const { id, at, others, workspaceKey, organisationKey, expiresAtMs } = of.origin;
    const [workspace, organisation] = await Promise.all([
      readDocument(this.documents, workspaceKey),
      readDocument(this.documents, organisationKey),
    ]);
    if (!isActive(workspace, 'workspace') || !isActive(organisation, 'organisation')) return true;
    if (of.endsAtMs <= Date.now()) return false;
    for (const place of [at, ...others]) {
      const document = await readDocument(this.documents, place);
      if (document === null || !hasCredential(document, id)) continue;
      of.seen = document;
      of.endsAtMs = Math.min(expiresAtMs, endOf(document));
      return false;
    }
    return true;
  }
}

/** Whether a document still contains the credential. */
function hasCredential(document: ReadModelDocument, id: string): boolean {
  if (document.kind === 'trusts') return document.trusts.some((trust) => trust.id === id);
  if (document.kind === 'api_key') return document.id === id && document.status !== 'archived';
  return document.kind === 'access_token';
}

const endOf = (document: ReadModelDocument): number =>
  document.kind === 'api_key' && document.expiresAt !== null ? Date.parse(document.expiresAt) : Infinity;

export const isActive = <K extends 'workspace' | 'organisation'>(
  document: ReadModelDocument | null,
  kind: K,
): document is Extract<ReadModelDocument, { kind: K }> =>
  document?.kind === kind && document.status === 'active';
