import { catalogueProvider } from '@gw/providers';
import { IntegrationEntity, type StoredSecretMapping } from '@gw/entities';
import { ResponseField, EnumField, invalid, ReferenceField, TextField } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { usableReference } from './secret-access';

/** A field of a credential whose value is in a secret manager. */
export class SecretMappingDto {
  @TextField({ description: '`key` or `configurations.<field>`.', example: 'key' }) target_field!: string;
  @ReferenceField({ description: 'Id or slug of the reference.', example: 'openai-key' })
  secret_reference_id!: string;
  @TextField({
    optional: true,
    nullable: true,
    description: 'Key within the secret; takes precedence over the secret_key of the reference.',
  })
  secret_key?: string | null;
  @EnumField(['string', 'json'], { optional: true, nullable: true, description: 'Default: string.' })
  value_format?: 'string' | 'json' | null;
}

export class SecretMappingResponse implements StoredSecretMapping {
  @ResponseField.text({ example: 'key' }) readonly target_field!: string;
  @ResponseField.uuid() readonly secret_reference_id!: string;
  @ResponseField.text({ nullable: true, example: 'api_key' }) readonly secret_key!: string | null;
  @ResponseField.oneOf(['string', 'json']) readonly value_format!: 'string' | 'json';
}

export interface MappingOwner {
  readonly organisationId: string;
  /** Workspace of the owner; null for an integration of the organisation. */
  readonly workspaceId: string | null;
  readonly aiProviderId: string;
  /** Prefix of field names: `configurations.` or `model_config.`. */
  readonly prefix: string;
  /** Returns the catalogue's name of a field, if requests use another name. */
  readonly nameOf?: (field: string) => string;
}

const CONFIGURATIONS = 'configurations.';

/**
 * Returns the stored name of a field that a mapping names, or null for one that cannot be mapped.
 */
type TargetOf = (field: string) => string | null;

/** Returns the mappings of an integration or model in stored form. See `readMappingsTo`. */
export const readMappings = (
  manager: EntityManager,
  owner: MappingOwner,
  input: readonly SecretMappingDto[] | null,
): Promise<StoredSecretMapping[] | null> =>
  readMappingsTo(manager, owner, input, (field) => targetOf(owner, field));

/**
 * Returns the mappings in stored form; null for none. Throws `validation_failed` for a field that
 * cannot be mapped or is mapped twice, and for a reference that is unknown or not available to the
 * owner's workspace.
 */
export async function readMappingsTo(
  manager: EntityManager,
  owner: Pick<MappingOwner, 'organisationId' | 'workspaceId'>,
  input: readonly SecretMappingDto[] | null,
  targetNamed: TargetOf,
): Promise<StoredSecretMapping[] | null> {
  if (input === null || input.length === 0) return null;
  const mappings: StoredSecretMapping[] = [];
  for (const [index, dto] of input.entries()) {
    const path = `secret_mappings.${String(index)}`;
    const target = targetNamed(dto.target_field);
    if (target === null)
      throw invalid(`${path}.target_field`, 'is not a field that can be mapped to a secret');
    if (mappings.some(({ target_field }) => target_field === target)) {
      throw invalid(`${path}.target_field`, 'is already mapped; map each field once');
    }
    const reference = await usableReference(manager, owner, dto.secret_reference_id, path);
    mappings.push({
      target_field: target,
      secret_reference_id: reference.id,
      secret_key: dto.secret_key ?? null,
      value_format: dto.value_format ?? 'string',
    });
  }
  return mappings;
}

/**
 * Returns the stored field name, or null. Only free-text fields can be mapped: parts of an address
 * are checked when they are saved, which is not possible for a value in a secret manager.
 */
function targetOf({ aiProviderId, prefix, nameOf }: MappingOwner, field: string): string | null {
  if (field === 'key') return field;
  if (!field.startsWith(prefix)) return null;
  const fieldName = field.slice(prefix.length);
  const name = nameOf?.(fieldName) ?? fieldName;
  const providerField = catalogueProvider(aiProviderId)?.fields.find((item) => item.name === name);
  return providerField?.kind === 'text' && providerField.values === undefined ? CONFIGURATIONS + name : null;
}

/** Returns the mappings as a response shows them. */
export const shownMappings = (
  row: Pick<IntegrationEntity, 'secretMappings'>,
  prefix = CONFIGURATIONS,
): SecretMappingResponse[] =>
  (row.secretMappings ?? []).map((mapping) => ({
    ...mapping,
    target_field: mapping.target_field.replace(CONFIGURATIONS, prefix),
  }));

/**
 * Returns the active integrations that use a reference, including the hidden ones of virtual keys.
 */
export const integrationsUsing = (
  manager: EntityManager,
  referenceId: string,
): Promise<Pick<IntegrationEntity, 'id' | 'name' | 'slug' | 'isVirtualKey'>[]> =>
  manager
    .createQueryBuilder(IntegrationEntity, 'i')
    .select(['i.id', 'i.name', 'i.slug', 'i.isVirtualKey'])
    .where(`i.status = 'active' AND i.secret_mappings IS NOT NULL`)
    .andWhere('i.secret_mappings @> :probe::jsonb', {
      probe: JSON.stringify([{ secret_reference_id: referenceId }]),
    })
    .getMany();
