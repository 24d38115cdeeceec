import { ResponseField, IntegerField, NumberField, ObjectField, TextField } from '@gw/web';

const VALUE = { min: -10, max: 10, example: 5 } as const;

export class UpdateFeedbackDto {
  @IntegerField(VALUE) value!: number;
  @NumberField({
    optional: true,
    description: 'Weight from 0 to 1; values outside this range count as 1. Default: 1.',
  })
  weight?: number;
  @ObjectField({ optional: true }) metadata?: Record<string, unknown>;
}

export class CreateFeedbackDto extends UpdateFeedbackDto {
  @TextField({
    max: 512,
    description: 'Trace id of logs that may not exist yet.',
    example: 'trace-1',
  })
  trace_id!: string;
}

export class WrittenFeedbackResponse {
  @ResponseField.oneOf(['success']) readonly status!: 'success';
  @ResponseField.text({ example: 'Feedback has been saved.' }) readonly message!: string;
  @ResponseField.texts({
    description: 'Ids in the order of the request.',
    example: ['0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90'],
  })
  readonly feedback_ids!: readonly string[];
}
