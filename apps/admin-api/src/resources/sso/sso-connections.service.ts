import { documentKey } from '@gw/contracts';
import { SsoConnectionEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assign, invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { membershipChanges } from '../../platform/accounts/membership-changes';
import { assertNotAbove, rankOf, rankOfRole } from '../../platform/auth/grants';
import { assertMayNameProvider } from '../../platform/auth/identity-provider-rights';
import { idOf, inOrganisation } from '../../platform/auth/tenancy';
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
import { rolesOf } from '../../platform/logins/group-rules';
import { OidcClients } from '../../platform/logins/oidc-clients.service';
import type { SsoTestRedirectResponse } from '../../platform/logins/sso-tests.dto';
import { SsoTests } from '../../platform/logins/sso-tests.service';
import { SamlProviders } from '../../platform/logins/saml-providers.service';
import { readableSecrets } from '../../platform/logins/sso-secrets';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import { Secrets } from '../../settings';
import type { GroupsPreviewResponse } from './group-rules.dto';
import {
  PlainSsoFields,
  toSsoConnection,
  type ListSsoConnectionsQuery,
  type SsoConnectionFields,
  type SsoConnectionResponse,
  type UpdateSsoConnectionDto,
} from './sso-connections.dto';
import type { MetadataPreviewDto, MetadataPreviewResponse, ServiceProviderResponse } from './saml.dto';
import { SsoProviderFields } from './sso-provider-fields.service';
import { assertMayGiveStored, domainsOf, groupRulesOf, workspacesOf } from './sso-grants';

/** Fields that decide who can log in as which user. */
const DECIDES_WHO = [
  'issuer',
  'client_id',
  'client_secret',
  'jwks',
  'token_endpoint_auth_method',
  'trust_email',
  'email_claim',
  'acr_values',
  'max_age',
  'saml',
] as const;

/** Manages the identity providers with which users of an organisation log in. */
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
    private readonly providers: SsoProviderFields,
    private readonly saml: SamlProviders,
  ) {}

  /** Address to which OpenID Connect providers return users. */
  get redirectUri(): string {
    return this.clients.redirectUri;
  }

  async create(caller: Principal, input: SsoConnectionFields): Promise<SsoConnectionResponse> {
    const { organisationId } = inOrganisation(caller);
    const id = uuidv7();
    const provider = await this.providers.created(id, input);
    return this.writes.run(caller, async (write) => {
      await assertMayNameProvider(write.manager, caller, 'issuer');
      const { manager } = write;
      const fields = manager.create(SsoConnectionEntity, {
        ...{ id, organisationId, ...provider },
        admitsOwners: admitsOwners(caller, input.admits_owners ?? isOwner(caller)),
        groupRules: await groupRulesOf(manager, caller, input.group_rules ?? []),
        domains: await domainsOf(manager, organisationId, input.domains ?? []),
        defaultWorkspaces: await workspacesOf(manager, caller, input.default_workspaces ?? []),
      });
      assign(PlainSsoFields, fields, input);
      await assertNewProvider(manager, fields);
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

  async get(at: ResourceReference): Promise<SsoConnectionResponse> {
    return this.view(await findRow(this.dataSource.manager, this.connection, at));
  }

  async update(at: ResourceReference, input: UpdateSsoConnectionDto): Promise<object> {
    const metadata = await this.providers.metadata(input);
    return this.writes.run(at.caller, (write) =>
      patchRow(write, this.connection, at, async (row) => {
        const { manager } = write;
        await assertMayNameProvider(manager, at.caller, 'issuer');
        await assertMayGiveStored(manager, at.caller, row);
        row.admitsOwners = admitsOwnersAfter(at.caller, row, input);
        Object.assign(row, await this.providers.updated(row, input, metadata));
        await assertNewProvider(manager, row);
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

  /** Returns the values to register at the provider. */
  async serviceProvider(at: ResourceReference): Promise<ServiceProviderResponse> {
    const row = await findRow(this.dataSource.manager, this.connection, at);
    const isSaml = row.saml !== null;
    const { entityId, acsUrl, sloUrl } = this.saml.addressesOf(row);
    const { redirect_uri: redirectUri, jwks_uri: jwksUri } = this.view(row);
    return {
      entity_id: isSaml ? entityId : null,
      acs_url: isSaml ? acsUrl : null,
      slo_url: isSaml ? sloUrl : null,
      certificate: row.saml?.ownCertificate ?? null,
      redirect_uri: isSaml ? null : redirectUri,
      backchannel_logout_uri: isSaml ? null : this.clients.logoutUri(row.id),
      jwks_uri: jwksUri,
      object: 'service-provider',
    };
  }

  /** Reads metadata in the same way as for the connection, without saving it. */
  async previewMetadata(at: ResourceReference, input: MetadataPreviewDto): Promise<MetadataPreviewResponse> {
    await findRow(this.dataSource.manager, this.connection, at);
    return this.providers.preview(input);
  }

  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      await assertMayNameProvider(write.manager, at.caller, 'issuer');
      return deleteRow(write, this.connection, at, (row) => forgetGroups(write, row));
    });
  }

  /** Starts a test login. Throws `sso_login_refused` when the provider cannot be used. */
  async test(at: ResourceReference): Promise<SsoTestRedirectResponse> {
    const row = await findRow(this.dataSource.manager, this.connection, at);
    return { url: await this.tests.begin(row), object: 'sso-test-redirect' };
  }

  /** Returns the roles of a user with these groups by the rules of the connection. */
  async previewGroups(at: ResourceReference, groups: readonly string[]): Promise<GroupsPreviewResponse> {
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
    const { clientSecret, keys } = readableSecrets(this.secrets.sealingKeyring, row);
    return toSsoConnection(row, {
      hasClientSecret: clientSecret !== null,
      keyIds: keys.flatMap(({ kid }) => kid ?? []),
      redirectUri: this.clients.redirectUri,
      jwksUri: row.tokenEndpointAuthMethod === 'private_key_jwt' ? this.clients.keysUri(row.id) : null,
    });
  }
}

/**
 * Deletes the links of a connection with its groups, and makes gateways read the affected users
 * again.
 */
async function forgetGroups(write: Write, { id, organisationId }: SsoConnectionEntity): Promise<void> {
  const links = await write.manager.query<{ userId: string }[]>(
    `SELECT DISTINCT user_id AS "userId" FROM sso_links WHERE connection_id = $1 AND groups <> '[]'`,
    [id],
  );
  write.changed(links.map(({ userId }) => documentKey.user(organisationId, userId)));
}

const isOwner = (caller: Principal): boolean => rankOf(caller) >= rankOfRole('owner', null);

/**
 * Whether a changed connection admits owners. It no longer does when a caller below owners has
 * changed fields that decide who can log in.
 */
function admitsOwnersAfter(
  caller: Principal,
  { admitsOwners: before }: SsoConnectionEntity,
  input: UpdateSsoConnectionDto,
): boolean {
  if (input.admits_owners !== undefined) return admitsOwners(caller, input.admits_owners);
  return before && (isOwner(caller) || DECIDES_WHO.every((name) => input[name] === undefined));
}

/**
 * Returns the requested value. Throws `forbidden` for callers below owners, because the connection
 * would give them more rights than they hold.
 */
function admitsOwners(caller: Principal, admits: boolean): boolean {
  if (admits) assertNotAbove(caller, rankOfRole('owner', null));
  return admits;
}

/**
 * Throws `invalid_request` when another connection of the organisation has the same entity id. A
 * response without a request must lead to exactly one connection.
 */
async function assertNewProvider(
  manager: EntityManager,
  { id, type, organisationId, issuer }: SsoConnectionEntity,
): Promise<void> {
  if (type !== 'saml') return;
  const other = await manager.findOneBy(SsoConnectionEntity, { id: Not(id), organisationId, type, issuer });
  if (other !== null) throw invalid('saml.entity_id', 'another connection has this entity_id');
}
