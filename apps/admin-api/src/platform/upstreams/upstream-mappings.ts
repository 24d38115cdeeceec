import type { McpAuthType } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { readMappingsTo, type SecretMappingDto } from '../credentials/secret-mappings';
import { sentHeaderFault } from './header-names';

const MAPPED_HEADER = /^headers\.(.+)$/s;

/** Returns the stored target of a secret mapping; null for a field that cannot be mapped. */
function targetOf(field: string, authType: McpAuthType): string | null {
  const header = MAPPED_HEADER.exec(field)?.[1];
  if (authType === 'headers')
    return header !== undefined && sentHeaderFault(header) === null
      ? `headers.${header.toLowerCase()}`
      : null;
  const hasClient = authType === 'oauth_client_credentials' || authType === 'oauth_auto';
  return field === 'client_secret' && hasClient ? field : null;
}

/**
 * Returns the secret mappings of an integration in stored form; null for none. Throws
 * `validation_failed`.
 */
export const readUpstreamMappings = (
  manager: EntityManager,
  row: Pick<UpstreamIntegration, 'organisationId' | 'workspaceId' | 'authType'>,
  input: readonly SecretMappingDto[] | null,
): Promise<UpstreamIntegration['secretMappings']> =>
  readMappingsTo(manager, row, input, (field) => targetOf(field, row.authType));

/** Throws `validation_failed` when a saved mapping no longer fits the authentication type. */
export function assertMappable({
  secretMappings,
  authType,
}: Pick<UpstreamIntegration, 'secretMappings' | 'authType'>): void {
  if ((secretMappings ?? []).every(({ target_field }) => targetOf(target_field, authType) !== null)) return;
  throw invalid(
    'secret_mappings',
    `has targets that auth_type ${authType} does not use; send secret_mappings for it, or null`,
  );
}
