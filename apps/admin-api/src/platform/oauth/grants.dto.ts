import type { OauthConsentEntity } from '@gw/entities';
import { pageOf, ResponseField, TextField, UuidField } from '@gw/web';

export class ListGrantsQuery extends pageOf({ size: 100 }) {
  @TextField({ optional: true, max: 2_048 }) client_id?: string;
}

export class ListAllGrantsQuery extends ListGrantsQuery {
  @UuidField({ optional: true }) user_id?: string;
}

/** A user's grant to a client. */
export class GrantResponse {
  @ResponseField.kind('oauth-grant') readonly object!: 'oauth-grant';
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly user_id!: string;
  @ResponseField.text({ example: 'gw_0123456789abcdef01234567' }) readonly client_id!: string;
  @ResponseField.text({ description: 'Name that the client uses for itself.', example: 'An editor' })
  readonly client_name!: string;
  @ResponseField.text({ example: 'https://gateway.example.com/v1' }) readonly resource!: string;
  @ResponseField.texts({ example: ['completions.write'] }) readonly scopes!: readonly string[];
  @ResponseField.uuid({
    nullable: true,
    description: 'Workspace of the grant; null for the whole organisation.',
  })
  readonly workspace_id!: string | null;
  @ResponseField.time() readonly created_at!: string;
  @ResponseField.time({ nullable: true, description: 'Time of the last token refresh.' })
  readonly last_used_at!: string | null;
  @ResponseField.time({ description: 'Expiry of the grant. Each refresh postpones it.' })
  readonly expires_at!: string;
}

export const toGrant = (row: OauthConsentEntity): GrantResponse => ({
  ...{ object: 'oauth-grant', id: row.id, user_id: row.userId, client_id: row.clientId },
  ...{ client_name: row.clientName, resource: row.resource, scopes: row.scopes },
  workspace_id: row.workspaceId,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  expires_at: row.expiresAt.toISOString(),
});
