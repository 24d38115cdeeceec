import type { OauthClientEntity } from '@gw/entities';
import {
  CLIENT_AUTH_METHODS,
  ASSERTION_GRANT,
  DEVICE_GRANT,
  type ClientAuthMethod,
  type ClientMetadata,
} from '@gw/oauth';
import {
  EnumField,
  EnumListField,
  NameField,
  ObjectField,
  pageOf,
  partialOf,
  pickOf,
  ResponseField,
  responseOf,
  RowResponse,
  TextField,
  TextListField,
  viewOf,
} from '@gw/web';

const GRANT_TYPES = ['authorization_code', 'refresh_token', DEVICE_GRANT, ASSERTION_GRANT] as const;
const STATUSES = ['active', 'blocked'] as const;

export class OauthClientFields {
  @NameField({ example: 'Data portal' }) name!: string;
  @TextListField({
    minItems: 1,
    maxItems: 10,
    itemMax: 2_048,
    description:
      'Redirect addresses to which browsers are sent with a code: https, loopback, or com.example.app:/callback.',
    example: ['https://portal.example.com/oauth/callback'],
  })
  redirect_uris!: string[];
  @EnumField(CLIENT_AUTH_METHODS, { optional: true, description: 'Default: none, a public client.' })
  token_endpoint_auth_method?: ClientAuthMethod;
  @EnumListField(GRANT_TYPES, {
    optional: true,
    minItems: 1,
    maxItems: GRANT_TYPES.length,
    description: 'Default: authorization_code and refresh_token.',
  })
  grant_types?: string[];
  @ObjectField({ optional: true, nullable: true, description: 'Public keys for private_key_jwt.' })
  jwks?: object | null;
  @TextField({
    optional: true,
    nullable: true,
    max: 2_048,
    description: 'Address of the public keys, used in place of jwks.',
    example: null,
  })
  jwks_uri?: string | null;
  @EnumField(STATUSES, { optional: true, description: 'blocked ends all grants of the client.' })
  status?: 'active' | 'blocked';
}

export class UpdateOauthClientDto extends partialOf(OauthClientFields) {}

export class ListOauthClientsQuery extends pageOf({ size: 100 }) {}

export class OauthClientResponse extends responseOf(OauthClientFields, RowResponse) {
  @ResponseField.kind('oauth-client') readonly object!: 'oauth-client';
  @ResponseField.text({ description: 'The client_id of the client.', example: 'gw_0f1e2d3c4b5a69788796a5b4' })
  readonly id!: string;
  @ResponseField.text({ nullable: true, description: 'Time in ISO 8601.', example: null })
  readonly last_used_at!: string | null;
}

const SECRET = {
  nullable: true,
  description: 'Secret of the client, shown once; null for a client without a secret.',
  example: 'gws_9fK2…',
} as const;

export class OauthClientSecretResponse extends pickOf(OauthClientResponse, 'id') {
  @ResponseField.text(SECRET) readonly client_secret!: string | null;
}

export class CreatedOauthClientResponse extends OauthClientResponse {
  @ResponseField.text(SECRET) readonly client_secret!: string | null;
}

export function toOauthClient(row: OauthClientEntity): OauthClientResponse {
  const metadata = row.metadata as ClientMetadata;
  return viewOf(OauthClientResponse, row, {
    object: 'oauth-client',
    redirect_uris: [...metadata.redirect_uris],
    token_endpoint_auth_method: metadata.token_endpoint_auth_method,
    grant_types: [...metadata.grant_types],
    jwks: metadata.jwks ?? null,
    jwks_uri: metadata.jwks_uri ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  });
}
