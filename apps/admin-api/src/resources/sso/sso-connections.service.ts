import { SsoConnectionEntity, type TokenEndpointAuthMethod } from '@gw/entities';
import type { PrivateJwk } from '@gw/federation';
import { isObject, uuidv7, type AddressPolicy } from '@gw/kernel';
import { assign, invalid, listOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { membershipChanges } from '../../platform/accounts/desired-memberships';
import { assertMayGrant, assertNotAbove, rankOf, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { idOf, inOrganisation } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { At } from '../../platform/resource/at';
import {
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { rolesOf } from '../../platform/logins/group-rules';
import { OidcClients } from '../../platform/logins/oidc-clients.service';
import type { SsoTestRedirectResponse } from '../../platform/logins/sso-tests.dto';
import { SsoTests } from '../../platform/logins/sso-tests.service';
import { openSecrets, sealSecrets, type SsoSecrets } from '../../platform/logins/sso-secrets';
import { Writes } from '../../platform/unit-of-work/writes';
import { Secrets } from '../../settings';
import {
  PlainSsoFields,
  toSsoConnection,
  type GroupsPreviewResponse,
  type ListSsoConnectionsQuery,
  type SsoConnectionFields,
  type SsoConnectionResponse,
  type UpdateSsoConnectionDto,
} from './sso-connections.dto';
import { domainsOf, groupRulesOf, workspacesOf } from './sso-grants';

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:\/|$)/;
const KEYS_MAX = 10;
/** Fields that decide who can log in as whom. */
const DECIDES_WHO = [
  'issuer',
  'client_id',
  'client_secret',
  'jwks',
  'token_endpoint_auth_method',
  'trust_email',
] as const;

/** Identity providers by which users of an organisation log in. */
@Injectable()
export class SsoConnectionsService {
  private readonly connection: Resource<SsoConnectionEntity> = {
    entity: SsoConnectionEntity,
    type: 'sso_connections',
    view: (row) => this.view(row),
    where: (caller, reference) => ({
      organisationId: inOrganisation(caller).organisationId,
      id: idOf(reference),
    }),
  };

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly clients: OidcClients,
    private readonly tests: SsoTests,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: SsoConnectionFields): Promise<SsoConnectionResponse> {
    const { organisationId } = inOrganisation(caller);
    const secrets = { clientSecret: input.client_secret ?? null, keys: keysIn(input.jwks) };
    const method = methodOf(input.token_endpoint_auth_method, secrets);
    this.assertIssuer(input.issuer);
    return this.writes.run(caller, async (write) => {
      await assertMayName(write.manager, caller);
      const { manager } = write;
      const id = uuidv7();
      const fields = manager.create(SsoConnectionEntity, {
        ...{ id, organisationId, tokenEndpointAuthMethod: method },
        admitsOwners: admitsOwners(caller, input.admits_owners ?? isOwner(caller)),
        groupRules: await groupRulesOf(manager, caller, input.group_rules ?? []),
        domains: await domainsOf(manager, organisationId, input.domains ?? []),
        defaultWorkspaces: await workspacesOf(manager, caller, input.default_workspaces ?? []),
        sealedSecrets: sealSecrets(this.secrets.sealingKeyring, id, secrets),
      });
      assign(PlainSsoFields, fields, input);
      const row = await createRow(write, this.connection, fields);
      return this.view(row);
    });
  }

  async list(
    caller: Principal,
    query: ListSsoConnectionsQuery,
  ): Promise<ListResponse<SsoConnectionResponse>> {
    const { organisationId } = inOrganisation(caller);
    const where = { organisationId };
    const [rows, total] = await listRows(this.dataSource.manager, this.connection, query, { where });
    return listOf([rows.map((row) => this.view(row)), total]);
  }

  async get(at: At): Promise<SsoConnectionResponse> {
    return this.view(await findRow(this.dataSource.manager, this.connection, at));
  }

  /** A new issuer needs its secrets again: a secret never goes to an address that it was not saved with. */
  update(at: At, input: UpdateSsoConnectionDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, this.connection, at, async (row) => {
        const { manager } = write;
        await assertMayName(manager, at.caller);
        row.admitsOwners = ownersAfter(at.caller, row, input);
        const isMoved = input.issuer !== undefined && input.issuer !== row.issuer;
        if (isMoved) this.assertIssuer(input.issuer ?? '');
        const before = isMoved
          ? { clientSecret: null, keys: [] }
          : openSecrets(this.secrets.sealingKeyring, row);
        const secrets = {
          clientSecret: input.client_secret === undefined ? before.clientSecret : input.client_secret,
          keys: input.jwks === undefined ? before.keys : keysIn(input.jwks),
        };
        row.tokenEndpointAuthMethod = methodOf(
          input.token_endpoint_auth_method ?? row.tokenEndpointAuthMethod,
          secrets,
        );
        row.sealedSecrets = sealSecrets(this.secrets.sealingKeyring, row.id, secrets);
        assign(PlainSsoFields, row, input);
        if (input.domains !== undefined)
          row.domains = await domainsOf(manager, row.organisationId, input.domains);
        if (input.default_workspaces !== undefined) {
          row.defaultWorkspaces = await workspacesOf(manager, at.caller, input.default_workspaces);
        }
        if (input.group_rules !== undefined) {
          row.groupRules = await groupRulesOf(manager, at.caller, input.group_rules);
        }
      }),
    );
  }

  remove(at: At): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      await assertMayName(write.manager, at.caller);
      return deleteRow(write, this.connection, at);
    });
  }

  /** Begins a test login. Throws `sso_login_refused` when the provider cannot be used. */
  async test(at: At): Promise<SsoTestRedirectResponse> {
    const row = await findRow(this.dataSource.manager, this.connection, at);
    return { url: await this.tests.begin(row), object: 'sso-test-redirect' };
  }

  /** What a user with these groups would have by the rules of the connection. */
  async previewGroups(at: At, groups: readonly string[]): Promise<GroupsPreviewResponse> {
    const row = await findRow(this.dataSource.manager, this.connection, at);
    const { isAdmin, workspaces, isComplete } = rolesOf(row, { names: groups, isComplete: true });
    const defaults = row.defaultWorkspaces.map(({ id, role }) => ({ workspaceId: id, role }));
    const { added } = membershipChanges('sso', [...workspaces, ...defaults], []);
    return {
      organisation_role: isAdmin ? 'admin' : 'member',
      workspaces: added.map(({ workspaceId, role }) => ({ workspace: workspaceId, role })),
      complete: isComplete,
      object: 'sso-groups-preview',
    };
  }

  private view(row: SsoConnectionEntity): SsoConnectionResponse {
    const { clientSecret, keys } = openSecrets(this.secrets.sealingKeyring, row);
    return toSsoConnection(row, {
      hasClientSecret: clientSecret !== null,
      keyIds: keys.flatMap(({ kid }) => kid ?? []),
      redirectUri: this.clients.redirectUri,
      jwksUri: row.tokenEndpointAuthMethod === 'private_key_jwt' ? this.clients.keysUri(row.id) : null,
    });
  }

  private assertIssuer(issuer: string): void {
    const verdict = this.addresses.checkUrl(issuer);
    if (!verdict.ok) throw invalid('issuer', verdict.rule);
    if (!issuer.startsWith('https://') && !LOOPBACK.test(issuer))
      throw invalid('issuer', 'issuer must be https');
    if (/[?#]/.test(issuer)) throw invalid('issuer', 'issuer must have no query and no fragment');
    if (/[{}]/.test(issuer)) throw invalid('issuer', 'issuer must name a tenant, not a template');
  }
}

/**
 * A caller who names the identity provider can log in as any member whom the connection admits, so it needs what an administrator holds.
 * Throws `forbidden` and `scope_exceeds_creator`.
 */
async function assertMayName(manager: EntityManager, caller: Principal): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, null);
  assertMayGrant(caller, rightsOfRole('admin', null, settings), 'An identity provider', 'issuer');
}

const isOwner = (caller: Principal): boolean => rankOf(caller) >= rankOfRole('owner', null);

/** Whether a changed connection admits owners: not when someone below them has changed who decides. */
function ownersAfter(
  caller: Principal,
  { admitsOwners: before }: SsoConnectionEntity,
  input: UpdateSsoConnectionDto,
): boolean {
  if (input.admits_owners !== undefined) return admitsOwners(caller, input.admits_owners);
  return before && (isOwner(caller) || DECIDES_WHO.every((name) => input[name] === undefined));
}

/** Throws `forbidden` for callers below owners: the connection would give them more than they hold. */
function admitsOwners(caller: Principal, admits: boolean): boolean {
  if (admits) assertNotAbove(caller, rankOfRole('owner', null));
  return admits;
}

/** Keys without a method mean `private_key_jwt`. Throws for a method whose secret is missing. */
function methodOf(
  method: TokenEndpointAuthMethod | null | undefined,
  { clientSecret, keys }: SsoSecrets,
): TokenEndpointAuthMethod {
  const chosen = method ?? (keys.length > 0 ? 'private_key_jwt' : 'client_secret_basic');
  if (chosen === 'private_key_jwt' && keys.length === 0)
    throw invalid('jwks', 'private_key_jwt needs jwks with a private key');
  if (chosen.startsWith('client_secret') && clientSecret === null) {
    throw invalid('client_secret', `${chosen} needs client_secret`);
  }
  return chosen;
}

function keysIn(jwks: { readonly keys?: unknown } | null | undefined): readonly PrivateJwk[] {
  if (jwks === null || jwks === undefined) return [];
  const { keys } = jwks;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX) {
    throw invalid('jwks', `jwks must have 1 to ${String(KEYS_MAX)} keys`);
  }
  for (const [index, key] of keys.entries()) {
    const isPrivate =
      isObject(key) && (key['kty'] === 'RSA' || key['kty'] === 'EC') && typeof key['d'] === 'string';
    if (!isPrivate) throw invalid(`jwks.keys.${String(index)}`, 'must be a private RSA or EC key');
  }
  return keys as readonly PrivateJwk[];
}
