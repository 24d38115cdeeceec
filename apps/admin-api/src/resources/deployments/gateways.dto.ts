import type { GatewayPresence } from '@gw/contracts';
import { ResponseField } from '@gw/web';
import { IsOptional, IsString, Length, Matches } from 'class-validator';

/** Body of a gateway's periodic presence report. */
export class GatewayPresenceDto implements GatewayPresence {
  @IsString()
  @Length(1, 255)
  id!: string;
  @IsString()
  @Matches(/^\d{1,5}\.\d{1,5}\.\d{1,5}$/)
  version!: string;
  @IsOptional()
  @IsString()
  @Length(1, 255)
  clientAuth?: string;
}

export class GatewayWarningResponse {
  @ResponseField.text({ example: 'block_inline_config' }) readonly feature!: string;
  @ResponseField.text({ description: 'Oldest version that has the feature.', example: '2.11.0' })
  readonly minimum_version!: string;
  @ResponseField.text({ example: 'block_inline_config takes no effect: it needs version 2.11.0.' })
  readonly message!: string;
}

export class GatewayResponse {
  @ResponseField.text({
    description:
      'Host name and number of the gateway on that host. Lists of the installation show a pseudonym of the host name.',
    example: 'gateway-3f2a1b9c0d4e/0',
  })
  readonly id!: string;
  @ResponseField.text({ example: '2.20.0' }) readonly version!: string;
  @ResponseField.boolean({ description: 'False if the gateway has not reported for 90 seconds.' })
  readonly connected!: boolean;
  @ResponseField.time() readonly first_seen_at!: string;
  @ResponseField.time() readonly last_seen_at!: string;
  @ResponseField.list(() => GatewayWarningResponse, {
    description: "Features that the gateway's version lacks.",
  })
  readonly warnings!: readonly GatewayWarningResponse[];
  @ResponseField.kind('gateway') readonly object!: 'gateway';
}
