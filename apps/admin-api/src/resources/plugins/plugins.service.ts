import { pluginBinding, PluginEntity } from '@gw/entities';
import { joinSecrets } from '@gw/guardrails';
import { GatewayError, seal, uuidv7, type ErrorDetail } from '@gw/kernel';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { idOf, inOrganisation } from '../../platform/auth/tenancy';
import { assertNotUsed } from '../../platform/common/uses';
import { accountNeededBy, GuardrailCredentials } from '../../platform/credentials/guardrail-credentials';
import { maskSecret } from '../../platform/credentials/shown-secret';
import { currentOf, keysOfAll } from '../../platform/rows/guardrail-rows';
import { guardrailsOfPartner } from '../../platform/rows/guardrails.queries';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { createRow, listRows, patchRow, type Resource } from '../../platform/resource/rows';
import { Secrets } from '../../settings';
import {
  toPlugin,
  type CreatedPluginResponse,
  type CreatePluginDto,
  type ListPluginsQuery,
  type PluginResponse,
  type UpdatePluginDto,
} from './plugins.dto';

const PLUGIN: Resource<PluginEntity> = {
  entity: PluginEntity,
  type: 'plugins',
  view: toPlugin,
  where: (caller, reference) => ({ id: idOf(reference), ...inOrganisation(caller), status: 'active' }),
  /** Gateways receive the credentials with the guardrails that use them. */
  changes: async ({ organisationId, pluginProviderId }, manager) =>
    keysOfAll(manager, await guardrailsOfPartner(manager, organisationId, pluginProviderId)),
};

/** Manages an organisation's accounts at guardrail partners, one for each partner. */
@Injectable()
export class PluginsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly credentials: GuardrailCredentials,
  ) {}

  create(caller: Principal, input: CreatePluginDto): Promise<CreatedPluginResponse> {
    const { organisationId } = inOrganisation(caller, input.organisation_id);
    const pluginProviderId = input.plugin_provider_id ?? input.integration_id;
    if (pluginProviderId === undefined) throw invalid('plugin_provider_id', 'plugin_provider_id is required');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      if (await manager.existsBy(PluginEntity, { organisationId, pluginProviderId, status: 'active' })) {
        const message = 'The organisation already has an account at this partner; update that one.';
        throw new GatewayError('conflict', { param: 'plugin_provider_id', message });
      }
      const row = manager.create(PluginEntity, {
        id: uuidv7(),
        organisationId,
        pluginProviderId,
        name: input.name ?? pluginProviderId,
        status: 'active',
      });
      this.keep(row, input.credentials);
      const { id } = await createRow(write, PLUGIN, row);
      return { id, slug: pluginProviderId };
    });
  }

  async list(caller: Principal, query: ListPluginsQuery): Promise<ListResponse<PluginResponse>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
    const where = { organisationId, status: 'active' } as const;
    const [rows, total] = await listRows(this.dataSource.manager, PLUGIN, query, { where });
    return listOf([rows.map(toPlugin), total]);
  }

  update(at: ResourceReference, input: UpdatePluginDto): Promise<object> {
    const isEnd = input.status === 'archived';
    return this.writes.run(at.caller, (write) => {
      const change = async (row: PluginEntity): Promise<void> => {
        if (input.name !== undefined) row.name = input.name;
        if (input.credentials !== undefined) this.keep(row, input.credentials);
        if (!isEnd) return;
        await this.assertUnused(write.manager, row);
        row.status = 'archived';
        row.sealedCredentials = null;
      };
      return patchRow(write, PLUGIN, at, change, isEnd ? 'delete' : 'update');
    });
  }

  /** Throws `conflict` while a guardrail uses the credentials of the account. */
  private async assertUnused(
    manager: EntityManager,
    { organisationId, pluginProviderId }: PluginEntity,
  ): Promise<void> {
    const uses: ErrorDetail[] = [];
    for (const row of await guardrailsOfPartner(manager, organisationId, pluginProviderId)) {
      const { checks, sealedSecrets } = await currentOf(manager, row);
      const opened = joinSecrets(checks, this.credentials.open(row, sealedSecrets));
      if (opened.some((check) => accountNeededBy(check) === pluginProviderId))
        uses.push({ path: `guardrails.${row.slug}`, message: `The guardrail ${row.slug} uses it.` });
    }
    assertNotUsed('The account is in use; remove the listed uses first.', uses);
  }

  private keep(row: PluginEntity, credentials: Readonly<Record<string, string>>): void {
    if (Object.keys(credentials).length === 0) throw invalid('credentials', 'credentials must not be empty');
    const binding = pluginBinding(row);
    row.sealedCredentials = seal(this.secrets.sealingKeyring, JSON.stringify(credentials), binding);
    row.maskedCredentials = Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [name, maskSecret(value)]),
    );
  }
}
