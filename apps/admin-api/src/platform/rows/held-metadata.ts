import { applyMetadataSchema, readMetadataSchema } from '@gw/config-schema';
import { OrganisationPropertiesEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import type { EntityManager } from 'typeorm';

/**
 * Returns the metadata completed with the defaults of the organisation's schema; unchanged when the
 * organisation has no schema. Throws `validation_failed` for metadata that the schema does not
 * allow.
 */
export async function heldMetadata(
  manager: EntityManager,
  organisationId: string,
  kind: 'apiKeyMetadataSchema' | 'workspaceMetadataSchema',
  metadata: Readonly<Record<string, string>> | null,
): Promise<Readonly<Record<string, string>> | null> {
  const row = await manager.findOneBy(OrganisationPropertiesEntity, { organisationId });
  const saved = row?.[kind];
  if (!saved) return metadata;
  const held = applyMetadataSchema(readMetadataSchema(saved, '').schema, metadata ?? {}, 'defaults.metadata');
  if (held.faults.length > 0) throw validationFailed(held.faults);
  return Object.keys(held.metadata).length === 0 ? metadata : held.metadata;
}
