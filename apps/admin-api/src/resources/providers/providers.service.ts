import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayEnd, assertNotBound } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found, inWorkspace, isUuid } from '../../platform/auth/tenancy';
import { assertDeletable, type DeleteQuery } from '../../platform/common/uses';
import { parseTags } from '../../platform/common/tags';
import {
  archiveProviders,
  LIVE_PROVIDER,
  providerKey,
  usableIntegrations,
} from '../../platform/rows/integrations.queries';
import { withUsage } from '../../platform/limits/limit-usage';
import {
  applyProviderFields,
  auditProvider,
  findProvider,
  hasTags,
  listProviders,
  lockProvider,
  newProvider,
} from './provider-rows';
import { usesOfProvider } from './provider-uses';
import type {
  CreatedProviderDto,
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

  create(caller: Principal, input: CreateProviderDto): Promise<CreatedProviderDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const integration = await usableBy(manager, owner, input.integration_id);
      await assertNoLimitsPassed(manager, caller, owner.workspaceId, integration.id);
      const row = await newProvider(manager, owner, { ...nameAndSlug(input), isVirtualKey: false });
      row.integrationId = integration.id;
      applyProviderFields(caller, row, input);
      const saved = await manager.save(ProviderEntity, row);
      auditProvider(write, 'create', row, {
        after: toProvider(saved, integration.slug),
      });
      write.changed(providerKey(row));
      return { id: row.id, slug: row.slug };
    });
  }

  async list(caller: Principal, query: ListProvidersQuery): Promise<ListResponse<ProviderResponse>> {
    const { manager } = this.dataSource;
    const tags = parseTags(query.tags);
    const [rows, total] = await listProviders(manager, caller, query, false, tags ? hasTags(tags) : {});
    const slugs = await integrationSlugs(manager, rows);
    const answers = rows.map((row) => toProvider(row, slugs.get(row.integrationId) ?? ''));
    return listOf([await withUsage(manager, answers, rows.map(limitOwnerOf)), total]);
  }

  async get(caller: Principal, reference: string): Promise<ProviderResponse> {
    const { manager } = this.dataSource;
    const row = await findProvider(manager, caller, reference, false);
    const [shown] = await withUsage(manager, [await view(manager, row)], [limitOwnerOf(row)]);
    return found(shown);
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateProviderDto,
    ifMatch: string | undefined,
  ): Promise<CreatedProviderDto> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await lockProvider(manager, caller, reference, false, ifMatch);
      const before = await view(manager, row);
      applyProviderFields(caller, row, input);
      const saved = await manager.save(ProviderEntity, row);
      auditProvider(write, 'update', row, {
        before,
        after: await view(manager, saved),
      });
      write.changed(providerKey(row));
      return { id: row.id, slug: row.slug };
    });
  }

  /** Soft. With `force` also while it is used: a request through such a config is answered that there is no such provider. */
  remove(
    caller: Principal,
    reference: string,
    query: DeleteQuery,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await lockProvider(write.manager, caller, reference, false, ifMatch);
      assertMayEnd(caller, [row], 'The provider');
      assertDeletable('The provider', await usesOfProvider(write.manager, row), query);
      await archiveProviders(write, [row]);
      return {};
    });
  }
}

const nameAndSlug = ({ name, slug }: CreateProviderDto): { name: string; slug?: string } =>
  slug === undefined ? { name } : { name, slug };

/**
 * One answer for an integration that is unknown, another's, or not enabled for the workspace. The row is held until the commit,
 * so that the integration is neither deleted nor taken from the workspace in between.
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
  // Checked again behind the lock: what was changed while we waited for it counts.
  const row = seen && (await find());
  if (!row) throw invalid('integration_id', 'integration_id names no integration that the workspace may use');
  return row;
}

/** A second provider of an integration is a way to its account that the limits of the first do not bind. */
async function assertNoLimitsPassed(
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

async function integrationSlugs(
  manager: EntityManager,
  rows: readonly ProviderEntity[],
): Promise<ReadonlyMap<string, string>> {
  const integrations = await manager.find(IntegrationEntity, {
    where: { id: In([...new Set(rows.map(({ integrationId }) => integrationId))]) },
    select: { id: true, slug: true },
  });
  return new Map(integrations.map(({ id, slug }) => [id, slug]));
}

async function view(manager: EntityManager, row: ProviderEntity): Promise<ProviderResponse> {
  const slugs = await integrationSlugs(manager, [row]);
  return toProvider(row, slugs.get(row.integrationId) ?? '');
}
