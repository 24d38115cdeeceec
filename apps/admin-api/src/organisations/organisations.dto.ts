import {
  SecuritySettingsAnswer,
  SecuritySettingsDto,
  WorkspaceOverridesAnswer,
  WorkspaceOverridesDto,
} from '../tenant-settings/security-settings.dto';
import { UserKeySettingsAnswer, UserKeySettingsDto } from '../tenant-settings/user-key-settings.dto';
import { Answer, BitField, BooleanField, NameField, NestedField, RowAnswer } from '@gw/web';

export class UpdateOrganisationDto {
  @NameField({ optional: true })
  name?: string;
}

export class OrganisationSettingsDto extends UserKeySettingsDto {
  @BitField({
    optional: true,
    nullable: true,
    description: '1: bodies are logged (the default). 0: metrics only.',
  })
  debug_log?: 0 | 1 | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description: 'New members of the default workspace get a user key.',
  })
  default_workspace_user_api_key_auto_create?: boolean | null;
}

export class DataPlaneSecurityDto {
  @BooleanField({ optional: true, nullable: true, description: 'True: requests use saved resources only.' })
  block_inline_config?: boolean | null;
}

/** Partial: what is absent stays, null is as if it had never been set. */
export class UpdateOrganisationSettingsDto {
  @NestedField(() => OrganisationSettingsDto, { optional: true })
  settings?: OrganisationSettingsDto;

  @NestedField(() => DataPlaneSecurityDto, { optional: true })
  data_plane_security_settings?: DataPlaneSecurityDto;

  @NestedField(() => SecuritySettingsDto, { optional: true })
  security_settings?: SecuritySettingsDto;

  @NestedField(() => WorkspaceOverridesDto, {
    optional: true,
    description:
      'What workspaces may set for themselves. Switching one off takes their own settings of it away.',
  })
  workspace_overrides?: WorkspaceOverridesDto;
}

class RetentionAnswer {
  @Answer.integer({ description: 'Days, for display.', example: 90 })
  readonly logs_days!: number;

  @Answer.integer({ description: 'Days, for display.', example: 365 })
  readonly metrics_days!: number;
}

export class OrganisationAnswer extends RowAnswer {
  @Answer.kind('organisation')
  readonly object!: 'organisation';

  @Answer.uuid()
  readonly id!: string;

  @Answer.text({ example: 'Acme' })
  readonly name!: string;

  @Answer.text({ example: 'acme' })
  readonly slug!: string;

  @Answer.oneOf(['active', 'archived'])
  readonly status!: string;

  @Answer.one(() => RetentionAnswer)
  readonly retention!: RetentionAnswer;
}

class SettingsInForce extends UserKeySettingsAnswer {
  @Answer.bit()
  readonly debug_log!: 0 | 1;

  @Answer.boolean()
  readonly default_workspace_user_api_key_auto_create!: boolean;
}

class SecurityInForce {
  @Answer.boolean({ description: 'The installation may block inline configs for all.' })
  readonly block_inline_config!: boolean;
}

export class OrganisationSettingsAnswer {
  @Answer.kind('organisation-settings')
  readonly object!: 'organisation-settings';

  @Answer.one(() => SettingsInForce)
  readonly settings!: SettingsInForce;

  @Answer.one(() => SecurityInForce)
  readonly data_plane_security_settings!: SecurityInForce;

  @Answer.one(() => SecuritySettingsAnswer)
  readonly security_settings!: SecuritySettingsAnswer;

  @Answer.one(() => WorkspaceOverridesAnswer)
  readonly workspace_overrides!: WorkspaceOverridesAnswer;

  @Answer.etag()
  readonly etag!: string;
}
