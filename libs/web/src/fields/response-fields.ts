import type { Type as Class } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Documented } from './documented-fields';
import { EXAMPLES } from './options';

/**
 * A response field is always present and not null unless its options say so. `optional`: some
 * responses omit the field.
 */
export interface ResponseFieldOptions {
  readonly optional?: true;
  readonly nullable?: true;
  readonly description?: string;
  readonly example?: unknown;
}

type Field = (options?: ResponseFieldOptions) => PropertyDecorator;

const field =
  (schema: ApiPropertyOptions): Field =>
  ({ optional, nullable, description, example } = {}) =>
    Documented({
      ...schema,
      required: !optional,
      ...(nullable ? { nullable: true } : {}),
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
    });

/** Fields of a response, for the OpenAPI document only: nothing checks or changes what is sent. */
export const ResponseField = {
  uuid: field({ type: 'string', format: 'uuid', example: EXAMPLES['uuid'] }),
  text: field({ type: 'string' }),
  /** A time in ISO 8601. */
  time: field({ type: 'string', format: 'date-time', example: EXAMPLES['date-time'] }),
  integer: field({ type: 'integer' }),
  number: field({ type: 'number' }),
  boolean: field({ type: 'boolean', example: true }),
  bit: field({ type: 'integer', enum: [0, 1], example: 1 }),
  etag: field({
    type: 'string',
    description: 'For If-Match; the same as the header.',
    example: '"1"',
  }),
  texts: field({ type: 'array', items: { type: 'string' } }),
  /** Names and texts. */
  map: field({ type: 'object', additionalProperties: { type: 'string' }, example: { team: 'search' } }),
  json: field({ type: 'object', additionalProperties: true }),
  jsons: field({ type: 'array', items: { type: 'object', additionalProperties: true }, example: [] }),
  /** A field that is always null and kept for older clients. */
  nothing: field({ type: 'null', example: null } as unknown as ApiPropertyOptions),
  /** A JSON value that a user or provider wrote. */
  any: field({
    anyOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: {} },
      { type: 'string' },
      { type: 'number' },
      { type: 'boolean' },
      { type: 'null' },
    ],
  }),
  oneOf: (values: readonly string[], options?: ResponseFieldOptions): PropertyDecorator =>
    field({ type: 'string', enum: [...values], example: values[0] })(options),
  /** The resource type: `{ object: 'workspace' }`. */
  kind: (name: string): PropertyDecorator => field({ type: 'string', enum: [name], example: name })(),
  // Nest accepts a function as a class reference only if the property is named `type`.
  one: (type: () => Class, options?: ResponseFieldOptions): PropertyDecorator =>
    field({ type: () => type() })(options),
  list: (type: () => Class, options?: ResponseFieldOptions): PropertyDecorator =>
    field({ type: () => type(), isArray: true })(options),
} as const;
