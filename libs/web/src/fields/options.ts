import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { Documented } from './documented-fields';

/**
 * What every field decorator takes. `optional`: may be absent (in a PUT: unchanged). `nullable`: may be null (in a PUT:
 * cleared). A field is required and not null unless it says so.
 */
export interface FieldOptions {
  readonly optional?: true;
  readonly nullable?: true;
  readonly description?: string;
  readonly example?: unknown;
}

/** Examples of a response's fields that name none, by format or type. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  uuid: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  'date-time': '2026-05-03T17:08:55.000Z',
  boolean: true,
};

/** Validation and documentation of one field, from one place. For the field decorators of this folder. */
export function field(
  options: FieldOptions,
  schema: ApiPropertyOptions,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const { optional, nullable, description, example } = options;
  const conditions: PropertyDecorator[] = [];
  if (optional) conditions.push(ValidateIf((_target, value) => value !== undefined));
  if (nullable) conditions.push(ValidateIf((_target, value) => value !== null));
  const documented = {
    ...schema,
    required: !optional,
    ...(nullable ? { nullable: true } : {}),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
  };
  return applyDecorators(Documented(documented), ...conditions, ...rules);
}
