import type { DocumentKey, OrganisationDocument, ReadModelDocument, WorkspaceDocument } from '@gw/contracts';
import { readDocument, type Documents } from './documents';

/** Credential that a caller was resolved from. */
export interface CallerOrigin {
  /** Id of the key, the trust or the grant. */
  readonly id: string;
  /** Key of the credential's document. */
  readonly at: DocumentKey;
  /** Other keys under which that document may be found later, when it moves after a replacement of the master key. */
  readonly others: readonly DocumentKey[];
  readonly source: ReadModelDocument;
  readonly workspace: WorkspaceDocument;
  readonly workspaceKey: DocumentKey;
  readonly organisation: OrganisationDocument;
  readonly organisationKey: DocumentKey;
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

interface Watched {
  readonly origin: CallerOrigin;
  /** The last version that was seen of the credential's document. */
  seen: ReadModelDocument;
  endsAtMs: number;
}

/** Whether the documents of a caller are still those that were read; `source`: of the credential. Three lookups in memory. */
export const isUnchanged = (
  documents: Pick<Documents, 'get'>,
  { at, workspace, workspaceKey, organisation, organisationKey }: CallerOrigin,
  source: ReadModelDocument,
): boolean =>
  documents.get(at) === source &&
  documents.get(workspaceKey) === workspace &&
  documents.get(organisationKey) === organisation;

/**
 * Tells whether callers who were let in have been taken away since. An end that was known before, such as an expiry or the end of a
 * rotation's transition, does not count.
 */
export class CallerEnds<P extends object> {
  private readonly watched = new WeakMap<P, Watched>();

  constructor(private readonly documents: Documents) {}

  watch(caller: P, origin: CallerOrigin): void {
    this.watched.set(caller, { origin, seen: origin.source, endsAtMs: origin.expiresAtMs });
  }

  /** Key of the document of the caller's credential; null for a caller who was not let in here. */
  credentialOf(caller: P): DocumentKey | null {
    return this.watched.get(caller)?.origin.at ?? null;
  }

  /** Resolves to whether the caller's credential has ended; false while that cannot be read. Never rejects. */
  hasEnded(caller: P): boolean | Promise<boolean> {
    const of = this.watched.get(caller);
    if (of === undefined || isUnchanged(this.documents, of.origin, of.seen)) return false;
    return this.isGone(of).catch(() => false);
  }

  private async isGone(of: Watched): Promise<boolean> {
    const { id, at, others, workspaceKey, organisationKey, expiresAtMs } = of.origin;
    const [workspace, organisation] = await Promise.all([
      readDocument(this.documents, workspaceKey),
      readDocument(this.documents, organisationKey),
    ]);
    if (!isActive(workspace, 'workspace') || !isActive(organisation, 'organisation')) return true;
    if (of.endsAtMs <= Date.now()) return false;
    for (const place of [at, ...others]) {
      const document = await readDocument(this.documents, place);
      if (document === null || !isOf(document, id)) continue;
      of.seen = document;
      of.endsAtMs = Math.min(expiresAtMs, endOf(document));
      return false;
    }
    return true;
  }
}

/** Whether a document still has the credential. */
function isOf(document: ReadModelDocument, id: string): boolean {
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
