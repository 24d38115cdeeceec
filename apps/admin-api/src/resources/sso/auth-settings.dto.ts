import { EnumField, partialOf, pickOf, ResponseField, TextListField } from '@gw/web';
import { SsoConnectionFields, SsoConnectionResponse } from './sso-connections.dto';

const TYPES = ['no-auth', 'oidc', 'saml'] as const;
type SsoType = (typeof TYPES)[number];

/** Partial update: absent members stay. */
export class UpdateLoginSettingsDto extends partialOf(
  pickOf(
    SsoConnectionFields,
    'saml',
    'issuer',
    'client_id',
    'client_secret',
    'jwks',
    'token_endpoint_auth_method',
    'scopes',
    'disable_auto_provision_user',
  ),
) {
  @EnumField(TYPES, {
    optional: true,
    description:
      'no-auth disables the connection; the other values enable it. The first one determines the type of the connection.',
    example: 'oidc',
  })
  sso_type?: SsoType;
  @TextListField({
    optional: true,
    maxItems: 100,
    description: 'Verified domains of the organisation whose addresses log in with this connection.',
    example: ['example.org'],
  })
  allowed_domains?: string[];
}

export class LoginSettingsResponse extends pickOf(
  SsoConnectionResponse,
  'saml',
  'issuer',
  'client_id',
  'has_client_secret',
  'token_endpoint_auth_method',
  'scopes',
  'disable_auto_provision_user',
  'redirect_uri',
) {
  @ResponseField.kind('auth-settings') readonly object!: 'auth-settings';
  @ResponseField.oneOf(TYPES) readonly sso_type!: SsoType;
  @ResponseField.uuid({
    nullable: true,
    description: 'Id of the oldest connection; null when there is none.',
  })
  readonly sso_client_id!: string | null;
  @ResponseField.texts({ example: ['example.org'] }) readonly allowed_domains!: readonly string[];
  @ResponseField.etag() readonly etag!: string;
}
