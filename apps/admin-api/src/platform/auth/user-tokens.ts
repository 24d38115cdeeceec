import { documentKey, type DocumentKey } from '@gw/contracts';
import { OauthArtifactEntity, OauthConsentEntity, PlaygroundKeyEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import { playgroundDocuments } from './playground-keys';

/**
 * Returns the document keys of a user's grants, access tokens and playground keys in one workspace
 * or in a whole organisation.
 */
export async function accessTokensOf(
  manager: EntityManager,
  at: { readonly organisationId: string; readonly userId: string; readonly workspaceId?: string },
): Promise<DocumentKey[]> {
  const { organisationId, userId, workspaceId } = at;
  const query = manager
    .createQueryBuilder(OauthConsentEntity, 'consent')
    .leftJoin(
      OauthArtifactEntity,
      'artifact',
      `artifact.grantId = consent.id AND artifact.model = 'AccessToken' AND artifact.expiresAt > now()`,
    )
    .select('artifact.idHash', 'idHash')
    .addSelect('consent.id', 'grantId')
    .where('consent.expiresAt > now()')
    .andWhere('consent.userId = :userId AND consent.organisationId = :organisationId', {
      userId,
      organisationId,
    });
  if (workspaceId !== undefined) query.andWhere('consent.workspaceId = :workspaceId', { workspaceId });
  const rows = await query.getRawMany<{ readonly idHash: string | null; readonly grantId: string }>();
  const keys = await manager.find(PlaygroundKeyEntity, {
    where: { userId, organisationId, ...(workspaceId !== undefined && { workspaceId }) },
    select: { keyHash: true },
  });
  return [
    ...new Set(rows.map(({ grantId }) => documentKey.oauthGrant(grantId))),
    ...rows.flatMap(({ idHash }) => (idHash === null ? [] : [documentKey.accessToken(idHash)])),
    ...playgroundDocuments(keys),
  ];
}
