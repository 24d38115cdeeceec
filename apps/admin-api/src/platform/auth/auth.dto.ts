import { Transform } from 'class-transformer';
import { ResponseField, EmailField, TextField, UuidField } from '@gw/web';

export class LoginDto {
  @Transform(({ value }: { value: unknown }) => (value === '' ? undefined : value))
  @EmailField({ optional: true, description: 'Not needed with sso_client_id.', example: 'owner@example.com' })
  email?: string;
  @TextField({
    optional: true,
    max: 1024,
    description: 'Absent: the login starts at the identity provider of the address.',
    example: 'correct horse battery staple',
  })
  password?: string;
  @UuidField({ optional: true, description: 'Organisation to log in to, for a user who belongs to several.' })
  organisation_id?: string;
  @UuidField({
    optional: true,
    description: 'Id of a single sign-on connection to log in with, instead of a password.',
  })
  sso_client_id?: string;
  @TextField({
    optional: true,
    max: 512,
    description:
      'Path of the console to which the browser returns after a login by a connection; a path outside the console is replaced by /.',
    example: '/logs',
  })
  return_path?: string;
}

export class SsoDiscoveryQuery {
  @EmailField({ example: 'ann@example.org' }) email!: string;
}

export class RefreshDto {
  @TextField({
    optional: true,
    max: 128,
    description: 'Absent for a console, whose cookie is renewed instead.',
    example: '9fK2…',
  })
  refresh_token?: string;
}

export class ChangeOrganisationDto {
  @UuidField({
    description: 'Id of an organisation of the user; GET /v1/auth/self lists them.',
    example: '0198c5f2-7d3e-7a41-9c58-2f6b8d1e4a90',
  })
  organisation_id!: string;
}

/** Access and refresh token of a session. */
export class TokenResponse {
  @ResponseField.text({
    description: 'Access token. Send it as Authorization: Bearer.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  })
  readonly auth_token!: string;
  @ResponseField.text({
    description: 'Refresh token. It works once; a refresh returns a new one.',
    example: '9fK2…',
  })
  readonly refresh_token!: string;
  @ResponseField.time({ description: 'When the access token expires.' }) readonly expires_at!: string;
  @ResponseField.kind('session') readonly object!: 'session';
}

/** A single sign-on connection that serves an address. */
export class SsoConnectionChoice {
  @ResponseField.uuid() readonly sso_client_id!: string;
  @ResponseField.text({ example: 'Okta' }) readonly name!: string;
  @ResponseField.oneOf(['oidc', 'saml']) readonly type!: 'oidc' | 'saml';
  @ResponseField.uuid() readonly organisation_id!: string;
}

export class LogoutResponse {
  @ResponseField.text({
    nullable: true,
    description:
      'Address at which the browser also ends the session of the identity provider; null when there is none.',
    example: null,
  })
  readonly logout_url!: string | null;
}

/** A login that continues at an identity provider. */
export class SsoRedirectResponse {
  @ResponseField.text({
    description: 'Address to which the browser must go.',
    example: 'https://idp.example.org/authorize',
  })
  readonly url!: string;
  @ResponseField.map({
    nullable: true,
    description:
      'Fields of a form that the browser must post to url; null when the browser opens url directly.',
    example: null,
  })
  readonly fields!: Readonly<Record<string, string>> | null;
  @ResponseField.oneOf(['oidc', 'saml']) readonly type!: 'oidc' | 'saml';
  @ResponseField.text({
    description: 'Secret of this login. Keep it; the exchange of the code needs it.',
    example: '4Gq9…',
  })
  readonly login_binding!: string;
  @ResponseField.list(() => SsoConnectionChoice, { description: 'All connections that serve the address.' })
  readonly linked_sso!: readonly SsoConnectionChoice[];
  @ResponseField.kind('sso-redirect') readonly object!: 'sso-redirect';
}

/**
 * Login methods of an address. The response is the same for known and unknown addresses of a
 * domain.
 */
export class SsoDiscoveryResponse {
  @ResponseField.texts({ example: ['password', 'sso'] }) readonly methods!: readonly string[];
  @ResponseField.list(() => SsoConnectionChoice) readonly connections!: readonly SsoConnectionChoice[];
  @ResponseField.kind('sso-discovery') readonly object!: 'sso-discovery';
}

/** Result of a callback: a code for `POST /auth/sso/exchange`, valid for one minute. */
export class SsoCodeResponse {
  @ResponseField.text({ example: '9fK2…' }) readonly code!: string;
  @ResponseField.kind('sso-code') readonly object!: 'sso-code';
}

/** Result of a SAML callback. */
export class SamlCodeResponse extends SsoCodeResponse {
  @ResponseField.text({
    nullable: true,
    description:
      'Login binding for the exchange when the identity provider began the login; null when the client already has it.',
    example: null,
  })
  readonly login_binding!: string | null;
}

class OrganisationBrief {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'Acme' }) readonly name!: string;
  @ResponseField.oneOf(['owner', 'admin', 'member']) readonly role!: string;
}

class OwnOrganisation extends OrganisationBrief {
  @ResponseField.json({ example: { debug_log: 1 } }) readonly settings!: object;
}

class WorkspaceBrief {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ws-search-3f9a1c' }) readonly slug!: string;
  @ResponseField.text({ example: 'Search team' }) readonly name!: string;
  @ResponseField.oneOf(['admin', 'manager', 'member']) readonly role!: string;
}

/** The logged-in user. */
export class SelfResponse {
  @ResponseField.kind('user') readonly object!: 'user';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'ada@example.com' }) readonly email!: string;
  @ResponseField.text({ example: 'Ada' }) readonly first_name!: string;
  @ResponseField.text({ example: 'Lovelace' }) readonly last_name!: string;
  @ResponseField.one(() => OwnOrganisation) readonly organisation!: OwnOrganisation;
  @ResponseField.list(() => OrganisationBrief) readonly organisations!: OrganisationBrief[];
  @ResponseField.list(() => WorkspaceBrief) readonly workspaces!: WorkspaceBrief[];
  @ResponseField.texts({ example: ['completions.write'] }) readonly scopes!: string[];
  @ResponseField.oneOf(['session', 'jwt']) readonly auth_type!: 'session' | 'jwt';
  @ResponseField.time({ nullable: true }) readonly expires_at!: string | null;
}
