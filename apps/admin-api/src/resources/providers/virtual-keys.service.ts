import { isDeepStrictEqual } from 'node:util';
import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { assertMayEnd } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace } from '../../platform/auth/tenancy';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import { usesOfProvider } from './provider-uses';
import {
  IntegrationCredentials,
  providerOfCatalogue,
} from '../../platform/credentials/integration-credentials';
import { readMappings, type MappingOwner } from '../../platform/credentials/secret-mappings';
import { providerKey } from '../../platform/rows/integrations.queries';
import { withUsage } from '../../platform/limits/limit-usage';
import {
  applyProviderFields,
  auditProvider,
  findProvider,
  listProviders,
  lockProvider,
  newProvider,
} from './provider-rows';
import { limitOwnerOf } from './providers.view';
import { catalogueNameOf, configurationsOf, fieldNameOf } from './mapping';
import type {
  CreatedVirtualKeyDto,
  CreateVirtualKeyDto,
  ListVirtualKeysQuery,
  UpdateVirtualKeyDto,
} from './virtual-keys.dto';
import { toVirtualKey, type VirtualKeyResponse } from './virtual-keys.view';

/** A virtual key is a provider with a hidden integration of its own, which holds its credential. */
@Injectable()
export class VirtualKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
  ) {}

  create(caller: Principal, input: CreateVirtualKeyDto): Promise<CreatedVirtualKeyDto> {
    const owner = inWorkspace(caller);
    providerOfCatalogue(input.provider, 'provider');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await newProvider(manager, owner, {
        name: input.name,
        slug: input.slug,
        isVirtualKey: true,
      });
      applyProviderFields(caller, row, input);
      const hidden = newHiddenIntegration(manager, row, input.provider);
      hidden.secretMappings = await readMappings(manager, mappable(hidden), input.secret_mappings ?? null);
      this.credentials.apply(
        hidden,
        { key: input.key, configurations: configurationsOf(input) ?? {}, caller, mapsAnew: true },
        fieldNameOf,
      );
      row.integrationId = hidden.id;
      await manager.save(IntegrationEntity, hidden);
      const saved = await manager.save(ProviderEntity, row);
      auditProvider(write, 'create', row, {
        after: toVirtualKey(saved, hidden),
      });
      write.changed(providerKey(row));
      return { success: true, data: { slug: row.slug } };
    });
  }

  async list(caller: Principal, query: ListVirtualKeysQuery): Promise<ListResponse<VirtualKeyResponse>> {
    const { manager } = this.dataSource;
    const [rows, total] = await listProviders(manager, caller, query, true);
    const hidden = await manager.findBy(IntegrationEntity, {
      id: In(rows.map(({ integrationId }) => integrationId)),
    });
    const byId = new Map(hidden.map((integration) => [integration.id, integration]));
    const data = rows.map((row) => toVirtualKey(row, byId.get(row.integrationId) as IntegrationEntity));
    return listOf([await withUsage(manager, data, rows.map(limitOwnerOf)), total]);
  }

  async get(caller: Principal, reference: string): Promise<VirtualKeyResponse> {
    const { manager } = this.dataSource;
    const row = await findProvider(manager, caller, reference, true);
    const answer = toVirtualKey(row, await hiddenOf(manager, row));
    const [shown] = await withUsage(manager, [answer], [limitOwnerOf(row)]);
    return found(shown);
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateVirtualKeyDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await lockProvider(manager, caller, reference, true, ifMatch);
      const hidden = await hiddenOf(manager, row, true);
      const before = toVirtualKey(row, hidden);
      applyProviderFields(caller, row, input);
      await manager.save(ProviderEntity, row);
      const configurations = configurationsOf(input);
      const mapped = hidden.secretMappings;
      if (input.secret_mappings !== undefined) {
        hidden.secretMappings = await readMappings(manager, mappable(hidden), input.secret_mappings);
      }
      if ([input.key, configurations, input.secret_mappings].some((value) => value !== undefined)) {
        const mapsAnew = !isDeepStrictEqual(mapped, hidden.secretMappings);
        this.credentials.apply(hidden, { key: input.key, configurations, caller, mapsAnew }, fieldNameOf);
        await manager.save(IntegrationEntity, hidden);
        // A new credential alone is a new version of the virtual key, too: its etag must change.
        await manager.update(ProviderEntity, { id: row.id }, { integrationId: hidden.id });
      }
      const after = toVirtualKey(await manager.findOneByOrFail(ProviderEntity, { id: row.id }), hidden);
      auditProvider(write, 'update', row, {
        before,
        after,
      });
      write.changed(providerKey(row));
      return {};
    });
  }

  /** Soft, and the secret is forgotten. */
  remove(
    caller: Principal,
    reference: string,
    query: DeleteQuery,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await lockProvider(manager, caller, reference, true, ifMatch);
      assertMayEnd(caller, [row], 'The virtual key');
      assertDeletable('The virtual key', await usesOfProvider(manager, row), query);
      const hidden = await hiddenOf(manager, row, true);
      const before = toVirtualKey(row, hidden);
      row.status = 'archived';
      await manager.save(ProviderEntity, row);
      await manager.update(
        IntegrationEntity,
        { id: hidden.id },
        { status: 'archived', sealedCredential: null },
      );
      auditProvider(write, 'delete', row, {
        before,
      });
      write.removed(providerKey(row));
      return {};
    });
  }
}

const mappable = (hidden: IntegrationEntity): MappingOwner => ({
  organisationId: hidden.organisationId,
  workspaceId: hidden.workspaceId,
  aiProviderId: hidden.aiProviderId,
  prefix: 'model_config.',
  nameOf: catalogueNameOf,
});

const hiddenOf = (
  manager: EntityManager,
  { integrationId }: ProviderEntity,
  forUpdate = false,
): Promise<IntegrationEntity> =>
  manager.findOneOrFail(IntegrationEntity, {
    where: { id: integrationId },
    ...(forUpdate ? { lock: FOR_UPDATE } : {}),
  });

function newHiddenIntegration(
  manager: EntityManager,
  row: ProviderEntity,
  aiProviderId: string,
): IntegrationEntity {
  return manager.create(IntegrationEntity, {
    id: uuidv7(),
    organisationId: row.organisationId,
    workspaceId: row.workspaceId,
    aiProviderId,
    // Unique like the row that it belongs to, and in nobody's way: no route shows it.
    slug: `virtual-key-${row.id}`,
    name: row.name,
    description: null,
    status: 'active',
    isVirtualKey: true,
    sealedCredential: null,
    maskedKey: null,
    configurations: {},
    maskedConfigurations: {},
    pricingAdjustments: null,
    tags: null,
    allowAllModels: true,
    globalWorkspaceAccess: null,
    secretMappings: null,
  });
}
