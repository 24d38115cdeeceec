import { ProviderEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, windowOf, type PageQuery } from '@gw/web';
import { Raw, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { holdLimits } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { byReference, found, inWorkspace, isUuid, reach } from '../../platform/auth/tenancy';
import { LIVE_PROVIDER } from '../../platform/rows/integrations.queries';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { autoSlug } from '../../platform/common/slugs';
import { isSlugTaken } from './default-provider';
import type { ProviderFieldsDto } from './providers.dto';

/**
 * Where a provider or a virtual key is found. Slugs are unique in a workspace only, so a slug needs the workspace; an id is
 * enough for a credential of the whole organisation.
 */
const providersFor = (
  caller: Principal,
  reference: string,
  isVirtualKey: boolean,
): FindOptionsWhere<ProviderEntity> => ({
  ...(isUuid(reference) ? reach(caller) : inWorkspace(caller)),
  ...byReference(reference),
  isVirtualKey,
  status: LIVE_PROVIDER,
});

export const findProvider = async (
  manager: EntityManager,
  caller: Principal,
  reference: string,
  isVirtualKey: boolean,
): Promise<ProviderEntity> =>
  found(await manager.findOne(ProviderEntity, { where: providersFor(caller, reference, isVirtualKey) }));

/** The row to be changed, locked, once it is the one that `ifMatch` names. */
export async function lockProvider(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  isVirtualKey: boolean,
  ifMatch: string | undefined,
): Promise<ProviderEntity> {
  const where = providersFor(caller, reference, isVirtualKey);
  const row = found(await manager.findOne(ProviderEntity, { where, lock: FOR_UPDATE }));
  assertMatches(ifMatch, row);
  return row;
}

/** A page of the live rows of the caller's workspace, newest first, and how many there are. */
export const listProviders = (
  manager: EntityManager,
  caller: Principal,
  page: PageQuery,
  isVirtualKey: boolean,
  where: FindOptionsWhere<ProviderEntity> = {},
): Promise<[ProviderEntity[], number]> =>
  manager.findAndCount(ProviderEntity, {
    where: { ...where, ...inWorkspace(caller), isVirtualKey, status: LIVE_PROVIDER },
    order: { createdAt: 'DESC', id: 'DESC' },
    ...windowOf(page),
  });

/** Records a write of the row, under the name that its routes go by. */
export function auditProvider(
  write: Write,
  action: 'create' | 'update' | 'delete',
  row: ProviderEntity,
  views: { readonly before?: object; readonly after?: object },
): void {
  write.audit({
    action,
    resourceType: row.isVirtualKey ? 'virtual_keys' : 'providers',
    resourceId: row.id,
    workspaceId: row.workspaceId,
    ...views,
  });
}

/** For `where`: the row has every one of the tags. */
export const hasTags = (tags: Readonly<Record<string, string>>): FindOptionsWhere<ProviderEntity> => ({
  tags: Raw((column) => `${column} @> :tags::jsonb`, { tags: JSON.stringify(tags) }),
});

/** A row that is not saved yet, with a slug that is free in the workspace: 409 `conflict` when the given one is taken. */
export async function newProvider(
  manager: EntityManager,
  owner: { readonly organisationId: string; readonly workspaceId: string },
  input: { readonly name: string; readonly slug?: string | undefined; readonly isVirtualKey: boolean },
): Promise<ProviderEntity> {
  const { name } = input;
  const slug = input.slug ?? autoSlug(name);
  if (await isSlugTaken(manager, owner.workspaceId, slug)) {
    throw new GatewayError('conflict', { param: 'slug', message: 'The slug is already used.' });
  }
  return manager.create(ProviderEntity, {
    id: uuidv7(),
    organisationId: owner.organisationId,
    workspaceId: owner.workspaceId,
    slug,
    name,
    note: null,
    status: 'active',
    isVirtualKey: input.isVirtualKey,
    usageLimits: null,
    rateLimits: null,
    expiresAt: null,
    tags: null,
    lastResetAt: null,
    limitsRank: 0,
  });
}

/**
 * Sets what the request names; null clears. Throws `forbidden` for limits that a higher role has set. A provider that was exhausted or expired is active again when its limit is raised
 * or cleared, its usage reset, or its end moved on.
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
  const isRaised = after === null || before === null || after.credit_limit > before.credit_limit;
  row.usageLimits = after && !isRaised ? { ...after, status: before.status } : after;
  if (isRaised && row.status === 'exhausted') row.status = 'active';
}
