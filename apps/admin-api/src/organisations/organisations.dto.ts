import { Answer, BitField, BooleanField, NameField, NestedField, RowAnswer } from '@gw/web';

export class UpdateOrganisationDto {
  @NameField({ optional: true })
  name?: string;
}

export class OrganisationSettingsDto {
  @BitField({
    optional: true,
    nullable: true,
    description: '1: bodies are logged (the default). 0: metrics only.',
  })
  debug_log?: 0 | 1 | null;
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

class SettingsInForce {
  @Answer.bit()
  readonly debug_log!: 0 | 1;
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

  @Answer.etag()
  readonly etag!: string;
}
