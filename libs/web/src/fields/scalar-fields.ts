import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsString,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { field, type FieldOptions } from './options';
import { IsStorable } from './well-formed';

export interface TextOptions extends FieldOptions {
  /** Characters at least; 1 when absent. */
  readonly min?: number;
  /** Characters at most; 255 when absent. */
  readonly max?: number;
  readonly pattern?: RegExp;
}

/** Text of 1 to 255 characters, or as `min` and `max` say. Not trimmed. */
export function TextField(options: TextOptions = {}): PropertyDecorator {
  const { min = 1, max = 255, pattern } = options;
  return field(
    options,
    {
      type: 'string',
      ...(min > 0 ? { minLength: min } : {}),
      maxLength: max,
      ...(pattern ? { pattern: pattern.source } : {}),
    },
    IsString(),
    Length(min, max),
    IsStorable(),
    ...(pattern ? [Matches(pattern)] : []),
  );
}

/**
 * What stands in paths: letters, digits, `_` and `-`, 1 to 255 of them. No UUID, since a path takes either, and no name that
 * every JavaScript object has.
 */
export const SlugField = (options: FieldOptions = {}): PropertyDecorator =>
  TextField({
    ...options,
    pattern:
      /^(?!(?:__proto__|constructor|prototype)$)(?![0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$)[a-zA-Z0-9_-]+$/,
  });

/** What a person calls a thing: one line of text. */
export const NameField = (options: FieldOptions = {}): PropertyDecorator =>
  TextField({ ...options, pattern: /^[^\u0000-\u001f\u007f]+$/ });

/** A UUID or a slug; the service finds out which. */
export const ReferenceField = (options: FieldOptions = {}): PropertyDecorator =>
  TextField({ ...options, pattern: /^[a-zA-Z0-9_.-]+$/ });

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export const UuidField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'string', format: 'uuid' }, Matches(UUID, { message: '$property must be a UUID' }));

export const EmailField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'string', format: 'email', maxLength: 320 }, IsEmail(), Length(3, 320));

export const BooleanField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'boolean' }, IsBoolean());

/** `true`, `false`, 1 or 0; read as 1 or 0, as some settings of the public API are written. */
export const BitField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'integer', enum: [0, 1] },
    Transform(({ value }: { value: unknown }) => (typeof value === 'boolean' ? Number(value) : value)),
    IsIn([0, 1]),
  );

export interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

const bounds = ({ min, max }: NumberOptions): Record<string, number> => ({
  ...(min === undefined ? {} : { minimum: min }),
  ...(max === undefined ? {} : { maximum: max }),
});

const boundRules = ({ min, max }: NumberOptions): PropertyDecorator[] => [
  ...(min === undefined ? [] : [Min(min)]),
  ...(max === undefined ? [] : [Max(max)]),
];

export const IntegerField = (options: NumberOptions = {}): PropertyDecorator =>
  field(options, { type: 'integer', ...bounds(options) }, IsInt(), ...boundRules(options));

export const NumberField = (options: NumberOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'number', ...bounds(options) },
    IsNumber({ allowNaN: false, allowInfinity: false }),
    ...boundRules(options),
  );

export const EnumField = (
  values: readonly (string | number)[],
  options: FieldOptions = {},
): PropertyDecorator =>
  field(
    options,
    { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: [...values] },
    IsIn([...values]),
  );

/** An ISO 8601 date-time with a time zone, kept as text: `2026-05-03T17:08:55.000Z`. */
export const DateField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'string', format: 'date-time' },
    IsISO8601({ strict: true, strictSeparator: true }),
    Matches(/T.*(?:Z|[+-]\d{2}:\d{2})$/, { message: '$property must be a date-time with a time zone' }),
  );
