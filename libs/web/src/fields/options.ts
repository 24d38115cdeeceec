import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';

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
  } as ApiPropertyOptions;
  return applyDecorators(ApiProperty(documented), ...conditions, ...rules);
}
