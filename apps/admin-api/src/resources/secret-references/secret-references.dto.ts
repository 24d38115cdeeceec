import {
  BooleanField,
  EnumField,
  MapField,
  NameField,
  ObjectField,
  omitOf,
  pageOf,
  partialOf,
  ReferenceField,
  SlugField,
  Strict,
  TextField,
  TextListField,
  UuidField,
} from '@gw/web';
import { MANAGER_NAMES } from './auth-config';

const TAGS = { optional: true, nullable: true, valueMax: 255, example: { team: 'search' } } as const;
const AUTH = {
  description:
    'Authentication, selected by `aws_auth_type`, `azure_auth_mode` or `vault_auth_type`. Secrets are not shown again.',
  example: { vault_auth_type: 'token', vault_addr: 'https://vault.example.org', vault_token: 'hvs.…' },
} as const;
const WORKSPACES = {
  optional: true,
  minItems: 1,
  maxItems: 1_000,
  description: 'Ids or slugs of the workspaces that may use the reference.',
} as const;

/** Fields of a reference that callers can write. */
export class SecretReferenceFields {
  @NameField({ example: 'OpenAI key' }) name!: string;
  @TextField({ optional: true, nullable: true, min: 0, max: 1_024 }) description?: string | null;
  @ObjectField(AUTH) auth_config!: Record<string, unknown>;
  @TextField({ max: 1_024, example: 'secret/data/openai' }) secret_path!: string;
  @TextField({ optional: true, nullable: true }) secret_key?: string | null;
  @BooleanField({ optional: true }) allow_all_workspaces?: boolean;
  @TextListField(WORKSPACES) allowed_workspaces?: string[];
  @MapField(TAGS) tags?: Record<string, string> | null;
}

@Strict()
export class CreateSecretReferenceDto extends omitOf(
  SecretReferenceFields,
  'secret_key',
  'allow_all_workspaces',
) {
  @SlugField({ optional: true, description: 'Default: derived from the name.', example: 'openai-key' })
  slug?: string;
  @EnumField(MANAGER_NAMES, { example: 'vendor3_vault' }) manager_type!: string;
  @TextField({
    optional: true,
    nullable: true,
    description: 'Member to read, if the secret is a JSON object.',
  })
  secret_key?: string | null;
  @BooleanField({ optional: true, description: 'Default: true. Cannot be true with `allowed_workspaces`.' })
  allow_all_workspaces?: boolean;
  @UuidField({ optional: true, description: 'Must be the caller’s own organisation.' })
  organisation_id?: string;
}

@Strict()
export class UpdateSecretReferenceDto extends partialOf(SecretReferenceFields) {}

export class ListSecretReferencesQuery extends pageOf({ size: 20, sizeMax: 100 }) {
  @EnumField(MANAGER_NAMES, { optional: true }) manager_type?: string;
  @TextField({ optional: true, max: 4_096, description: 'A JSON object of strings; all tags must match.' })
  tags?: string;
  @TextField({ optional: true, description: 'Text that the name or slug must contain.' }) search?: string;
  @ReferenceField({ optional: true, description: 'Must be the caller’s own organisation.' })
  organisation_id?: string;
}
