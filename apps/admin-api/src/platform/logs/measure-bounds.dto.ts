import { NumberField } from '@gw/web';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

/** A number of the query that is not negative. */
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

/** What logs and analytics may be narrowed to by what requests have cost, used and were said to be worth. */
export class MeasureBounds {
  @amount(1e9, 'US cents, at least.')
  cost_min?: number;

  @amount(1e9, 'US cents, at most.')
  cost_max?: number;

  @amount(COUNT_MAX, 'Tokens in and out, at least.')
  total_units_min?: number;

  @amount(COUNT_MAX, 'Tokens in and out, at most.')
  total_units_max?: number;

  @amount(COUNT_MAX, 'Tokens in, at least.')
  prompt_token_min?: number;

  @amount(COUNT_MAX, 'Tokens in, at most.')
  prompt_token_max?: number;

  @amount(COUNT_MAX, 'Tokens out, at least.')
  completion_token_min?: number;

  @amount(COUNT_MAX, 'Tokens out, at most.')
  completion_token_max?: number;

  @score("Mean of value times weight of the trace's feedback, at least.")
  weighted_feedback_min?: number;

  @score('The same, at most.')
  weighted_feedback_max?: number;
}
