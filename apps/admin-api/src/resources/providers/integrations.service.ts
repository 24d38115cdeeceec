import { isDeepStrictEqual } from 'node:util';
import { IntegrationEntity, IntegrationModelEntity, ProviderEntity } from '@gw/entities';
import { GatewayError, uuidv7, type ErrorDetail } from '@gw/kernel';
import { assertMatches, invalid, listOf, validationFailed, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { Brackets, DataSource, IsNull, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { assertMayEnd } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { found } from '../../platform/auth/tenancy';
import { assertSlugFree } from '../../platform/common/slugs';
import { escapeLike } from '../../platform/common/text';
import { NAMED_MAX } from '../../platform/common/uses';
import { parseTags } from '../../platform/common/tags';
import {
  IntegrationCredentials,
  providerOfCatalogue,
} from '../../platform/credentials/integration-credentials';
import { readMappings, type MappingOwner } from '../../platform/credentials/secret-mappings';
import { usesOfProvider } from './provider-uses';
import { autoSlug } from '../../platform/common/slugs';
import { createDefaultProvider } from './default-provider';
import type {
  CreatedIntegrationDto,
  CreateIntegrationDto,
  ListIntegrationsQuery,
  UpdateIntegrationDto,
} from './integrations.dto';
import {
  archiveProviders,
  countWorkspaces,
  integrationsFor,
  LIVE_PROVIDER,
  mayForOrganisation,
  mayForWorkspace,
  providerKeysOf,
  usableIntegrations,
  type IntegrationAction,
} from '../../platform/rows/integrations.queries';
import {
  toIntegration,
  toIntegrationDetail,
  type DeletedIntegration,
  type IntegrationResponse,
  type IntegrationDetailResponse,
} from './integrations.view';
import { pricingAdjustmentFaults } from './pricing';

const RESOURCE = 'integrations';

@Injectable()
export class IntegrationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
  ) {}

  /** With a workspace in the call the integration is the workspace's, otherwise the organisation's. */
  create(caller: Principal, input: CreateIntegrationDto): Promise<CreatedIntegrationDto> {
    const { organisationId, workspaceId } = caller;
    const may = workspaceId === null ? mayForOrganisation : mayForWorkspace;
    if (!may(caller, 'create')) throw new GatewayError('scope_missing');
    providerOfCatalogue(input.ai_provider_id, 'ai_provider_id');
    assertChecked(input);
    return this.writes.run(caller, async (write) => {
      const { name } = input;
      const slug = input.slug ?? autoSlug(name);
      await assertSlugFree(write.manager, IntegrationEntity, { organisationId, slug, status: 'active' });
      const row = write.manager.create(IntegrationEntity, {
        id: uuidv7(),
        organisationId,
        workspaceId,
        aiProviderId: input.ai_provider_id,
        slug,
        name,
        description: input.description ?? null,
        sealedCredential: null,
        maskedKey: null,
        configurations: {},
        maskedConfigurations: {},
        pricingAdjustments: input.pricing_adjustments ?? null,
        tags: input.tags ?? null,
        allowAllModels: input.allow_all_models ?? true,
        globalWorkspaceAccess: null,
        secretMappings: null,
      });
      row.secretMappings = await readMappings(write.manager, mappable(row), input.secret_mappings ?? null);
      this.credentials.apply(row, {
        key: input.key,
        configurations: input.configurations ?? {},
        caller,
        mapsAnew: true,
      });
      const saved = await write.manager.save(IntegrationEntity, row);
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: row.id,
        after: toIntegrationDetail(saved, 0),
      });
      if (workspaceId !== null && input.create_default_provider !== false) {
        const wanted = { slug: input.default_provider_slug, path: 'default_provider_slug' };
        await createDefaultProvider(write, saved, workspaceId, wanted);
      }
      return { id: row.id, slug: row.slug };
    });
  }

  async list(caller: Principal, query: ListIntegrationsQuery): Promise<ListResponse<IntegrationResponse>> {
    const tags = parseTags(query.tags);
    const kinds = query.type ?? ['all'];
    const wants = (kind: 'organisation' | 'workspace'): boolean =>
      kinds.includes('all') || kinds.includes(kind);
    const rows = usableIntegrations(this.dataSource.manager, caller);
    if (!(wants('organisation') && mayForOrganisation(caller, 'list'))) {
      rows.andWhere('i.workspace_id IS NOT NULL');
    }
    if (!wants('workspace')) rows.andWhere('i.workspace_id IS NULL');
    if (tags) rows.andWhere('i.tags @> :tags::jsonb', { tags: JSON.stringify(tags) });
    if (query.search !== undefined) {
      const search = `%${escapeLike(query.search)}%`;
      rows.andWhere(new Brackets((or) => or.where('i.name ILIKE :search').orWhere('i.slug ILIKE :search')), {
        search,
      });
    }
    const [page, total] = await rows
      .orderBy('i.createdAt', 'DESC')
      .addOrderBy('i.id', 'DESC')
      .skip(windowOf(query).skip)
      .take(windowOf(query).take)
      .getManyAndCount();
    return listOf([page.map(toIntegration), total]);
  }

  async get(caller: Principal, reference: string): Promise<IntegrationDetailResponse> {
    const { manager } = this.dataSource;
    const row = await this.find(manager, caller, 'read', reference);
    return toIntegrationDetail(row, await countWorkspaces(manager, row));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateIntegrationDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    assertChecked(input);
    if (input.status === 'archived') return this.archive(caller, reference, input, ifMatch);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, 'update', reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const count = await countWorkspaces(manager, row);
      const before = toIntegrationDetail(row, count);
      if (input.name !== undefined) row.name = input.name;
      if (input.description !== undefined) row.description = input.description;
      if (input.tags !== undefined) row.tags = input.tags;
      if (input.pricing_adjustments !== undefined) row.pricingAdjustments = input.pricing_adjustments;
      if (input.allow_all_models !== undefined) row.allowAllModels = input.allow_all_models;
      const mapped = row.secretMappings;
      if (input.secret_mappings !== undefined) {
        row.secretMappings = await readMappings(manager, mappable(row), input.secret_mappings);
      }
      if ([input.key, input.configurations, input.secret_mappings].some((value) => value !== undefined)) {
        this.credentials.apply(row, {
          key: input.key,
          configurations: input.configurations,
          caller,
          mapsAnew: !isDeepStrictEqual(mapped, row.secretMappings),
          alsoBound: await modelSecrets(manager, row.id),
        });
      }
      const saved = await manager.save(IntegrationEntity, row);
      const after = toIntegrationDetail(saved, count);
      write.audit({ action: 'update', resourceType: RESOURCE, resourceId: row.id, before, after });
      write.changed(...(await providerKeysOf(write.manager, [row])));
      return {};
    });
  }

  private async archive(
    caller: Principal,
    reference: string,
    input: UpdateIntegrationDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    const others = Object.entries(input).filter(([name, value]) => name !== 'status' && value !== undefined);
    if (others.length > 0) {
      throw invalid('status', 'status archived ends the integration; send it alone, or send DELETE.');
    }
    await this.remove(caller, reference, ifMatch);
    return {};
  }

  /**
   * Soft: the row stays, archived, and with it its providers. Configs and prompts keep their references to them (D-18 of the
   * specification), and the response names those.
   */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<DeletedIntegration> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, 'delete', reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = toIntegrationDetail(row, await countWorkspaces(manager, row));
      const live = { integrationId: row.id, status: LIVE_PROVIDER };
      const providers = await manager.findBy(ProviderEntity, live);
      assertMayEnd(caller, providers, 'A provider of the integration');
      const uses: ErrorDetail[] = [];
      for (const provider of providers) {
        if (uses.length < NAMED_MAX) uses.push(...(await usesOfProvider(manager, provider)));
      }
      await archiveProviders(write, providers);
      row.status = 'archived';
      // Nothing opens an archived integration again, so its secret need not rest any longer.
      row.sealedCredential = null;
      await manager.save(IntegrationEntity, row);
      write.audit({ action: 'delete', resourceType: RESOURCE, resourceId: row.id, before });
      return uses.length === 0 ? {} : { warnings: uses.slice(0, NAMED_MAX) };
    });
  }

  /** `lock`: other writers of the row wait. */
  async find(
    manager: EntityManager,
    caller: Principal,
    action: IntegrationAction,
    reference: string,
    lock?: typeof FOR_UPDATE,
  ): Promise<IntegrationEntity> {
    const where = integrationsFor(caller, action, reference);
    if (where.length === 0) throw new GatewayError('not_found');
    return found(await manager.findOne(IntegrationEntity, { where, ...(lock ? { lock } : {}) }));
  }

  /** A new etag for a change of the integration's models or workspaces; saves its settings for them, too. */
  async touch(manager: EntityManager, row: IntegrationEntity): Promise<void> {
    const { id, allowAllModels, globalWorkspaceAccess } = row;
    await manager.update(IntegrationEntity, { id }, { allowAllModels, globalWorkspaceAccess });
  }
}

/** Headers of models that are sent to the integration's own address. */
async function modelSecrets(manager: EntityManager, integrationId: string): Promise<Record<string, string>> {
  const rows = await manager.findBy(IntegrationModelEntity, { integrationId, customHost: IsNull() });
  return Object.fromEntries(
    rows.flatMap(({ slug, customHeaders }) =>
      Object.entries(customHeaders).map(([name, value]) => [`models.${slug}.custom_headers.${name}`, value]),
    ),
  );
}

const mappable = (row: IntegrationEntity): MappingOwner => ({
  organisationId: row.organisationId,
  workspaceId: row.workspaceId,
  aiProviderId: row.aiProviderId,
  prefix: 'configurations.',
});

function assertChecked(input: { readonly pricing_adjustments?: Record<string, unknown> | null }): void {
  if (input.pricing_adjustments) {
    const faults = pricingAdjustmentFaults(input.pricing_adjustments, 'pricing_adjustments');
    if (faults.length > 0) throw validationFailed(faults);
  }
}
