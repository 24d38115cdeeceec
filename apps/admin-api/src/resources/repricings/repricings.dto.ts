import { ResponseField, DateField, pageOf, RowResponse, Strict, TextField } from '@gw/web';

@Strict()
export class CreateRepricingDto {
  @DateField({ description: 'The first moment that is looked at.', example: '2026-10-01T00:00:00.000Z' })
  start_time!: string;
  @DateField({
    description: 'The first moment that is not; at most 366 days later.',
    example: '2026-11-01T00:00:00.000Z',
  })
  end_time!: string;
  @TextField({ optional: true, description: 'Logs of this provider alone.', example: 'openai' })
  provider?: string;
  @TextField({ optional: true, description: 'Logs of this model alone.', example: 'gpt-4o' }) model?: string;
}

export class ListRepricingsQuery extends pageOf({ size: 50, sizeMax: 100 }) {}

export class RepricingGroupResponse {
  @ResponseField.text({
    nullable: true,
    example: 'openai',
    description: 'Null with model: all that are past a thousand.',
  })
  readonly provider!: string | null;
  @ResponseField.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @ResponseField.integer({ description: 'Logs whose cost differs.', example: 12 }) readonly changed!: number;
  @ResponseField.integer({
    description: 'Logs without a price now either; they keep what they have.',
    example: 0,
  })
  readonly unpriced!: number;
  @ResponseField.number({ description: 'USD; what those that change have cost.', example: 1.25 })
  readonly before!: number;
  @ResponseField.number({ description: 'USD; what they cost by the prices of now.', example: 1.5 })
  readonly after!: number;
  @ResponseField.number({ description: 'USD; negative: less.', example: 0.25 }) readonly difference!: number;
}

export class RepricingResponse extends RowResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.oneOf(['previewing', 'previewed', 'applying', 'applied']) readonly status!: string;
  @ResponseField.time() readonly start_time!: string;
  @ResponseField.time() readonly end_time!: string;
  @ResponseField.text({ nullable: true, example: 'openai' }) readonly provider!: string | null;
  @ResponseField.text({ nullable: true, example: 'gpt-4o' }) readonly model!: string | null;
  @ResponseField.integer({ description: 'Logs that were looked at so far.', example: 1_000 })
  readonly seen!: number;
  @ResponseField.number({ description: 'USD, of all groups.', example: 0.25 }) readonly difference!: number;
  @ResponseField.list(() => RepricingGroupResponse) readonly data!: readonly RepricingGroupResponse[];
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.kind('repricing') readonly object!: 'repricing';
}

export class CreatedRepricingResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.kind('repricing') readonly object!: 'repricing';
}
