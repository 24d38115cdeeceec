import { SsoConnectionEntity } from '@gw/entities';
import { assertTag, invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inOrganisation } from '../../platform/auth/tenancy';
import { noteWritten } from '../../platform/common/call-context';
import type { Principal } from '../../platform/common/principal';
import type { LoginSettingsResponse, UpdateLoginSettingsDto } from './auth-settings.dto';
import { domainsOf } from './sso-grants';
import { SsoConnectionsService } from './sso-connections.service';

/** Name of a connection that these settings create. */
const NAME = 'Default';
/** ETag while there is no connection. */
const NO_CONNECTION_TAG = '"0"';

/** Shows and changes the oldest connection of an organisation as its login settings. */
@Injectable()
export class AuthSettingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: SsoConnectionsService,
  ) {}

  async get(caller: Principal): Promise<LoginSettingsResponse> {
    const row = await this.oldest(caller);
    if (row === null) return this.none();
    const shown = await this.connections.get({ caller, reference: row.id, ifMatch: undefined });
    const { status, type, id, domains } = shown;
    return {
      ...pick(shown),
      ...{ object: 'auth-settings', sso_type: status === 'active' ? type : 'no-auth' },
      ...{ sso_client_id: id, allowed_domains: domains, etag: shown.etag },
    };
  }

  /**
   * Updates the connection, and creates it when there is none. Throws `validation_failed` for a
   * type other than that of the connection.
   */
  async update(
    caller: Principal,
    { sso_type: type, allowed_domains: domains, ...fields }: UpdateLoginSettingsDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    const row = await this.oldest(caller);
    const given = { ...fields, ...(domains === undefined ? {} : { domains }) };
    if (domains !== undefined)
      await domainsOf(this.dataSource.manager, caller.organisationId, domains, 'allowed_domains');
    if (row !== null) {
      if (type !== undefined && type !== 'no-auth' && type !== row.type)
        throw invalid(
          'sso_type',
          `The connection is of type ${row.type}. Delete it at /v1/admin/organisation/sso-connections/${row.id} first.`,
        );
      const status = type === undefined ? {} : { status: statusOf(type) };
      return this.connections.update({ caller, reference: row.id, ifMatch }, { ...given, ...status });
    }
    assertTag(ifMatch, NO_CONNECTION_TAG);
    if (type === undefined) throw invalid('sso_type', 'sso_type is required: oidc, saml or no-auth');
    if (type !== 'no-auth') await this.connections.create(caller, { ...given, name: NAME, type });
    else noteWritten({ id: null, etag: NO_CONNECTION_TAG });
    return {};
  }

  private none(): LoginSettingsResponse {
    return {
      ...{ object: 'auth-settings', sso_type: 'no-auth', sso_client_id: null, saml: null, issuer: '' },
      ...{ client_id: '', has_client_secret: false, token_endpoint_auth_method: 'client_secret_basic' },
      ...{ scopes: [], disable_auto_provision_user: false, allowed_domains: [], etag: NO_CONNECTION_TAG },
      redirect_uri: this.connections.redirectUri,
    };
  }

  private async oldest(caller: Principal): Promise<Pick<SsoConnectionEntity, 'id' | 'type'> | null> {
    const { organisationId } = inOrganisation(caller);
    return this.dataSource.manager.findOne(SsoConnectionEntity, {
      where: { organisationId },
      order: { createdAt: 'ASC', id: 'ASC' },
      select: { id: true, type: true },
    });
  }
}

const statusOf = (type: 'no-auth' | 'oidc' | 'saml'): 'active' | 'disabled' =>
  type === 'no-auth' ? 'disabled' : 'active';

type Shown = Omit<
  LoginSettingsResponse,
  'object' | 'sso_type' | 'sso_client_id' | 'allowed_domains' | 'etag'
>;

const pick = (connection: Shown): Shown => ({
  saml: connection.saml,
  issuer: connection.issuer,
  client_id: connection.client_id,
  has_client_secret: connection.has_client_secret,
  token_endpoint_auth_method: connection.token_endpoint_auth_method,
  scopes: connection.scopes,
  disable_auto_provision_user: connection.disable_auto_provision_user,
  redirect_uri: connection.redirect_uri,
});
