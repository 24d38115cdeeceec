import { OauthClientEntity, oauthClientBinding } from '@gw/entities';
import { randomAlphanumeric, randomHex, seal } from '@gw/kernel';
import { checkRegisteredClient, hasClientSecret, type ClientMetadata } from '@gw/oauth';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { inOrganisation } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { endGrantsOfClient } from '../../platform/oauth/oauth-grants';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  changeRow,
  createRow,
  deleteRow,
  findRow,
  listRows,
  patchRow,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import {
  toOauthClient,
  type CreatedOauthClientResponse,
  type ListOauthClientsQuery,
  type OauthClientFields,
  type OauthClientResponse,
  type OauthClientSecretResponse,
  type UpdateOauthClientDto,
} from './oauth-clients.dto';

const REGISTERED = { kind: 'registered' } as const;

const OAUTH_CLIENT: Resource<OauthClientEntity> = {
  entity: OauthClientEntity,
  type: 'oauth_clients',
  view: toOauthClient,
  where: (caller, reference) => ({
    ...REGISTERED,
    organisationId: inOrganisation(caller).organisationId,
    id: reference.slice(0, 64),
  }),
};

/** Manages the OAuth clients that an organisation registers for its users. */
@Injectable()
export class OauthClientsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'OAUTH_PRIVATE_SCHEMES'>,
  ) {}

  create(caller: Principal, input: OauthClientFields): Promise<CreatedOauthClientResponse> {
    const { organisationId } = inOrganisation(caller);
    const metadata = this.metadataOf(input);
    const id = `gw_${randomHex(12)}`;
    return this.writes.run(caller, async (write) => {
      const { secret, sealedSecret } = this.secretOf(id, metadata);
      const row = await createRow(write, OAUTH_CLIENT, {
        ...{ ...REGISTERED, id, organisationId, name: metadata.client_name, metadata, sealedSecret },
        ...{ createdNetwork: null, lastUsedAt: null, status: input.status ?? 'active' },
      });
      return { ...toOauthClient(row), client_secret: secret };
    });
  }

  async list(caller: Principal, query: ListOauthClientsQuery): Promise<ListResponse<OauthClientResponse>> {
    const { organisationId } = inOrganisation(caller);
    const where = { ...REGISTERED, organisationId };
    const [rows, total] = await listRows(this.dataSource.manager, OAUTH_CLIENT, query, { where });
    return listOf([rows.map(toOauthClient), total]);
  }

  async get(at: ResourceReference): Promise<OauthClientResponse> {
    return toOauthClient(await findRow(this.dataSource.manager, OAUTH_CLIENT, at));
  }

  update(at: ResourceReference, input: UpdateOauthClientDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, OAUTH_CLIENT, at, async (row) => {
        const before = row.metadata as ClientMetadata;
        const kept = { ...toOauthClient(row), ...(replacesKeys(input) && { jwks: null, jwks_uri: null }) };
        const metadata = this.metadataOf({ ...kept, ...present(input) });
        const method = metadata.token_endpoint_auth_method;
        if (hasClientSecret(method) !== (row.sealedSecret !== null))
          throw invalid(
            'token_endpoint_auth_method',
            'A client with a secret stays one, and one without stays one; register another client.',
          );
        Object.assign(row, { metadata, name: metadata.client_name, status: input.status ?? row.status });
        const isAnother = before.token_endpoint_auth_method !== method;
        if (row.status === 'blocked' || isAnother) await endGrantsOfClient(write, row.id);
      }),
    );
  }

  rotate(at: ResourceReference): Promise<OauthClientSecretResponse> {
    return this.writes.run(at.caller, async (write) => {
      let given: string | null = null;
      const { id } = await changeRow(
        write,
        OAUTH_CLIENT,
        at,
        (row) => {
          const { secret, sealedSecret } = this.secretOf(row.id, row.metadata as ClientMetadata);
          if (secret === null) throw invalid('oauthClientId', 'This client has no secret to rotate.');
          given = secret;
          row.sealedSecret = sealedSecret;
        },
        'rotate',
      );
      return { id, client_secret: given };
    });
  }

  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      deleteRow(write, OAUTH_CLIENT, at, ({ id }) => endGrantsOfClient(write, id)),
    );
  }

  private metadataOf(input: OauthClientFields): ClientMetadata {
    const { name, jwks, jwks_uri: keysUrl, token_endpoint_auth_method: method = 'none' } = input;
    const checked = checkRegisteredClient(
      {
        ...{ client_name: name, redirect_uris: input.redirect_uris, grant_types: input.grant_types },
        ...{ token_endpoint_auth_method: method, jwks: jwks ?? undefined, jwks_uri: keysUrl ?? undefined },
      },
      { privateUseRedirectUris: this.settings.OAUTH_PRIVATE_SCHEMES },
    );
    if (!('error' in checked)) return checked.client;
    const { field, description } = checked;
    throw invalid(field === 'client_name' ? 'name' : (field ?? 'body'), description);
  }

  private secretOf(
    id: string,
    { token_endpoint_auth_method: method }: ClientMetadata,
  ): { readonly secret: string | null; readonly sealedSecret: string | null } {
    if (!hasClientSecret(method)) return { secret: null, sealedSecret: null };
    const secret = `gws_${randomAlphanumeric(43)}`;
    return { secret, sealedSecret: seal(this.secrets.sealingKeyring, secret, oauthClientBinding(id)) };
  }
}

/**
 * Whether a change sets other keys, or a method without keys. The previous keys are then removed.
 */
const replacesKeys = ({
  jwks,
  jwks_uri: url,
  token_endpoint_auth_method: method,
}: UpdateOauthClientDto): boolean =>
  jwks != null || url != null || (method !== undefined && method !== 'private_key_jwt');
