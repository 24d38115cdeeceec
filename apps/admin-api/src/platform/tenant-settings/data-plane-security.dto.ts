import { BooleanField } from '@gw/web';

export class DataPlaneSecurityDto {
  @BooleanField({
    optional: true,
    nullable: true,
    description: 'True: requests may use only saved configs. Null resets the setting.',
  })
  block_inline_config?: boolean | null;
}
