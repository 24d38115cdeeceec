import { isStorableText } from '@gw/kernel';
import type { Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsEmail,
  IsIn,
  IsObject,
  IsString,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { Holds } from './nested-classes';
import { field, type FieldOptions } from './options';
import { HasCharacters, hasCharacters, IsStorable } from './well-formed';

export interface ListOptions extends FieldOptions {
  readonly minItems?: number;
  /** Maximum number of items; 100 if absent. */
  readonly maxItems?: number;
}

const sizeRules = ({ minItems = 0, maxItems = 100 }: ListOptions): PropertyDecorator[] => [
  IsArray(),
  ArrayMinSize(minItems),
  ArrayMaxSize(maxItems),
];

const sizes = ({ minItems = 0, maxItems = 100 }: ListOptions): { minItems: number; maxItems: number } => ({
  minItems,
  maxItems,
});

/** A list of texts of 1 to `itemMax` characters (255 by default). */
export function TextListField(options: ListOptions & { readonly itemMax?: number } = {}): PropertyDecorator {
  const { itemMax = 255 } = options;
  return field(
    options,
    { type: 'array', items: { type: 'string', minLength: 1, maxLength: itemMax }, ...sizes(options) },
    ...sizeRules(options),
    IsString({ each: true }),
    HasCharacters(1, itemMax, { each: true }),
    IsStorable(),
  );
}

/** One text of 1 to 255 characters, or a list of 1 to 100 of them. */
export const TextOrListField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    {
      oneOf: [
        { type: 'string', minLength: 1, maxLength: 255 },
        {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 255 },
          minItems: 1,
          maxItems: 100,
        },
      ],
    },
    ValidateBy({
      name: 'isTextOrTexts',
      validator: {
        validate: (value: unknown) => {
          const texts: unknown[] = Array.isArray(value) ? value : [value];
          return texts.length >= 1 && texts.length <= 100 && texts.every(isShortText);
        },
        defaultMessage: () =>
          '$property must be a string of 1 to 255 characters, or a list of 1 to 100 of them',
      },
    }),
  );

const isShortText = (text: unknown): boolean =>
  typeof text === 'string' && hasCharacters(text, 1, 255) && isStorableText(text);

export const EmailListField = (options: ListOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: { type: 'string', format: 'email' }, ...sizes(options) },
    ...sizeRules(options),
    IsEmail({}, { each: true }),
  );

/** A list of the given values without duplicates. */
export const EnumListField = (values: readonly string[], options: ListOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: { type: 'string', enum: [...values] }, uniqueItems: true, ...sizes(options) },
    ...sizeRules(options),
    ArrayUnique(),
    IsIn([...values], { each: true }),
  );

export interface MapOptions extends FieldOptions {
  /** Maximum number of entries; 64 if absent. */
  readonly maxEntries?: number;
  readonly keyMax?: number;
  /** Maximum number of characters of a value; 128 if absent. */
  readonly valueMax?: number;
}

function isTextMap(value: unknown, maxEntries: number, keyMax: number, valueMax: number): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= maxEntries &&
    entries.every(
      ([key, item]) =>
        key.length >= 1 &&
        key.length <= keyMax &&
        isStorableText(key) &&
        typeof item === 'string' &&
        item.length <= valueMax &&
        isStorableText(item),
    )
  );
}

/** An object of texts, such as metadata. */
export function MapField(options: MapOptions = {}): PropertyDecorator {
  const { maxEntries = 64, keyMax = 128, valueMax = 128 } = options;
  const rule =
    `$property must be an object of at most ${String(maxEntries)} texts of at most ${String(valueMax)} ` +
    `characters, with keys of 1 to ${String(keyMax)}`;
  return field(
    options,
    {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: valueMax },
      maxProperties: maxEntries,
    },
    ValidateBy({
      name: 'isTextMap',
      validator: {
        validate: (value: unknown) => isTextMap(value, maxEntries, keyMax, valueMax),
        defaultMessage: () => rule,
      },
    }),
  );
}

/** Any JSON object; the service or a schema checks its content. */
export const ObjectField = (options: FieldOptions = {}): PropertyDecorator =>
  field(options, { type: 'object', additionalProperties: true }, IsObject(), IsStorable());

/** A list of JSON objects; the service or a schema checks their content. */
export const ObjectListField = (options: ListOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: 'array', items: { type: 'object', additionalProperties: true }, ...sizes(options) },
    ...sizeRules(options),
    IsObject({ each: true }),
    IsStorable(),
  );

/** A text of 1 to 255 characters, or a JSON object. */
export const TextOrObjectField = (options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    {
      oneOf: [
        { type: 'string', minLength: 1, maxLength: 255 },
        { type: 'object', additionalProperties: true },
      ],
    },
    ValidateBy({
      name: 'isTextOrObject',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'string'
            ? hasCharacters(value, 1, 255)
            : typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: () => '$property must be a string of 1 to 255 characters or an object',
      },
    }),
    IsStorable(),
  );

export const NestedField = (type: () => Class, options: FieldOptions = {}): PropertyDecorator =>
  field(
    options,
    // Nest accepts a function as a class reference only if the property is named `type`.
    { type: () => type() },
    IsObject(),
    ValidateNested(),
    Type(type),
    Holds(type),
  );

export const NestedListField = (type: () => Class, options: ListOptions = {}): PropertyDecorator =>
  field(
    options,
    { type: () => type(), isArray: true, ...sizes(options) },
    ...sizeRules(options),
    IsObject({ each: true }),
    ValidateNested({ each: true }),
    Type(type),
    Holds(type),
  );
