import type { SecretManagerType } from '@gw/contracts';
import type { SecretReferenceEntity } from '@gw/entities';
import { Answer, answerOf, pickOf, RowAnswer, viewOf } from '@gw/web';
import { MANAGER_TYPES, shownAuth } from './auth-config';
import { SecretReferenceFields } from './secret-references.dto';

export class SecretReferenceAnswer extends RowAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.text({ example: 'OpenAI key' }) readonly name!: string;
  @Answer.text({ example: 'openai-key' }) readonly slug!: string;
  @Answer.oneOf(MANAGER_TYPES) readonly manager_type!: SecretManagerType;
  @Answer.oneOf(['ACTIVE', 'ARCHIVED']) readonly status!: string;
  @Answer.kind('secret-reference') readonly object!: 'secret-reference';
}

const ShownFields = pickOf(SecretReferenceFields, 'secret_path', 'tags');

export class SecretReferenceDetailAnswer extends answerOf(ShownFields, SecretReferenceAnswer) {
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.text({ nullable: true, example: 'What it is for' }) readonly description!: string | null;
  @Answer.text({ nullable: true, example: 'api_key' }) readonly secret_key!: string | null;
  @Answer.boolean() readonly allow_all_workspaces!: boolean;
  @Answer.texts({ description: 'Ids; empty where all workspaces may use it.' })
  readonly allowed_workspaces!: readonly string[];
  @Answer.uuid({ nullable: true }) readonly created_by!: string | null;
  @Answer.time({ nullable: true }) readonly rotated_at!: string | null;
  @Answer.json({ description: 'Secrets are renamed to `masked_<name>`.' })
  readonly auth_config!: Readonly<Record<string, string>>;
}

export class CreatedSecretReferenceDto extends pickOf(SecretReferenceAnswer, 'id', 'slug', 'object') {}

export class SecretReferenceTestAnswer {
  @Answer.boolean({ description: 'True: the secret can be read. Its value is never shown.' })
  readonly success!: boolean;
  @Answer.text({
    nullable: true,
    description: 'Why not.',
    example: 'HashiCorp Vault answered with status 403.',
  })
  readonly message!: string | null;
  @Answer.oneOf(['refused', 'unreachable', 'denied', 'not_found', 'invalid'], { nullable: true })
  readonly reason!: string | null;
  @Answer.kind('secret-reference-test') readonly object!: 'secret-reference-test';
}

const shown = (row: SecretReferenceEntity) =>
  ({ status: row.status.toUpperCase(), object: 'secret-reference' }) as const;

export const toSecretReference = (row: SecretReferenceEntity): SecretReferenceAnswer =>
  viewOf(SecretReferenceAnswer, row, shown(row));

export const toSecretReferenceDetail = (row: SecretReferenceEntity): SecretReferenceDetailAnswer =>
  viewOf(SecretReferenceDetailAnswer, row, {
    ...shown(row),
    allow_all_workspaces: row.allowedWorkspaces === null,
    allowed_workspaces: row.allowedWorkspaces ?? [],
    auth_config: shownAuth(row.authConfig, row.maskedAuth),
  });
