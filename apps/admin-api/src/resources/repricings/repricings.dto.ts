import { ResponseField, DateField, pageOf, RowResponse, Strict, TextField } from '@gw/web';

@Strict()
export class CreateRepricingDto {
  @DateField({ description: 'Start of the range, inclusive.', example: '2026-10-01T00:00:00.000Z' })
  start_time!: string;
  @DateField({
    description: 'End of the range, exclusive; at most 366 days after the start.',
    example: '2026-11-01T00:00:00.000Z',
  })
  end_time!: string;
  @TextField({ optional: true, description: 'Only logs of this provider.', example: 'openai' })
  provider?: string;
  @TextField({ optional: true, description: 'Only logs of this model.', example: 'gpt-4o' }) model?: string;
}

export class ListRepricingsQuery extends pageOf({ size: 50, sizeMax: 100 }) {}

export class RepricingGroupResponse {
  @ResponseField.text({
    nullable: true,
    example: 'openai',
    description:
      'Null for logs without a provider. provider and model are both null for all groups after the first 1,000 too.',
  })
  readonly provider!: string | null;
  @ResponseField.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @ResponseField.integer({ description: 'Number of logs whose cost differs.', example: 12 })
  readonly changed!: number;
  @ResponseField.integer({
    description:
      'Number of logs that cannot be priced: without a provider, of a model without a known price, or with usage of several models. Their cost does not change.',
    example: 0,
  })
  readonly unpriced!: number;
  @ResponseField.number({ description: 'USD; recorded cost of the logs that change.', example: 1.25 })
  readonly before!: number;
  @ResponseField.number({ description: 'USD; cost of these logs by current prices.', example: 1.5 })
  readonly after!: number;
  @ResponseField.number({ description: 'USD; negative when the new cost is lower.', example: 0.25 })
  readonly difference!: number;
}

export class RepricingResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.oneOf(['previewing', 'previewed', 'applying', 'applied']) readonly status!: string;
  @ResponseField.time() readonly start_time!: string;
  @ResponseField.time() readonly end_time!: string;
  @ResponseField.text({ nullable: true, example: 'openai' }) readonly provider!: string | null;
  @ResponseField.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @ResponseField.integer({ description: 'Number of logs read so far.', example: 1_000 })
  readonly seen!: number;
  @ResponseField.number({ description: 'USD; sum over all groups.', example: 0.25 })
  readonly difference!: number;
  @ResponseField.list(() => RepricingGroupResponse) readonly data!: readonly RepricingGroupResponse[];
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.kind('repricing') readonly object!: 'repricing';
}

export class CreatedRepricingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.kind('repricing') readonly object!: 'repricing';
}
