import { isDeepStrictEqual } from 'node:util';
import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { GatewayError, uuidv7, type ErrorDetail } from '@gw/kernel';
import { assign, columnsOf, invalid, listOf, validationFailed, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { Brackets, DataSource } from 'typeorm';
import { assertMayEnd } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { parseTags } from '../../platform/common/tags';
import { escapeLike } from '../../platform/common/text';
import { NAMED_MAX } from '../../platform/common/uses';
import {
  IntegrationCredentials,
  providerOfCatalogue,
} from '../../platform/credentials/integration-credentials';
import { readMappings, type MappingOwner } from '../../platform/credentials/secret-mappings';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { orderRows } from '../../platform/resource/list-order';
import { archiveRow, createRow, findRow, patchRow, type Resource } from '../../platform/resource/rows';
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
import { Writes } from '../../platform/unit-of-work/writes';
import {
  PlainFields,
  type CreatedIntegrationResponse,
  type CreateIntegrationDto,
  type ListIntegrationsQuery,
  type UpdateIntegrationDto,
} from './integrations.dto';
import {
  toIntegration,
  toIntegrationDetail,
  type DeletedIntegration,
  type IntegrationResponse,
  type IntegrationDetailResponse,
} from './integrations.view';
import { modelsOf } from './model-secrets';
import { pricingAdjustmentFaults } from './pricing';
import { createDefaultProvider } from './provider-rows';
import { usesOfProvider } from './provider-uses';

/**
 * Describes the integrations on which a caller may perform the action; the caller's scopes decide
 * which ones.
 */
export const integrationTo = (action: IntegrationAction): Resource<IntegrationEntity> => ({
  entity: IntegrationEntity,
  type: 'integrations',
  view: async (row, _caller, manager) => toIntegrationDetail(row, await countWorkspaces(manager, row)),
  where: (caller, reference) => {
    const where = integrationsFor(caller, action, reference);
    if (where.length === 0) throw new GatewayError('not_found');
    return where;
  },
  changes: (row, manager) => providerKeysOf(manager, [row]),
});

@Injectable()
export class IntegrationsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
  ) {}

  /**
   * Creates an integration of the workspace of the call, or of the organisation when the call names
   * none.
   */
  create(caller: Principal, input: CreateIntegrationDto): Promise<CreatedIntegrationResponse> {
    const { organisationId, workspaceId } = caller;
    const may = workspaceId === null ? mayForOrganisation : mayForWorkspace;
    if (!may(caller, 'create')) throw new GatewayError('scope_missing');
    const provider = providerOfCatalogue(input.ai_provider_id, 'ai_provider_id');
    assertChecked(input);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const slug = input.slug ?? autoSlug(input.name);
      await assertSlugFree(manager, IntegrationEntity, { organisationId, slug, status: 'active' });
      const row = manager.create(IntegrationEntity, {
        ...columnsOf(PlainFields, input),
        id: uuidv7(),
        organisationId,
        workspaceId,
        aiProviderId: provider.id,
        slug,
        status: 'active',
        sealedCredential: null,
        maskedKey: null,
        configurations: {},
        maskedConfigurations: {},
        allowAllModels: input.allow_all_models ?? true,
        globalWorkspaceAccess: null,
        secretMappings: null,
      });
      row.secretMappings = await readMappings(manager, mappable(row), input.secret_mappings ?? null);
      this.credentials.apply(row, {
        key: input.key,
        configurations: input.configurations ?? {},
        caller,
        mapsAnew: true,
      });
      const saved = await createRow(write, integrationTo('create'), row);
      if (workspaceId !== null && input.create_default_provider !== false) {
        const wanted = { slug: input.default_provider_slug, path: 'default_provider_slug' };
        await createDefaultProvider(write, saved, workspaceId, wanted);
      }
      return { id: saved.id, slug };
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
    const { skip, take } = windowOf(query);
    const [page, total] = await orderRows(rows, query).offset(skip).limit(take).getManyAndCount();
    return listOf([page.map(toIntegration), total]);
  }

  async get(at: ResourceReference): Promise<IntegrationDetailResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, integrationTo('read'), at);
    return toIntegrationDetail(row, await countWorkspaces(manager, row));
  }

  async update(at: ResourceReference, input: UpdateIntegrationDto): Promise<object> {
    assertChecked(input);
    if (input.status === 'archived') {
      const others = Object.entries(input).filter(
        ([name, value]) => name !== 'status' && value !== undefined,
      );
      if (others.length > 0) {
        throw invalid('status', 'status archived ends the integration; send it alone, or send DELETE.');
      }
      await this.remove(at);
      return {};
    }
    const { key, configurations, secret_mappings: mappings } = input;
    return this.writes.run(at.caller, (write) =>
      patchRow(write, integrationTo('update'), at, async (row) => {
        const { manager } = write;
        assign(PlainFields, row, input);
        const mapped = row.secretMappings;
        if (mappings !== undefined) row.secretMappings = await readMappings(manager, mappable(row), mappings);
        if ([key, configurations, mappings].every((value) => value === undefined)) return;
        this.credentials.apply(row, {
          key,
          configurations,
          caller: at.caller,
          mapsAnew: !isDeepStrictEqual(mapped, row.secretMappings),
          ...(await modelsOf(manager, row.id)),
        });
      }),
    );
  }

  /**
   * Archives the integration and its providers. Configs and prompts keep their references to the
   * providers (D-18 of the specification), and the response lists these references.
   */
  remove(at: ResourceReference): Promise<DeletedIntegration> {
    return this.writes.run(at.caller, async (write) => {
      const uses: ErrorDetail[] = [];
      await archiveRow(write, integrationTo('delete'), at, async (row) => {
        const { manager } = write;
        const live = { integrationId: row.id, status: LIVE_PROVIDER };
        const providers = await manager.findBy(ProviderEntity, live);
        assertMayEnd(at.caller, providers, 'A provider of the integration');
        for (const provider of providers) {
          if (uses.length < NAMED_MAX) uses.push(...(await usesOfProvider(manager, provider)));
        }
        await archiveProviders(write, providers);
        // An archived integration cannot be restored, so its secret is no longer needed.
        row.sealedCredential = null;
      });
      return uses.length === 0 ? {} : { warnings: uses.slice(0, NAMED_MAX) };
    });
  }
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
