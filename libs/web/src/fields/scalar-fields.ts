import { UUID } from '@gw/kernel';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsNumber,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { field, type FieldOptions } from './options';
import { HasCharacters, IsStorable } from './well-formed';

export interface TextOptions extends FieldOptions {
  /** Minimum number of characters; 1 if absent. */
  readonly min?: number;
  /** Maximum number of characters; 255 if absent. */
  readonly max?: number;
  readonly pattern?: RegExp;
}

/** Text of 1 to 255 characters, or of `min` to `max`. Not trimmed. */
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
    HasCharacters(min, max),
    IsStorable(),
    ...(pattern ? [Matches(pattern)] : []),
  );
}

/**
 * Matches a text that is usable as an identifier: neither a member of every JavaScript object nor a
 * UUID.
 */
const SLUG =
  /^(?!(?:prototype|constructor|__defineGetter__|__defineSetter__|hasOwnProperty|__lookupGetter__|__lookupSetter__|isPrototypeOf|propertyIsEnumerable|toString|valueOf|__proto__|toLocaleString)$)(?![0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$)[a-zA-Z0-9_-]+$/;

/**
 * An identifier in a path: 1 to 255 letters, digits, `_` and `-`, or `min` to `max`. UUIDs are
 * refused, because paths also accept UUIDs, and so are names that every JavaScript object has.
 */
export const SlugField = (options: Omit<TextOptions, 'pattern'> = {}): PropertyDecorator =>
  TextField({ ...options, pattern: SLUG });

/**
 * Normalises a name: NFC, plain spaces instead of other spaces, no spaces at the ends. So two names
 * that look the same are equal.
 */
function plainName(text: string): string {
  const plain = text.normalize('NFC').replaceAll(/\p{Zs}/gu, ' ');
  // Without `trim`, which also removes line breaks, and without an expression for the end, which
  // would scan every run of spaces from each of its positions.
  let [start, end] = [0, plain.length];
  while (plain[start] === ' ') start += 1;
  while (end > start && plain[end - 1] === ' ') end -= 1;
  return plain.slice(start, end);
}

/**
 * A display name: one line of 1 to `max` (255) characters in NFC, at least one of them visible.
 * Spaces at the ends are removed before anything is counted.
 */
export const NameField = (options: FieldOptions & { readonly max?: number } = {}): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? plainName(value) : value)),
    TextField({ ...options, pattern: /^[^\p{Cc}\u2028\u2029]+$/u }),
    Matches(/[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u, {
      message: '$property must not be blank',
    }),
  );

/** A UUID or a slug; the service decides which. */
export const ReferenceField = (options: FieldOptions = {}): PropertyDecorator =>
  TextField({ ...options, pattern: /^[a-zA-Z0-9_.-]+$/ });

/** A UUID, read in lower case, as UUIDs are stored and compared. */
export const UuidField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'string', format: 'uuid' },
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    Matches(UUID, { message: '$property must be a UUID' }),
  );

export const EmailField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'string', format: 'email', maxLength: 320 }, IsEmail(), HasCharacters(3, 320));

export const BooleanField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'boolean' }, IsBoolean());

/** `true`, `false`, 1 or 0; read as 1 or 0, the form that some settings of the public API use. */
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

/** Without the hour 24, which `Date.parse` reads as the next day. */
const DATE_TIME = /^\d{4}-\d\d-(\d\d)T(?!24)\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a text is an RFC 3339 date-time (section 5.6) of an existing day. */
function isDateTime(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [, day] = DATE_TIME.exec(value) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // Without the check, 30 February would be read as a day of March.
  return new Date(`${value.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
}

/** A date-time with a time zone, kept as text: `2026-05-03T17:08:55.000Z`. */
export const DateField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'string', format: 'date-time' },
    ValidateBy({
      name: 'isDateTime',
      validator: {
        validate: isDateTime,
        defaultMessage: () =>
          '$property must be a date-time with a time zone, such as 2026-05-03T17:08:55.000Z',
      },
    }),
  );
