import type { SecretManagerType } from '@gw/contracts';
import type { SecretReferenceEntity } from '@gw/entities';
import { ResponseField, responseOf, pickOf, RowResponse, viewOf } from '@gw/web';
import { MANAGER_TYPES, shownAuth } from './auth-config';
import { SecretReferenceFields } from './secret-references.dto';

export class SecretReferenceResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'OpenAI key' }) readonly name!: string;
  @ResponseField.text({ example: 'openai-key' }) readonly slug!: string;
  @ResponseField.oneOf(MANAGER_TYPES) readonly manager_type!: SecretManagerType;
  @ResponseField.oneOf(['ACTIVE', 'ARCHIVED']) readonly status!: string;
  @ResponseField.kind('secret-reference') readonly object!: 'secret-reference';
}

const ShownFields = pickOf(SecretReferenceFields, 'secret_path', 'tags');

export class SecretReferenceDetailResponse extends responseOf(ShownFields, SecretReferenceResponse) {
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.text({ nullable: true, example: 'What it is for' }) readonly description!: string | null;
  @ResponseField.text({ nullable: true, example: 'api_key' }) readonly secret_key!: string | null;
  @ResponseField.boolean() readonly allow_all_workspaces!: boolean;
  @ResponseField.texts({
    description: 'Ids of the workspaces; empty when all workspaces may use the reference.',
  })
  readonly allowed_workspaces!: readonly string[];
  @ResponseField.uuid({ nullable: true }) readonly created_by!: string | null;
  @ResponseField.time({ nullable: true }) readonly rotated_at!: string | null;
  @ResponseField.json({ description: 'Secrets are renamed to `masked_<name>`.' })
  readonly auth_config!: Readonly<Record<string, string>>;
}

export class CreatedSecretReferenceResponse extends pickOf(SecretReferenceResponse, 'id', 'slug', 'object') {}

export class SecretReferenceTestResponse {
  @ResponseField.boolean({ description: 'Whether the secret can be read. Its value is never shown.' })
  readonly success!: boolean;
  @ResponseField.text({
    nullable: true,
    description: 'Why the secret cannot be read; null on success.',
    example: 'HashiCorp Vault answered with status 403.',
  })
  readonly message!: string | null;
  @ResponseField.oneOf(['refused', 'unreachable', 'denied', 'not_found', 'invalid'], { nullable: true })
  readonly reason!: string | null;
  @ResponseField.kind('secret-reference-test') readonly object!: 'secret-reference-test';
}

const shown = (row: SecretReferenceEntity) =>
  ({ status: row.status.toUpperCase(), object: 'secret-reference' }) as const;

export const toSecretReference = (row: SecretReferenceEntity): SecretReferenceResponse =>
  viewOf(SecretReferenceResponse, row, shown(row));

export const toSecretReferenceDetail = (row: SecretReferenceEntity): SecretReferenceDetailResponse =>
  viewOf(SecretReferenceDetailResponse, row, {
    ...shown(row),
    allow_all_workspaces: row.allowedWorkspaces === null,
    allowed_workspaces: row.allowedWorkspaces ?? [],
    auth_config: shownAuth(row.authConfig, row.maskedAuth),
  });
