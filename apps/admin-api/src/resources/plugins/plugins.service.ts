import { pluginBinding, PluginEntity } from '@gw/entities';
import { joinSecrets } from '@gw/guardrails';
import { GatewayError, seal, uuidv7, type ErrorDetail } from '@gw/kernel';
import { assertMatches, invalid, listOf, rowFields, windowOf, type ListAnswer } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { found, inOrganisation, isUuid } from '../../platform/auth/tenancy';
import { assertNotUsed } from '../../platform/common/uses';
import { accountNeededBy, GuardrailCredentials } from '../../platform/credentials/guardrail-credentials';
import { maskSecret } from '../../platform/credentials/shown-secret';
import { currentOf, keysOf } from '../../platform/rows/guardrail-rows';
import { guardrailsOfPartner } from '../../platform/rows/guardrails.queries';
import { Secrets } from '../../platform/settings';
import type {
  CreatedPluginDto,
  CreatePluginDto,
  ListPluginsQuery,
  PluginAnswer,
  UpdatePluginDto,
} from './plugins.dto';

const RESOURCE = 'plugins';

/** Accounts at the partners of guardrails, one for each partner. */
@Injectable()
export class PluginsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly credentials: GuardrailCredentials,
  ) {}

  create(caller: Principal, input: CreatePluginDto): Promise<CreatedPluginDto> {
    const { organisationId } = inOrganisation(caller, input.organisation_id);
    const pluginProviderId = input.plugin_provider_id ?? input.integration_id;
    if (pluginProviderId === undefined) throw invalid('plugin_provider_id', 'plugin_provider_id is required');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      if (await manager.existsBy(PluginEntity, { organisationId, pluginProviderId, status: 'active' })) {
        const message = 'The organisation has an account at this partner already.';
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
      const saved = await manager.save(PluginEntity, row);
      write.audit({ action: 'create', resourceType: RESOURCE, resourceId: row.id, after: toPlugin(saved) });
      await guardrailsChanged(write, row);
      return { id: row.id, slug: pluginProviderId };
    });
  }

  async list(caller: Principal, query: ListPluginsQuery): Promise<ListAnswer<PluginAnswer>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
    const [rows, total] = await this.dataSource.manager.findAndCount(PluginEntity, {
      where: { organisationId, status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toPlugin), total]);
  }

  update(
    caller: Principal,
    id: string,
    input: UpdatePluginDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    if (!isUuid(id)) throw new GatewayError('not_found');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const where = { ...inOrganisation(caller), id: id.toLowerCase(), status: 'active' } as const;
      const row = found(await manager.findOne(PluginEntity, { where, lock: FOR_UPDATE }));
      assertMatches(ifMatch, row);
      const before = toPlugin(row);
      if (input.name !== undefined) row.name = input.name;
      if (input.credentials !== undefined) this.keep(row, input.credentials);
      if (input.status === 'archived') {
        await this.assertUnused(manager, row);
        row.status = 'archived';
        row.sealedCredentials = null;
      }
      const saved = await manager.save(PluginEntity, row);
      write.audit({
        action: input.status === 'archived' ? 'delete' : 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        before,
        after: toPlugin(saved),
      });
      await guardrailsChanged(write, row);
      return {};
    });
  }

  /** Throws `conflict` while a guardrail takes its credentials from the account. */
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
    assertNotUsed('The account is in use.', uses);
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

/** Gateways hold the credentials with the guardrails that take them. */
async function guardrailsChanged(
  write: Write,
  { organisationId, pluginProviderId }: PluginEntity,
): Promise<void> {
  for (const row of await guardrailsOfPartner(write.manager, organisationId, pluginProviderId))
    write.changed(...(await keysOf(write.manager, row)));
}

const toPlugin = (row: PluginEntity): PluginAnswer => ({
  id: row.id,
  slug: row.pluginProviderId,
  plugin_provider_id: row.pluginProviderId,
  name: row.name,
  status: row.status,
  credentials: row.maskedCredentials,
  ...rowFields(row),
  object: 'plugin',
});
