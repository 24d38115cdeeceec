import { pickOf, ReferenceField, ResponseField, TextField } from '@gw/web';
import { CreateIntegrationDto } from '../integrations.dto';

/** Ids of the checks, in the order in which they run. */
export const CHECK_IDS = ['address', 'tls', 'credential', 'models', 'chat', 'stream', 'price'] as const;
export type CheckId = (typeof CHECK_IDS)[number];

class TestedFields extends pickOf(
  CreateIntegrationDto,
  'key',
  'configurations',
  'secret_mappings',
  'pricing_adjustments',
  'workspace_id',
) {}

/** A new integration or, with `integration`, changes of a saved one. */
export class TestIntegrationDto extends TestedFields {
  @ReferenceField({
    optional: true,
    description:
      'Id or slug of a saved integration. Its secrets are sent only to the address with which they were saved.',
    example: 'openai-prod',
  })
  integration?: string;
  @TextField({
    optional: true,
    max: 64,
    description: 'Id of a provider in the catalogue. Required without integration.',
    example: 'openai',
  })
  ai_provider_id?: string;
  @TextField({
    optional: true,
    description:
      'Model of the chat. Default: the cheapest model with a price among those that the provider lists.',
    example: 'gpt-5-nano',
  })
  model?: string;
}

export class IntegrationCheckResponse {
  @ResponseField.oneOf(CHECK_IDS) readonly id!: CheckId;
  @ResponseField.boolean({
    nullable: true,
    description: 'Result of the check; null when it was not made, for the reason in message.',
  })
  readonly ok!: boolean | null;
  @ResponseField.integer({ nullable: true, example: 180 }) readonly ms!: number | null;
  @ResponseField.text({ example: 'The provider lists 42 models.' }) readonly message!: string;
  @ResponseField.text({
    optional: true,
    nullable: true,
    description: 'Cost of the chat in integers of 1e-8 USD; null when it has no price.',
    example: '450',
  })
  readonly cost_exact?: string | null;
}

export class IntegrationTestResponse {
  @ResponseField.list(() => IntegrationCheckResponse) readonly checks!: readonly IntegrationCheckResponse[];
  @ResponseField.text({ nullable: true, description: 'Model that the chat used.', example: 'gpt-5-nano' })
  readonly model!: string | null;
}
