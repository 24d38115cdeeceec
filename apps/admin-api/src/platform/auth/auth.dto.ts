import { ResponseField, EmailField, TextField, UuidField } from '@gw/web';

export class LoginDto {
  @EmailField({ example: 'owner@example.com' }) email!: string;
  @TextField({ max: 1024, example: 'correct horse battery staple' }) password!: string;
  @UuidField({ optional: true, description: 'Organisation to log in to, for a user who belongs to several.' })
  organisation_id?: string;
}

export class RefreshDto {
  @TextField({ max: 128, example: '9fK2…' }) refresh_token!: string;
}

/** Access and refresh token of a session. */
export class TokenResponse {
  @ResponseField.text({
    description: 'Access token. Send it as Authorization: Bearer.',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln',
  })
  readonly auth_token!: string;
  @ResponseField.text({ description: 'Can be used once; a refresh returns a new one.', example: '9fK2…' })
  readonly refresh_token!: string;
  @ResponseField.time({ description: 'When the access token expires.' }) readonly expires_at!: string;
  @ResponseField.kind('session') readonly object!: 'session';
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
  @ResponseField.oneOf(['session']) readonly auth_type!: 'session';
  @ResponseField.time({ nullable: true }) readonly expires_at!: string | null;
}
