import type { DocumentKey, ReadModelDocument, TrustsDocument, WorkspaceSlugDocument } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import { activeTrusts, isCallerTrust, toTrustRule } from '../platform/rows/trust-rules';
import { versioned } from './document-builders';
import type { WantedRow } from './document-keys';

type Wanted<K extends WantedRow['kind']> = Extract<WantedRow, { kind: K }> & { readonly key: DocumentKey };
type Documents = Map<DocumentKey, ReadModelDocument>;

/**
 * Adds the active trusts of each issuer from all active organisations, in the order of their
 * creation.
 */
export async function addTrusts(
  manager: EntityManager,
  wanted: readonly Wanted<'trusts'>[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const digests = wanted.map(({ issuerDigest }) => issuerDigest);
  const rows = await activeTrusts(manager, { issuerDigest: In(digests) }).getMany();
  for (const { key, issuerDigest } of wanted) {
    const trusts = rows
      .filter((row) => row.issuerDigest === issuerDigest)
      .filter(isCallerTrust)
      .map(toTrustRule);
    if (trusts.length > 0) to.set(key, versioned<TrustsDocument>({ kind: 'trusts', trusts }));
  }
}

/** Adds the documents of active workspaces by slug. */
export async function addWorkspaceSlugs(
  manager: EntityManager,
  wanted: readonly Wanted<'workspace_slug'>[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const rows = await manager.find(WorkspaceEntity, {
    where: wanted.map(({ organisationId, name }) => ({
      organisationId,
      slug: name,
      status: 'active' as const,
    })),
    select: { id: true, organisationId: true, slug: true },
  });
  for (const { key, organisationId, name } of wanted) {
    const row = rows.find((each) => each.organisationId === organisationId && each.slug === name);
    if (row !== undefined) {
      to.set(key, versioned<WorkspaceSlugDocument>({ kind: 'workspace_slug', workspaceId: row.id }));
    }
  }
}
