import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { assertMayEnd, assertNotBound } from '../../platform/auth/grants';
import { found, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { tagged } from '../../platform/common/tags';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import { withUsage } from '../../platform/limits/limit-usage';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { changeRow, createRow, findRow, lockRow } from '../../platform/resource/rows';
import {
  archiveProviders,
  LIVE_PROVIDER,
  usableIntegrations,
} from '../../platform/rows/integrations.queries';
import { usesOfProviders, withUses } from '../../platform/rows/used-by.queries';
import { Writes } from '../../platform/unit-of-work/writes';
import { applyProviderFields, integrationSlugs, listProviders, newProvider, PROVIDER } from './provider-rows';
import { usesOfProvider } from './provider-uses';
import type {
  CreatedProviderResponse,
  CreateProviderDto,
  ListProvidersQuery,
  UpdateProviderDto,
} from './providers.dto';
import { limitOwnerOf, toProvider, type ProviderResponse } from './providers.view';

@Injectable()
export class ProvidersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateProviderDto): Promise<CreatedProviderResponse> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { name, slug } = input;
      const integration = await usableBy(manager, owner, input.integration_id);
      await assertLimitsNotBypassed(manager, caller, owner.workspaceId, integration.id);
      const row = await newProvider(manager, { ...owner, name, slug, isVirtualKey: false });
      row.integrationId = integration.id;
      applyProviderFields(caller, row, input);
      await createRow(write, PROVIDER, row);
      return { id: row.id, slug: row.slug };
    });
  }

  async list(caller: Principal, query: ListProvidersQuery): Promise<ListResponse<ProviderResponse>> {
    const { manager } = this.dataSource;
    const where = { isVirtualKey: false, ...tagged(query.tags) };
    const [rows, total] = await listProviders(manager, caller, query, where);
    const shown = await shownOf(manager, rows);
    const uses = query.include_used_by === true ? await usesOfProviders(manager, reach(caller), rows) : null;
    return listOf([shown.map((one) => withUses(one, uses)), total]);
  }

  async get(at: ResourceReference): Promise<ProviderResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, PROVIDER, at);
    const [shown] = await shownOf(manager, [row]);
    return withUses(found(shown), await usesOfProviders(manager, row, [row]));
  }

  update(at: ResourceReference, input: UpdateProviderDto): Promise<CreatedProviderResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { id, slug } = await changeRow(write, PROVIDER, at, (row) => {
        applyProviderFields(at.caller, row, input);
      });
      return { id, slug };
    });
  }

  /**
   * Archives the provider. With `force`, also archives it while it is in use; requests that name it
   * then fail because the provider does not exist.
   */
  remove(at: ResourceReference, query: DeleteQuery): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      const row = await lockRow(write, PROVIDER, at, 'delete');
      assertMayEnd(at.caller, [row], 'The provider');
      assertDeletable('The provider', await usesOfProvider(write.manager, row), query);
      await archiveProviders(write, [row]);
      return {};
    });
  }
}

/** Returns the responses of the rows, with the usage of their limits. */
async function shownOf(manager: EntityManager, rows: readonly ProviderEntity[]): Promise<ProviderResponse[]> {
  const slugs = await integrationSlugs(manager, rows);
  const responses = rows.map((row) => toProvider(row, slugs.get(row.integrationId) ?? ''));
  return withUsage(manager, responses, rows.map(limitOwnerOf));
}

/**
 * Returns an integration that the workspace may use. Locks the row until the commit, so that the
 * integration cannot be deleted or disabled for the workspace in the meantime. Throws the same
 * error for an integration that is unknown, belongs to another tenant, or is not enabled.
 */
async function usableBy(
  manager: EntityManager,
  owner: { readonly organisationId: string; readonly workspaceId: string },
  reference: string,
): Promise<IntegrationEntity> {
  const column = isUuid(reference) ? 'i.id' : 'i.slug';
  const find = (): Promise<IntegrationEntity | null> =>
    usableIntegrations(manager, owner).andWhere(`${column} = :reference`, { reference }).getOne();
  const seen = await find();
  if (seen) {
    await manager.findOne(IntegrationEntity, { where: { id: seen.id }, lock: { mode: 'pessimistic_read' } });
  }
  // Another write may have changed the access while this one waited for the lock.
  const row = seen && (await find());
  if (!row)
    throw invalid('integration_id', 'integration_id must be an integration that the workspace may use');
  return row;
}

/**
 * Throws if a second provider of the integration would bypass limits that a higher role has set on
 * the first one.
 */
async function assertLimitsNotBypassed(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string,
  integrationId: string,
): Promise<void> {
  const live = { workspaceId, integrationId, status: LIVE_PROVIDER };
  const setBy = await manager.maximum(ProviderEntity, 'limitsRank', live);
  assertNotBound(
    caller,
    setBy ?? 0,
    'A provider of this integration in the workspace',
    'only that role or a higher one can make another one of the integration.',
  );
}
