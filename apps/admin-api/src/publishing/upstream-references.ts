import type { DocumentKey } from '@gw/contracts';
import { SecretReferenceEntity, type UpstreamIntegration } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';

/** A server or agent of a workspace, identified by its slug or id. */
export interface WantedServer {
  readonly key: DocumentKey;
  readonly workspaceId: string;
  readonly name: string;
}

/** Returns the active secret references of integrations, by reference id. */
export async function referencesOf(
  manager: EntityManager,
  integrations: readonly Pick<UpstreamIntegration, 'secretMappings'>[],
): Promise<ReadonlyMap<string, SecretReferenceEntity>> {
  const ids = integrations.flatMap(({ secretMappings }) =>
    (secretMappings ?? []).map(({ secret_reference_id }) => secret_reference_id),
  );
  if (ids.length === 0) return new Map();
  const rows = await manager.find(SecretReferenceEntity, { where: { id: In(ids), status: 'active' } });
  return new Map(rows.map((row) => [row.id, row]));
}
