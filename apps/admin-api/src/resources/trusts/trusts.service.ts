import { scopesAllowedFor } from '@gw/auth-scopes';
import { documentKey, type TrustMap } from '@gw/contracts';
import { TrustEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { isSharedIssuer, issuerDigest, issuerFault } from '@gw/trusts';
import { assign, invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { assertMayGrant, rightsOfServiceKey } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { idOf, inOrganisation } from '../../platform/auth/tenancy';
import { workspaceIds } from '../../platform/auth/workspace-references';
import type { Principal } from '../../platform/common/principal';
import type { At } from '../../platform/resource/at';
import {
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { TrustKeys } from './trust-keys.service';
import { assertConditions, assertMaps } from './trust-checks';
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

/** Issuers whose tokens an organisation accepts. */
@Injectable()
export class TrustsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly keys: TrustKeys,
  ) {}

  async create(caller: Principal, input: TrustFields): Promise<TrustResponse> {
    const { organisationId } = inOrganisation(caller);
    const { issuer, conditions = [] } = input;
    assertIssuer(issuer, conditions);
    const keys = await this.keys.read(issuer, input.jwks_uri ?? null, input.jwks ?? null);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const maps = await mapsOf(manager, caller, input.maps);
      await assertIssuerFree(manager, organisationId, issuer);
      const row = await createRow(write, TRUST, {
        ...{ organisationId, issuer, issuerDigest: issuerDigest(issuer), conditions, maps, ...keys },
        name: input.name,
        kind: input.kind,
        preset: input.preset ?? null,
        audiences: input.audiences,
        algorithms: input.algorithms ?? ['RS256'],
        maxTtl: input.max_ttl ?? DAY_SECONDS,
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

  async get(at: At): Promise<TrustResponse> {
    return toTrust(await findRow(this.dataSource.manager, TRUST, at));
  }

  async update(at: At, input: UpdateTrustDto): Promise<object> {
    const known = await findRow(this.dataSource.manager, TRUST, at);
    const issuer = input.issuer ?? known.issuer;
    const hasKeys = input.issuer !== undefined || input.jwks_uri !== undefined || input.jwks !== undefined;
    const keys = hasKeys ? await this.keys.read(issuer, input.jwks_uri ?? null, input.jwks ?? null) : {};
    return this.writes.run(at.caller, (write) =>
      patchRow(write, TRUST, at, async (row) => {
        const { manager } = write;
        assertIssuer(issuer, input.conditions ?? row.conditions);
        if (issuer !== row.issuer) {
          write.changed(documentKey.trusts(row.issuerDigest));
          await assertIssuerFree(manager, row.organisationId, issuer);
        }
        const maps = input.maps === undefined ? row.maps : await mapsOf(manager, at.caller, input.maps);
        assign(PlainTrustFields, row, input);
        Object.assign(row, keys, { issuer, issuerDigest: issuerDigest(issuer), maps });
      }),
    );
  }

  remove(at: At): Promise<object> {
    return this.writes.run(at.caller, (write) => deleteRow(write, TRUST, at));
  }
}

function assertIssuer(issuer: string, conditions: TrustEntity['conditions']): void {
  assertConditions(conditions, 'conditions');
  const fault = issuerFault(issuer, conditions);
  if (fault !== null) throw invalid(fault.field, fault.message);
}

/**
 * An issuer that is not shared belongs to one organisation. The lock makes concurrent writes of one issuer follow each other. Throws
 * `conflict`.
 */
async function assertIssuerFree(
  manager: EntityManager,
  organisationId: string,
  issuer: string,
): Promise<void> {
  if (isSharedIssuer(issuer)) return;
  const digest = issuerDigest(issuer);
  await manager.query(`SELECT pg_advisory_xact_lock(hashtext($1))`, [digest]);
  const isTaken = await manager.existsBy(TrustEntity, {
    issuerDigest: digest,
    organisationId: Not(organisationId),
  });
  if (isTaken)
    throw new GatewayError('conflict', {
      param: 'issuer',
      message: 'Another organisation trusts this issuer.',
    });
}

/** The maps in stored form. The caller must hold what they give: their tokens act as keys of the workspace. */
async function mapsOf(
  manager: EntityManager,
  caller: Principal,
  maps: readonly TrustMapDto[],
): Promise<readonly TrustMap[]> {
  const { organisationId } = caller;
  assertMaps(maps);
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
  const settings = await securityOf(manager, organisationId, null);
  for (const { scopes } of maps) {
    const rights = rightsOfServiceKey({ type: 'workspace-service', boundAs: null }, scopes, settings);
    assertMayGrant(caller, rights, 'A trust', 'maps');
  }
  const allowed = scopesAllowedFor('jwt');
  return maps.map(({ conditions = [], scopes, metadata = {} }, index) => {
    const foreign = scopes.find((scope) => !allowed.has(scope));
    if (foreign !== undefined)
      throw invalid(`maps.${String(index)}.scopes`, `tokens cannot hold the scope ${foreign}`);
    return { conditions, workspaceId: workspaceIn.get(index) ?? null, scopes, metadata };
  });
}
