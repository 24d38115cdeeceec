import { BooleanField } from '@gw/web';

export class DataPlaneSecurityDto {
  @BooleanField({ optional: true, nullable: true, description: 'True: requests use saved resources only.' })
  block_inline_config?: boolean | null;
}
