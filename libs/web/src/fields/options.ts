import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { Documented } from './documented-fields';

/**
 * Options of every field decorator. `optional`: may be absent (in a PUT: unchanged). `nullable`:
 * may be null (in a PUT: cleared). By default a field is required and not null.
 */
export interface FieldOptions {
  readonly optional?: true;
  readonly nullable?: true;
  readonly description?: string;
  readonly example?: unknown;
}

/** Default examples of response fields, by format or type. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  uuid: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  'date-time': '2026-05-03T17:08:55.000Z',
  boolean: true,
};

/**
 * Declares the validation and the documentation of one field together. For the field decorators of
 * this folder.
 */
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
