import { scopesAllowedFor } from '@gw/auth-scopes';
import { documentKey, type TrustMap } from '@gw/contracts';
import { TrustEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { issuerDigest } from '@gw/trusts';
import { assign, invalid, listOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { assertMayGrant, rightsOfServiceKey } from '../../platform/auth/grants';
import { assertMayNameProvider } from '../../platform/auth/identity-provider-rights';
import { securityOf } from '../../platform/auth/security';
import { idOf, inOrganisation } from '../../platform/auth/tenancy';
import { workspaceIds } from '../../platform/auth/workspace-references';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { SETTINGS, type AdminSettings } from '../../settings';
import { Writes } from '../../platform/unit-of-work/writes';
import { TrustKeys } from './trust-keys.service';
import {
  ASSERTION_TTL_MAX,
  assertIssuerTrustsMax,
  assertForm,
  assertIssuer,
  assertValidMaps,
  assertOnce,
  assertOwnAudiences,
  ONCE_TTL_MAX,
} from './trust-checks';
import {
  DAY_SECONDS,
  PlainTrustFields,
  toTrust,
  type ListTrustsQuery,
  type TrustFields,
  type TrustMapDto,
  type TrustResponse,
  type UpdateTrustDto,
} from './trusts.dto';

export const TRUST: Resource<TrustEntity> = {
  entity: TrustEntity,
  type: 'trusts',
  view: toTrust,
  where: (caller, reference) => ({
    organisationId: inOrganisation(caller).organisationId,
    id: idOf(reference),
  }),
  documents: ({ issuerDigest }) => [documentKey.trusts(issuerDigest)],
};

/** Manages the issuers whose tokens an organisation accepts. */
@Injectable()
export class TrustsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly keys: TrustKeys,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  async create(caller: Principal, input: TrustFields): Promise<TrustResponse> {
    const { organisationId } = inOrganisation(caller);
    const { issuer, conditions = [], audiences, kind } = input;
    assertIssuer({ issuer, conditions, maps: input.maps ?? [] });
    const requireJtiOnce = input.require_jti_once ?? false;
    const linkUsers = input.link_users ?? false;
    const maxTtl = input.max_ttl ?? ttlMaxOf({ kind, requireJtiOnce });
    assertOnce({ requireJtiOnce, maxTtl });
    const keys = await this.keys.read(issuer, input.jwks_uri ?? null, input.jwks ?? null);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const maps = await mapsOf(manager, caller, input.maps ?? []);
      assertForm({ kind, maps, audiences, maxTtl, linkUsers, requireJtiOnce }, this.settings.PUBLIC_URL);
      await assertMayAccept(manager, caller, { kind, linkUsers });
      await assertIssuerTrustsMax(manager, { organisationId, issuer });
      if (kind !== 'id_jag') await assertOwnAudiences(manager, { organisationId, issuer, audiences });
      const row = await createRow(write, TRUST, {
        ...{ organisationId, issuer, issuerDigest: issuerDigest(issuer), conditions, maps, ...keys },
        name: input.name,
        kind,
        preset: input.preset ?? null,
        audiences,
        algorithms: input.algorithms ?? ['RS256'],
        ...{ maxTtl, requireJtiOnce, linkUsers },
        status: input.status ?? 'active',
      });
      return toTrust(row);
    });
  }

  async list(caller: Principal, query: ListTrustsQuery): Promise<ListResponse<TrustResponse>> {
    const { organisationId } = inOrganisation(caller);
    const [rows, total] = await listRows(this.dataSource.manager, TRUST, query, {
      where: { organisationId },
    });
    return listOf([rows.map(toTrust), total]);
  }

  async get(at: ResourceReference): Promise<TrustResponse> {
    return toTrust(await findRow(this.dataSource.manager, TRUST, at));
  }

  async update(at: ResourceReference, input: UpdateTrustDto): Promise<object> {
    const known = await findRow(this.dataSource.manager, TRUST, at);
    const issuer = input.issuer ?? known.issuer;
    const isMoved = issuer !== known.issuer;
    const hasKeys = isMoved || input.jwks_uri !== undefined || input.jwks !== undefined;
    const keys = hasKeys ? await this.keys.read(issuer, input.jwks_uri ?? null, input.jwks ?? null) : {};
    return this.writes.run(at.caller, (write) =>
      patchRow(write, TRUST, at, async (row) => {
        const { manager } = write;
        // The keys were read for the issuer before the row was locked.
        if (row.issuer !== known.issuer) throw changedMeanwhile();
        if (isEnd(input)) {
          row.status = 'disabled';
          return;
        }
        await assertChange(manager, at.caller, row, { ...input, issuer });
        if (isMoved) write.changed(documentKey.trusts(row.issuerDigest));
        const maps = input.maps === undefined ? row.maps : await mapsOf(manager, at.caller, input.maps);
        if (input.kind !== undefined && (input.kind === 'id_jag') !== (row.kind === 'id_jag'))
          throw invalid('kind', 'assertions of users cannot become tokens of callers, nor the other way');
        assign(PlainTrustFields, row, input);
        assertOnce(row);
        assertForm({ ...row, maps }, this.settings.PUBLIC_URL);
        Object.assign(row, keys, { issuer, issuerDigest: issuerDigest(issuer), maps });
      }),
    );
  }

  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) => deleteRow(write, TRUST, at));
  }
}

const changedMeanwhile = (): GatewayError =>
  new GatewayError('conflict', { message: 'The issuer of the trust has just been changed; try again.' });

/** Whether a change only disables a trust, which grants no rights. */
const isEnd = ({ status, ...others }: UpdateTrustDto): boolean =>
  status === 'disabled' && Object.values(others).every((value) => value === undefined);

/**
 * Checks a trust in its state after the change. A user who changes which tokens a trust accepts can
 * create such tokens, so the caller must also be able to grant the unchanged maps.
 */
async function assertChange(
  manager: EntityManager,
  caller: Principal,
  row: TrustEntity,
  { issuer, ...input }: UpdateTrustDto & { readonly issuer: string },
): Promise<void> {
  const linkUsers = row.linkUsers || input.link_users === true;
  await assertMayAccept(manager, caller, { kind: row.kind, linkUsers });
  await assertIssuerTrustsMax(manager, { ...row, issuer });
  if (input.maps === undefined) await assertMayGive(manager, caller, row.maps);
  assertIssuer({ issuer, conditions: input.conditions ?? row.conditions, maps: input.maps ?? row.maps });
  const keptAudiences = issuer === row.issuer ? row.audiences : [];
  const { organisationId, audiences } = { ...row, ...(input.audiences && { audiences: input.audiences }) };
  if (row.kind !== 'id_jag')
    await assertOwnAudiences(manager, { organisationId, issuer, audiences }, keptAudiences);
}

/**
 * Checks that the caller may accept assertions and tokens that act for users, which are equivalent
 * to logins by an identity provider.
 */
async function assertMayAccept(
  manager: EntityManager,
  caller: Principal,
  { kind, linkUsers }: Pick<TrustEntity, 'kind' | 'linkUsers'>,
): Promise<void> {
  if (kind === 'id_jag') await assertMayNameProvider(manager, caller, 'kind');
  if (linkUsers) await assertMayNameProvider(manager, caller, 'link_users');
}

const ttlMaxOf = ({ kind, requireJtiOnce }: Pick<TrustEntity, 'kind' | 'requireJtiOnce'>): number =>
  kind === 'id_jag' ? ASSERTION_TTL_MAX : requireJtiOnce ? ONCE_TTL_MAX : DAY_SECONDS;

/**
 * Throws unless the caller holds the rights that the maps give, because the tokens act as keys of
 * the workspace.
 */
async function assertMayGive(
  manager: EntityManager,
  caller: Principal,
  maps: readonly Pick<TrustMap, 'scopes'>[],
): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, null);
  for (const { scopes } of maps) {
    const rights = rightsOfServiceKey({ type: 'workspace-service', boundAs: null }, scopes, settings);
    assertMayGrant(caller, rights, 'A trust', 'maps');
  }
}

/** Returns the maps in stored form. */
async function mapsOf(
  manager: EntityManager,
  caller: Principal,
  maps: readonly TrustMapDto[],
): Promise<readonly TrustMap[]> {
  const { organisationId } = caller;
  assertValidMaps(maps);
  const named = maps.flatMap(({ workspace }, index) =>
    typeof workspace === 'string' ? [[workspace, index] as const] : [],
  );
  const ids = await workspaceIds(
    manager,
    organisationId,
    named.map(([reference]) => reference),
    (at) => `maps.${String(named[at]?.[1] ?? 0)}.workspace`,
  );
  const workspaceIn = new Map(named.map(([, index], at) => [index, ids[at] ?? null]));
  await assertMayGive(manager, caller, maps);
  const allowed = scopesAllowedFor('jwt');
  return maps.map(({ conditions = [], scopes, metadata = {} }, index) => {
    const foreign = scopes.find((scope) => !allowed.has(scope));
    if (foreign !== undefined)
      throw invalid(`maps.${String(index)}.scopes`, `tokens cannot hold the scope ${foreign}`);
    return { conditions, workspaceId: workspaceIn.get(index) ?? null, scopes, metadata };
  });
}
