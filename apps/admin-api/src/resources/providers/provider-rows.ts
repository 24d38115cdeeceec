import { IntegrationEntity, ProviderEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid, type PageQuery } from '@gw/web';
import { In, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { holdLimits } from '../../platform/auth/grants';
import { byReference, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import type { ListSearch } from '../../platform/resource/list-order';
import { createRow, listRows, type Resource } from '../../platform/resource/rows';
import { LIVE_PROVIDER, providerKey } from '../../platform/rows/integrations.queries';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import type { ProviderFieldsDto } from './providers.dto';
import { toProvider } from './providers.view';
import { toVirtualKey } from './virtual-keys.view';

/**
 * Returns the condition for a provider that a path names. Slugs are unique only within a workspace,
 * so a slug requires the workspace. An id is enough for a credential of the whole organisation.
 */
const whereOf =
  (isVirtualKey: boolean) =>
  (caller: Principal, reference: string): FindOptionsWhere<ProviderEntity> => ({
    ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
    ...byReference(reference),
    isVirtualKey,
    status: LIVE_PROVIDER,
  });

export const PROVIDER: Resource<ProviderEntity> = {
  entity: ProviderEntity,
  type: 'providers',
  view: async (row, _caller, manager) => {
    const slugs = await integrationSlugs(manager, [row]);
    return toProvider(row, slugs.get(row.integrationId) ?? '');
  },
  where: whereOf(false),
  documents: (row) => [providerKey(row)],
};

export const VIRTUAL_KEY: Resource<ProviderEntity> = {
  ...PROVIDER,
  type: 'virtual_keys',
  view: async (row, _caller, manager) => toVirtualKey(row, await hiddenOf(manager, row)),
  where: whereOf(true),
};

/**
 * Returns a page of the providers or virtual keys of the caller's workspace that are not archived.
 */
export const listProviders = (
  manager: EntityManager,
  caller: Principal,
  query: PageQuery & ListSearch,
  where: FindOptionsWhere<ProviderEntity>,
): Promise<[ProviderEntity[], number]> =>
  listRows(manager, PROVIDER, query, {
    where: { ...where, ...inWorkspace(caller), status: LIVE_PROVIDER },
    search: { text: query.search, in: ['name', 'slug'] },
  });

/** Returns the slugs of the rows' integrations by integration id. */
export async function integrationSlugs(
  manager: EntityManager,
  rows: readonly ProviderEntity[],
): Promise<ReadonlyMap<string, string>> {
  const integrations = await manager.find(IntegrationEntity, {
    where: { id: In([...new Set(rows.map(({ integrationId }) => integrationId))]) },
    select: { id: true, slug: true },
  });
  return new Map(integrations.map(({ id, slug }) => [id, slug]));
}

/** Returns the hidden integration of a virtual key, which contains its credential. */
export const hiddenOf = (
  manager: EntityManager,
  { integrationId }: ProviderEntity,
  forUpdate = false,
): Promise<IntegrationEntity> =>
  manager.findOneOrFail(IntegrationEntity, {
    where: { id: integrationId },
    ...(forUpdate ? { lock: FOR_UPDATE } : {}),
  });

interface NewProvider {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly name: string;
  /** Default: derived from the name. */
  readonly slug?: string | undefined;
  readonly isVirtualKey: boolean;
}

/** Returns an unsaved row. Throws `conflict` if the workspace already uses the slug. */
export async function newProvider(
  manager: EntityManager,
  { slug: requestedSlug, ...values }: NewProvider,
): Promise<ProviderEntity> {
  const slug = requestedSlug ?? autoSlug(values.name);
  await assertSlugFree(manager, ProviderEntity, {
    workspaceId: values.workspaceId,
    slug,
    status: LIVE_PROVIDER,
  });
  return manager.create(ProviderEntity, {
    ...values,
    id: uuidv7(),
    slug,
    note: null,
    status: 'active',
    usageLimits: null,
    rateLimits: null,
    expiresAt: null,
    tags: null,
    lastResetAt: null,
    limitsRank: 0,
  });
}

/**
 * Creates the provider that a workspace gets with access to an integration, unless it has one.
 * Without `slug`, uses the slug of the integration, with a random suffix if the workspace already
 * uses it. Throws `validation_failed` for `path` if the given slug is already used.
 */
export async function createDefaultProvider(
  write: Write<Principal>,
  integration: IntegrationEntity,
  workspaceId: string,
  wanted: { readonly slug: string | undefined; readonly path: string },
): Promise<void> {
  const { manager } = write;
  const { id: integrationId, organisationId, name } = integration;
  const status = LIVE_PROVIDER;
  if (await manager.existsBy(ProviderEntity, { workspaceId, integrationId, status })) return;
  let slug = wanted.slug ?? integration.slug;
  if (await manager.existsBy(ProviderEntity, { workspaceId, slug, status })) {
    if (wanted.slug !== undefined) throw invalid(wanted.path, 'is already used in the workspace');
    slug = autoSlug(integration.slug);
  }
  const row = await newProvider(manager, { organisationId, workspaceId, name, slug, isVirtualKey: false });
  const note = 'Created automatically on integration access grant';
  await createRow(write, PROVIDER, { ...row, integrationId, note });
}

/**
 * Sets the given fields; null clears a field. An exhausted or expired provider becomes active when
 * its limit is raised, cleared or replaced by a limit of another type, its usage reset, or its expiry
 * postponed. Throws `forbidden` for limits that a higher role has set.
 */
export function applyProviderFields(
  caller: Principal,
  row: ProviderEntity,
  input: ProviderFieldsDto & { readonly name?: string; readonly reset_usage?: boolean },
): void {
  const before = limitsOf(row);
  if (input.name !== undefined) row.name = input.name;
  if (input.note !== undefined) row.note = input.note;
  if (input.tags !== undefined) row.tags = input.tags;
  if (input.rate_limits !== undefined) row.rateLimits = toStoredRateLimits(input.rate_limits);
  if (input.expires_at !== undefined) setExpiry(row, input.expires_at);
  if (input.usage_limits !== undefined) setUsageLimits(row, input.usage_limits);
  if (input.reset_usage === true) {
    row.lastResetAt = new Date();
    if (row.usageLimits) row.usageLimits = { ...row.usageLimits, status: 'active' };
    if (row.status === 'exhausted') row.status = 'active';
  }
  holdLimits(caller, row, { before, after: limitsOf(row), isReset: input.reset_usage === true });
}

const limitsOf = ({ usageLimits, rateLimits, expiresAt }: ProviderEntity): readonly unknown[] => [
  usageLimits && { ...usageLimits, status: null },
  rateLimits,
  expiresAt,
];

function setExpiry(row: ProviderEntity, expiresAt: string | null): void {
  row.expiresAt = expiresAt === null ? null : new Date(expiresAt);
  if (row.expiresAt !== null && row.expiresAt.getTime() <= Date.now()) {
    throw invalid('expires_at', 'expires_at must be in the future');
  }
  if (row.status === 'expired') row.status = 'active';
}

function setUsageLimits(row: ProviderEntity, input: ProviderFieldsDto['usage_limits']): void {
  const before = row.usageLimits;
  const after = input ? toStoredUsageLimit(input, 'usage_limits') : null;
  // A limit of another type counts from its own balance.
  const isRaised =
    after === null ||
    before === null ||
    after.type !== before.type ||
    after.credit_limit > before.credit_limit;
  row.usageLimits = after && !isRaised ? { ...after, status: before.status } : after;
  if (isRaised && row.status === 'exhausted') row.status = 'active';
}
