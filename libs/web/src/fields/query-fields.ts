import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { field, type FieldOptions } from './options';
import { UUID } from '@gw/kernel';
import { HasCharacters, IsStorable } from './well-formed';

/** An integer in the query. Other text is refused, never rounded or clamped. */
export function QueryIntegerField(
  options: FieldOptions & { readonly min: number; readonly max: number; readonly fallback?: number },
): PropertyDecorator {
  const { min, max, fallback } = options;
  return field(
    { ...options, optional: true },
    {
      type: 'integer',
      minimum: min,
      maximum: max,
      ...(fallback === undefined ? {} : { default: fallback }),
    },
    Transform(({ value }: { value: unknown }) => {
      return typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
    }),
    IsInt(),
    Min(min),
    Max(max),
    ...(fallback === undefined ? [] : [defaultTo(fallback)]),
  );
}

/**
 * Defines the default on the prototype, because class-transformer runs no transformation for an
 * absent field. It is an accessor, because class-transformer skips a key that is a plain value on
 * the prototype.
 */
const defaultTo =
  (fallback: number): PropertyDecorator =>
  (target, property) => {
    Object.defineProperty(target, property, {
      configurable: true,
      get: () => fallback,
      set(this: object, value: unknown) {
        Object.defineProperty(this, property, {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
    });
  };

export const QueryBooleanField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    { ...options, optional: true },
    { type: 'boolean' },
    Transform(({ value }: { value: unknown }) => {
      const text = typeof value === 'string' ? value.toLowerCase() : null;
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : value;
    }),
    IsBoolean(),
  );

const split = ({ value }: { value: unknown }): unknown => {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  if (value === undefined || !parts.every((part) => typeof part === 'string')) return value;
  return parts.flatMap((part) => part.split(',')).map((part) => part.trim());
};

/** One or more of the values: separated by commas, repeated, or both. */
export const QueryEnumListField = (
  values: readonly string[],
  options: FieldOptions = {},
): PropertyDecorator =>
  field(
    { ...options, optional: true },
    { type: 'array', items: { type: 'string', enum: [...values] }, maxItems: 2 * values.length },
    Transform(split),
    ArrayMaxSize(2 * values.length),
    IsIn([...values], { each: true }),
  );

/** UUIDs separated by commas, at most `max`; read in lower case, as `UuidField` reads one. */
export const QueryUuidListField = (options: FieldOptions & { readonly max: number }): PropertyDecorator =>
  field(
    { ...options, optional: true },
    { type: 'array', items: { type: 'string', format: 'uuid' }, maxItems: options.max },
    Transform(({ value }: { value: unknown }) => {
      const parts = split({ value });
      const isList = Array.isArray(parts) && parts.every((part) => typeof part === 'string');
      return isList ? parts.map((part) => part.toLowerCase()) : parts;
    }),
    ArrayMaxSize(options.max),
    Matches(UUID, { each: true, message: 'each value in $property must be a UUID' }),
  );

/** Texts separated by commas or repeated, at most `max`. */
export const QueryTextListField = (options: FieldOptions & { readonly max: number }): PropertyDecorator =>
  field(
    { ...options, optional: true },
    { type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: options.max },
    Transform(split),
    ArrayMaxSize(options.max),
    IsString({ each: true }),
    HasCharacters(1, 255, { each: true }),
    IsStorable(),
  );
