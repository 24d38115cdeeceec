import { BitField, BooleanField, NestedField, TextField } from '@gw/web';

export class UpdateOrganisationDto {
  @TextField({ optional: true })
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
