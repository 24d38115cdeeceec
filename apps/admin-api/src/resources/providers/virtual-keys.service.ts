import { isDeepStrictEqual } from 'node:util';
import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { assertMayEnd } from '../../platform/auth/grants';
import { found, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import {
  IntegrationCredentials,
  providerOfCatalogue,
} from '../../platform/credentials/integration-credentials';
import { readMappings, type MappingOwner } from '../../platform/credentials/secret-mappings';
import { withUsage } from '../../platform/limits/limit-usage';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, createRow, findRow, patchRow } from '../../platform/resource/rows';
import { usesOfProviders, withUses } from '../../platform/rows/used-by.queries';
import { Writes } from '../../platform/unit-of-work/writes';
import { catalogueNameOf, configurationsOf, fieldNameOf } from './mapping';
import { applyProviderFields, hiddenOf, listProviders, newProvider, VIRTUAL_KEY } from './provider-rows';
import { usesOfProvider } from './provider-uses';
import { limitOwnerOf } from './providers.view';
import type {
  CreatedVirtualKeyResponse,
  CreateVirtualKeyDto,
  ListVirtualKeysQuery,
  UpdateVirtualKeyDto,
} from './virtual-keys.dto';
import { toVirtualKey, type VirtualKeyResponse } from './virtual-keys.view';

/**
 * Manages virtual keys. A virtual key is a provider with its own hidden integration, which contains
 * its credential.
 */
@Injectable()
export class VirtualKeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
  ) {}

  create(caller: Principal, input: CreateVirtualKeyDto): Promise<CreatedVirtualKeyResponse> {
    const owner = inWorkspace(caller);
    const { id: providerId } = providerOfCatalogue(input.provider, 'provider');
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { name, slug } = input;
      const row = await newProvider(manager, { ...owner, name, slug, isVirtualKey: true });
      applyProviderFields(caller, row, input);
      const hidden = newHiddenIntegration(manager, row, providerId);
      hidden.secretMappings = await readMappings(manager, mappable(hidden), input.secret_mappings ?? null);
      this.credentials.apply(
        hidden,
        { key: input.key, configurations: configurationsOf(input) ?? {}, caller, mapsAnew: true },
        fieldNameOf,
      );
      row.integrationId = hidden.id;
      await manager.save(IntegrationEntity, hidden);
      await createRow(write, VIRTUAL_KEY, row);
      return { success: true, data: { slug: row.slug } };
    });
  }

  async list(caller: Principal, query: ListVirtualKeysQuery): Promise<ListResponse<VirtualKeyResponse>> {
    const { manager } = this.dataSource;
    const [rows, total] = await listProviders(manager, caller, query, { isVirtualKey: true });
    const hidden = await manager.findBy(IntegrationEntity, {
      id: In(rows.map(({ integrationId }) => integrationId)),
    });
    const byId = new Map(hidden.map((integration) => [integration.id, integration]));
    const data = rows.map((row) => toVirtualKey(row, byId.get(row.integrationId) as IntegrationEntity));
    const shown = await withUsage(manager, data, rows.map(limitOwnerOf));
    const uses = query.include_used_by === true ? await usesOfProviders(manager, reach(caller), rows) : null;
    return listOf([shown.map((one) => withUses(one, uses)), total]);
  }

  async get(at: ResourceReference): Promise<VirtualKeyResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, VIRTUAL_KEY, at);
    const response = toVirtualKey(row, await hiddenOf(manager, row));
    const [shown] = await withUsage(manager, [response], [limitOwnerOf(row)]);
    return withUses(found(shown), await usesOfProviders(manager, row, [row]));
  }

  update(at: ResourceReference, input: UpdateVirtualKeyDto): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, (write) =>
      patchRow(write, VIRTUAL_KEY, at, async (row) => {
        const { manager } = write;
        const hidden = await hiddenOf(manager, row, true);
        applyProviderFields(caller, row, input);
        const configurations = configurationsOf(input);
        const mapped = hidden.secretMappings;
        if (input.secret_mappings !== undefined)
          hidden.secretMappings = await readMappings(manager, mappable(hidden), input.secret_mappings);
        if ([input.key, configurations, input.secret_mappings].every((value) => value === undefined)) return;
        const mapsAnew = !isDeepStrictEqual(mapped, hidden.secretMappings);
        this.credentials.apply(hidden, { key: input.key, configurations, caller, mapsAnew }, fieldNameOf);
        await manager.save(IntegrationEntity, hidden);
        // Increments the version, so that the etag also changes when only the credential does.
        row.version += 1;
      }),
    );
  }

  /** Archives the virtual key and deletes its secret. */
  remove(at: ResourceReference, query: DeleteQuery): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, VIRTUAL_KEY, at, async (row) => {
        const { manager } = write;
        assertMayEnd(at.caller, [row], 'The virtual key');
        assertDeletable('The virtual key', await usesOfProvider(manager, row), query);
        const ended = { status: 'archived', sealedCredential: null } as const;
        await manager.update(IntegrationEntity, { id: row.integrationId }, ended);
      }),
    );
  }
}

const mappable = (hidden: IntegrationEntity): MappingOwner => ({
  organisationId: hidden.organisationId,
  workspaceId: hidden.workspaceId,
  aiProviderId: hidden.aiProviderId,
  prefix: 'model_config.',
  nameOf: catalogueNameOf,
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
    // The slug is unique and cannot clash with a slug that a user needs, because no route shows
    // this integration.
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
