import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  ProviderEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { In, Not, type EntityManager } from 'typeorm';
import type { Write } from '../audit/writes';

export interface DependentCount {
  readonly kind: string;
  readonly count: number;
}

const KINDS = [
  ['api_keys', ApiKeyEntity],
  ['providers', ProviderEntity],
  ['configs', ConfigEntity],
] as const;

/** Live resources of the workspace, by kind; kinds without any are left out. */
export async function countDependents(
  manager: EntityManager,
  workspaceId: string,
): Promise<DependentCount[]> {
  const counts: DependentCount[] = [];
  for (const [kind, entity] of KINDS) {
    const count = await manager.countBy(entity, { workspaceId, status: Not('archived') });
    if (count > 0) counts.push({ kind, count });
  }
  return counts;
}

/** Archives everything of the workspace and tells the gateways that it is gone. */
export async function archiveDependents(write: Write, workspaceId: string): Promise<void> {
  const { manager } = write;
  const live = { workspaceId, status: Not('archived' as const) };
  const keys = await manager.find(ApiKeyEntity, { where: live, select: { id: true } });
  const ids = keys.map(({ id }) => id);
  const secrets = await manager.findBy(ApiKeySecretEntity, { apiKeyId: In(ids) });
  const providers = await manager.find(ProviderEntity, { where: live, select: { id: true, slug: true } });
  const configs = await manager.find(ConfigEntity, { where: live, select: { id: true, slug: true } });

  await manager.delete(ApiKeySecretEntity, { apiKeyId: In(ids) });
  await manager.update(ApiKeyEntity, live, { status: 'archived' });
  await manager.update(ProviderEntity, live, { status: 'archived' });
  await manager.update(ConfigEntity, live, { status: 'archived' });
  await manager.delete(WorkspaceUserEntity, { workspaceId });

  write.removed(
    ...secrets.map(({ secretHash }) => documentKey.apiKey(secretHash)),
    ...providers.map(({ slug }) => documentKey.provider(workspaceId, slug)),
    ...configs.flatMap(({ id, slug }) => [
      documentKey.config(workspaceId, id),
      documentKey.config(workspaceId, slug),
    ]),
  );
}
