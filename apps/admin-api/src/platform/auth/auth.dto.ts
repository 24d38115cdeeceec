import { Answer, EmailField, TextField, UuidField } from '@gw/web';

export class LoginDto {
  @EmailField({ example: 'owner@example.com' }) email!: string;
  @TextField({ max: 1024, example: 'correct horse battery staple' }) password!: string;
  @UuidField({ optional: true, description: 'Of a user of several organisations.' }) organisation_id?: string;
}

export class RefreshDto {
  @TextField({ max: 128, example: '9fK2…' }) refresh_token!: string;
}

/** Tokens of a session. */
export class TokenAnswer {
  @Answer.text({ description: 'Send it as Authorization: Bearer.', example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' })
  readonly auth_token!: string;
  @Answer.text({ description: 'Used up by the next refresh.', example: '9fK2…' })
  readonly refresh_token!: string;
  @Answer.time({ description: 'Of the auth token.' }) readonly expires_at!: string;
  @Answer.kind('session') readonly object!: 'session';
}

class OrganisationBrief {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'Acme' }) readonly name!: string;
  @Answer.oneOf(['owner', 'admin', 'member']) readonly role!: string;
}

class OwnOrganisation extends OrganisationBrief {
  @Answer.json({ example: { debug_log: 1 } }) readonly settings!: object;
}

class WorkspaceBrief {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'ws-search-3f9a1c' }) readonly slug!: string;
  @Answer.text({ example: 'Search team' }) readonly name!: string;
  @Answer.oneOf(['admin', 'manager', 'member']) readonly role!: string;
}

/** The logged-in user. */
export class SelfAnswer {
  @Answer.kind('user') readonly object!: 'user';
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'ada@example.com' }) readonly email!: string;
  @Answer.text({ example: 'Ada' }) readonly first_name!: string;
  @Answer.text({ example: 'Lovelace' }) readonly last_name!: string;
  @Answer.one(() => OwnOrganisation) readonly organisation!: OwnOrganisation;
  @Answer.list(() => OrganisationBrief) readonly organisations!: OrganisationBrief[];
  @Answer.list(() => WorkspaceBrief) readonly workspaces!: WorkspaceBrief[];
  @Answer.texts({ example: ['completions.write'] }) readonly scopes!: string[];
  @Answer.oneOf(['session']) readonly auth_type!: 'session';
  @Answer.time({ nullable: true }) readonly expires_at!: string | null;
}
