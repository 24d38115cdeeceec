import { NumberField } from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

/** Declares a non-negative number in the query. */
export const amount = (max: number, description: string): PropertyDecorator =>
  applyDecorators(
    NumberField({ optional: true, min: 0, max, description }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,16}(?:\.\d{1,10})?$/.test(value) ? Number(value) : value,
    ),
  );

const score = (description: string): PropertyDecorator =>
  applyDecorators(
    NumberField({ optional: true, min: -10, max: 10, description }),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^-?\d{1,2}(?:\.\d{1,10})?$/.test(value) ? Number(value) : value,
    ),
  );

/** Filters for logs and analytics by cost, token usage and feedback of requests. */
export class MeasureBounds {
  @amount(1e9, 'Minimum cost in US cents.')
  cost_min?: number;

  @amount(1e9, 'Maximum cost in US cents.')
  cost_max?: number;

  @amount(COUNT_MAX, 'Minimum total tokens (input and output).')
  total_units_min?: number;

  @amount(COUNT_MAX, 'Maximum total tokens (input and output).')
  total_units_max?: number;

  @amount(COUNT_MAX, 'Minimum input tokens.')
  prompt_token_min?: number;

  @amount(COUNT_MAX, 'Maximum input tokens.')
  prompt_token_max?: number;

  @amount(COUNT_MAX, 'Minimum output tokens.')
  completion_token_min?: number;

  @amount(COUNT_MAX, 'Maximum output tokens.')
  completion_token_max?: number;

  @score("Minimum mean of value times weight over the trace's feedback.")
  weighted_feedback_min?: number;

  @score("Maximum mean of value times weight over the trace's feedback.")
  weighted_feedback_max?: number;
}
