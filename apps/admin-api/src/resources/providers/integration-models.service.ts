import { IntegrationEntity, IntegrationModelEntity } from '@gw/entities';
import { assertAllowedUrl, uuidv7, type AddressPolicy, type ErrorDetail } from '@gw/kernel';
import { invalid, validationFailed } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { headerMapFaults, unmaskedHeaders } from '../../platform/credentials/header-map';
import {
  ADDRESS_POLICY,
  givenIn,
  IntegrationCredentials,
} from '../../platform/credentials/integration-credentials';
import { assertMayAim, assertSecretsStay } from '../../platform/credentials/secrets-stay';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, patchRow, type Resource } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import type { IntegrationModelDto, UpdateIntegrationModelsDto } from './integrations.dto';
import { integrationTo } from './integrations.service';
import { toModel, type IntegrationModelsResponse } from './integrations.view';
import { boundHeaders, givenHeaders, modelsOf } from './model-secrets';
import { pricingConfigFaults } from './pricing';

/**
 * Maximum number of models of an integration, all of which are in every document of its providers.
 */
const MODELS_MAX = 2_000;

@Injectable()
export class IntegrationModelsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly credentials: IntegrationCredentials,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  async list(at: ResourceReference): Promise<IntegrationModelsResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, integrationTo('read'), at);
    const models = (await rowsOf(manager, integration)).map(toModel);
    return { total: models.length, allow_all_models: integration.allowAllModels, models };
  }

  update(at: ResourceReference, input: UpdateIntegrationModelsDto): Promise<object> {
    const { caller } = at;
    this.assertValid(input.models);
    return this.writes.run(caller, (write) => {
      const { manager } = write;
      return patchRow(write, withModels(), at, async (integration) => {
        const slugs = input.models.map(({ slug }) => slug);
        if (input.override_existing_model_access === true) {
          await manager.delete(IntegrationModelEntity, {
            integrationId: integration.id,
            slug: Not(In(slugs)),
          });
        }
        const saved = await manager.findBy(IntegrationModelEntity, {
          integrationId: integration.id,
          slug: In(slugs),
        });
        const bySlug = new Map(saved.map((row) => [row.slug, row]));
        const rows = input.models.map((model, index) => {
          const row = bySlug.get(model.slug) ?? newModel(manager, integration.id, model.slug);
          const host = row.customHost;
          const headers = { ...row.customHeaders };
          applyModel(row, model);
          if (row.customHost !== host) {
            this.assertSecretsStay(caller, integration, input, { index, model, host, headers, row });
          }
          return row;
        });
        if (input.key !== undefined || input.configurations !== undefined) {
          const { key, configurations } = input;
          const alsoBound = await keptHeaders(manager, integration.id, { rows, models: input.models });
          this.credentials.apply(integration, { key, configurations, caller, alsoBound });
        }
        await manager.save(IntegrationModelEntity, rows);
        if ((await manager.countBy(IntegrationModelEntity, { integrationId: integration.id })) > MODELS_MAX)
          throw invalid('models', `an integration has at most ${String(MODELS_MAX)} models`);
        if (input.allow_all_models !== undefined) integration.allowAllModels = input.allow_all_models;
        integration.version += 1;
      });
    });
  }

  /**
   * Deletes custom models; models of the catalogue can only be disabled. `list` contains
   * comma-separated slugs.
   */
  remove(at: ResourceReference, list: string): Promise<object> {
    const slugs = [...new Set(list.split(',').map((slug) => slug.trim()))].filter((slug) => slug !== '');
    if (slugs.length === 0) throw invalid('slugs', 'must name at least one model');
    return this.writes.run(at.caller, (write) => {
      const { manager } = write;
      const named = { slug: In(slugs), isCustom: true };
      return patchRow(write, withModels(named), at, async (integration) => {
        const rows = await rowsOf(manager, integration, named);
        const knownSlugs = new Set(rows.map(({ slug }) => slug));
        const missing = slugs.filter((slug) => !knownSlugs.has(slug));
        if (missing.length > 0) {
          const message = (slug: string): string => `${slug} is not a custom model of the integration`;
          throw validationFailed(missing.map((slug) => ({ path: 'slugs', message: message(slug) })));
        }
        await manager.delete(IntegrationModelEntity, { id: In(rows.map(({ id }) => id)) });
        integration.version += 1;
      });
    });
  }

  /**
   * Throws if a changed model address would receive saved secrets that the request does not contain
   * again. A model's address receives the integration's secrets; a model without an address uses
   * the integration's.
   */
  private assertSecretsStay(
    caller: Principal,
    integration: IntegrationEntity,
    input: UpdateIntegrationModelsDto,
    { index, model, host, headers, row }: MovedModel,
  ): void {
    const path = `models.${String(index)}`;
    const hostPath = `${path}.configurations.custom_host`;
    const own = integration.configurations['custom_host'] ?? null;
    const bound = this.credentials.secretsOf(integration);
    const headersAt = (values: object): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [`${path}.custom_headers.${name}`, value]),
      );
    const given = new Set([
      ...givenIn(input),
      ...givenHeaders(model).map((name) => `${path}.custom_headers.${name}`),
    ]);
    assertSecretsStay(
      { addresses: { [hostPath]: host ?? own }, secrets: { ...bound, ...headersAt(headers) } },
      {
        addresses: { [hostPath]: row.customHost ?? own },
        secrets: { ...bound, ...headersAt(row.customHeaders) },
      },
      given,
    );
    if (integration.secretMappings !== null && integration.secretMappings.length > 0)
      assertMayAim(caller, hostPath);
  }

  private assertValid(models: readonly IntegrationModelDto[]): void {
    const seen = new Set<string>();
    const faults = models.flatMap((model, i) => {
      const path = `models.${String(i)}`;
      const isRepeated = seen.has(model.slug);
      seen.add(model.slug);
      const repeated = { path: `${path}.slug`, message: 'is duplicated' };
      return [...(isRepeated ? [repeated] : []), ...modelFaults(model, path)];
    });
    if (faults.length > 0) throw validationFailed(faults);
    models.forEach((model, i) => {
      const host = model.configurations?.['custom_host'];
      const path = `models.${String(i)}.configurations.custom_host`;
      if (host !== undefined && host !== null) assertAllowedUrl(this.addresses, host, path);
    });
  }
}

const rowsOf = (
  manager: EntityManager,
  { id }: IntegrationEntity,
  modelFilter: FindOptionsWhere<IntegrationModelEntity> = {},
): Promise<IntegrationModelEntity[]> =>
  manager.find(IntegrationModelEntity, {
    where: { ...modelFilter, integrationId: id },
    order: { slug: 'ASC' },
  });

/**
 * Returns the saved headers of models at the integration's address that the request does not
 * contain again. `rows` are the models of the request after the write.
 */
async function keptHeaders(
  manager: EntityManager,
  integrationId: string,
  { rows, models }: { rows: readonly IntegrationModelEntity[]; models: readonly IntegrationModelDto[] },
): Promise<Record<string, unknown>> {
  const given = new Map(models.map((model) => [model.slug, new Set(givenHeaders(model))]));
  const { alsoBound: others } = await modelsOf(manager, integrationId, [...given.keys()]);
  return { ...others, ...boundHeaders(rows, (slug, header) => given.get(slug)?.has(header) ?? false) };
}

/** Describes an integration whose audit records show the given models. */
const withModels = (modelFilter?: FindOptionsWhere<IntegrationModelEntity>): Resource<IntegrationEntity> => ({
  ...integrationTo('update'),
  view: async (row, _caller, manager) => ({ models: (await rowsOf(manager, row, modelFilter)).map(toModel) }),
});

const newModel = (manager: EntityManager, integrationId: string, slug: string): IntegrationModelEntity =>
  manager.create(IntegrationModelEntity, {
    id: uuidv7(),
    integrationId,
    slug,
    enabled: true,
    isCustom: false,
    isFinetune: false,
    baseModelSlug: null,
    customHost: null,
    customHeaders: {},
    pricingConfig: null,
  });

interface MovedModel {
  readonly index: number;
  readonly model: IntegrationModelDto;
  /** Host and headers before the write. */
  readonly host: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The row after the write. */
  readonly row: IntegrationModelEntity;
}

const CONFIGURATIONS: ReadonlySet<string> = new Set(['custom_host', 'custom_headers']);

/** Whether the model has members that only a custom model may have. */
const isCustomised = (model: IntegrationModelDto): boolean =>
  [model.configurations, model.custom_headers, model.base_model_slug].some(
    (value) => value !== undefined && value !== null,
  );

function modelFaults(model: IntegrationModelDto, path: string): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const { configurations, custom_headers: headers, pricing_config: pricing } = model;
  if (model.is_custom === false && isCustomised(model)) {
    faults.push({
      path: `${path}.is_custom`,
      message: 'must be true for a model with its own address, headers or base model',
    });
  }
  if (headers) faults.push(...headerMapFaults(headers, `${path}.custom_headers`));
  if (pricing) faults.push(...pricingConfigFaults(pricing, `${path}.pricing_config`));
  if (!configurations) return faults;
  const at = `${path}.configurations`;
  if (Object.keys(configurations).length === 0) faults.push({ path: at, message: 'must not be empty' });
  for (const name of Object.keys(configurations)) {
    if (!CONFIGURATIONS.has(name)) faults.push({ path: `${at}.${name}`, message: 'is unknown; remove it' });
  }
  const nested = configurations['custom_headers'];
  if (nested !== undefined && nested !== null) {
    faults.push(...headerMapFaults(nested, `${at}.custom_headers`));
  }
  return faults;
}

/** Sets the given fields; an absent field stays unchanged, and null clears it. */
function applyModel(row: IntegrationModelEntity, model: IntegrationModelDto): IntegrationModelEntity {
  row.enabled = model.enabled ?? row.enabled;
  row.isCustom = model.is_custom ?? (row.isCustom || isCustomised(model));
  row.isFinetune = model.is_finetune ?? row.isFinetune;
  if (model.base_model_slug !== undefined) row.baseModelSlug = model.base_model_slug;
  if (model.pricing_config !== undefined) row.pricingConfig = model.pricing_config;
  applyAddress(row, model);
  return row;
}

/**
 * Sets the address and headers of a model. `modelFaults` must have accepted the values. Headers may
 * be next to `configurations` or inside it.
 */
function applyAddress(row: IntegrationModelEntity, model: IntegrationModelDto): void {
  const address = model.configurations === null ? CLEARED : model.configurations;
  const host = address?.['custom_host'] as string | null | undefined;
  const headers = (model.custom_headers ?? address?.['custom_headers'] ?? model.custom_headers) as
    Record<string, string> | null | undefined;
  if (host !== undefined) row.customHost = host;
  if (headers !== undefined) row.customHeaders = unmaskedHeaders(headers ?? {}, row.customHeaders);
}

const CLEARED: Readonly<Record<string, unknown>> = { custom_host: null, custom_headers: null };
