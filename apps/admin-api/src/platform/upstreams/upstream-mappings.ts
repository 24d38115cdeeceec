import type { ClientSecret, McpAuthType } from '@gw/contracts';
import type { UpstreamIntegration } from '@gw/entities';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { readMappingsTo, type SecretMappingDto } from '../credentials/secret-mappings';
import { sentHeaderFault } from './header-names';
import type { UpstreamKind } from './upstream-kind';

const MAPPED_HEADER = /^headers\.(.+)$/s;

/** Returns the stored target of a secret mapping; null for a field that cannot be mapped. */
export function mappingTarget(
  { mappable, rules: { protocolHeaders } }: Pick<UpstreamKind, 'mappable' | 'rules'>,
  field: string,
  authType: McpAuthType,
): string | null {
  const header = MAPPED_HEADER.exec(field)?.[1];
  if (authType === 'headers')
    return header !== undefined && sentHeaderFault(header, protocolHeaders) === null
      ? `headers.${header.toLowerCase()}`
      : null;
  const authTypes = Object.hasOwn(mappable, field) ? mappable[field as ClientSecret] : undefined;
  return authTypes?.includes(authType) === true ? field : null;
}

/**
 * Returns the secret mappings of an integration in stored form; null for none. Throws
 * `validation_failed`.
 */
export const readUpstreamMappings = (
  kind: UpstreamKind,
  manager: EntityManager,
  row: Pick<UpstreamIntegration, 'organisationId' | 'workspaceId' | 'authType'>,
  input: readonly SecretMappingDto[] | null,
): Promise<UpstreamIntegration['secretMappings']> =>
  readMappingsTo(manager, row, input, (field) => mappingTarget(kind, field, row.authType));

/** Throws `validation_failed` when a saved mapping no longer fits the authentication type. */
export function assertMappable(
  kind: UpstreamKind,
  { secretMappings, authType }: Pick<UpstreamIntegration, 'secretMappings' | 'authType'>,
): void {
  const isMappable = (target: string): boolean => mappingTarget(kind, target, authType) !== null;
  if ((secretMappings ?? []).every(({ target_field }) => isMappable(target_field))) return;
  throw invalid(
    'secret_mappings',
    `has targets that auth_type ${authType} does not use; send secret_mappings for it, or null`,
  );
}
