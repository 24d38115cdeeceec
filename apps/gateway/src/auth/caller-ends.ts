import type { DocumentKey, OrganisationDocument, ReadModelDocument, WorkspaceDocument } from '@gw/contracts';
import { readDocument, type Documents } from './documents';

/** What a caller was resolved from. */
export interface CallerOrigin {
  /** Id of the key, the trust or the grant. */
  readonly id: string;
  /** Where the document of the credential is, or may be after the next replacement of the master key. */
  readonly places: readonly DocumentKey[];
  readonly source: ReadModelDocument;
  readonly workspace: WorkspaceDocument;
  readonly workspaceKey: DocumentKey;
  readonly organisation: OrganisationDocument;
  readonly organisationKey: DocumentKey;
  /** When the credential expires, in milliseconds since 1970. */
  readonly expiresAtMs: number;
}

interface Watched extends CallerOrigin {
  /** The last version that was seen of the credential's document. */
  seen: ReadModelDocument;
  endsAtMs: number;
}

/**
 * Tells whether callers who were let in have been taken away since. An end that was known before, such as an expiry or the end of a
 * rotation's transition, does not count.
 */
export class CallerEnds<P extends object> {
  private readonly watched = new WeakMap<P, Watched>();

  constructor(private readonly documents: Documents) {}

  watch(caller: P, origin: CallerOrigin): void {
    this.watched.set(caller, { ...origin, seen: origin.source, endsAtMs: origin.expiresAtMs });
  }

  /** What cannot be read has not ended. Never rejects. */
  hasEnded(caller: P): boolean | Promise<boolean> {
    const of = this.watched.get(caller);
    if (of === undefined) return false;
    const [place] = of.places;
    const isSame =
      place !== undefined &&
      this.documents.get(place) === of.seen &&
      this.documents.get(of.workspaceKey) === of.workspace &&
      this.documents.get(of.organisationKey) === of.organisation;
    return isSame ? false : this.isGone(of).catch(() => false);
  }

  private async isGone(of: Watched): Promise<boolean> {
    const [workspace, organisation] = await Promise.all([
      readDocument(this.documents, of.workspaceKey),
      readDocument(this.documents, of.organisationKey),
    ]);
    if (!isActive(workspace, 'workspace') || !isActive(organisation, 'organisation')) return true;
    if (of.endsAtMs <= Date.now()) return false;
    for (const place of of.places) {
      const document = await readDocument(this.documents, place);
      if (document === null || !isOf(document, of.id)) continue;
      of.seen = document;
      of.endsAtMs = Math.min(of.expiresAtMs, endOf(document));
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
