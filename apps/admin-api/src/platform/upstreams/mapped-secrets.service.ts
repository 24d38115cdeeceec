import { SecretReferenceEntity, type UpstreamIntegration } from '@gw/entities';
import { VendorError } from '@gw/kernel';
import { pick, type SecretReader } from '@gw/secret-managers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { mayUse, SecretAccess } from '../credentials/secret-access';
import { SECRET_READER } from '../credentials/secret-reader';

export type MappingRow = Pick<UpstreamIntegration, 'secretMappings' | 'organisationId' | 'workspaceId'>;

/** Reads the secrets of integrations of MCP servers and agents that are in a secret manager. */
@Injectable()
export class MappedSecrets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: SecretAccess,
    @Inject(SECRET_READER) private readonly readSecret: SecretReader,
  ) {}

  /**
   * Reads the mapped secrets of an integration and returns them by target. Throws `VendorError`.
   */
  async of({
    secretMappings,
    organisationId,
    workspaceId,
  }: MappingRow): Promise<ReadonlyMap<string, string>> {
    const mappings = secretMappings ?? [];
    if (mappings.length === 0) return new Map();
    const ids = mappings.map(({ secret_reference_id: id }) => id);
    const where = { id: In(ids), organisationId, status: 'active' } as const;
    const rows = await this.dataSource.manager.findBy(SecretReferenceEntity, where);
    const references = new Map(rows.map((row) => [row.id, row]));
    const secrets = new Map<string, string>();
    for (const { target_field: target, secret_reference_id: id, secret_key: key } of mappings) {
      const reference = references.get(id);
      if (!reference || (workspaceId !== null && !mayUse(reference, workspaceId)))
        throw new VendorError('refused', `The secret reference of ${target} may not be used any more.`);
      const location = this.access.locationOf(reference, key);
      secrets.set(target, pick(await this.readSecret(location), location));
    }
    return secrets;
  }
}
