import { ResponseField } from '@gw/web';

/** A subject of an identity provider that logs in as the user. */
export class SsoLinkResponse {
  @ResponseField.kind('sso-link') readonly object!: 'sso-link';
  @ResponseField.uuid({ description: 'Id of the single sign-on connection.' })
  readonly sso_client_id!: string;
  @ResponseField.text({ example: 'Okta' }) readonly connection_name!: string;
  @ResponseField.text({ description: 'Subject as the identity provider names it.', example: '00u1b2c3' })
  readonly subject!: string;
  @ResponseField.time() readonly last_login_at!: string;
}
