import { PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { providers } from '../../../messages';
import { isMasked } from '../../../write';
import { isSame } from '../../../write/paths';
import type { Fields } from '../../fields/fields';
import type { CatalogueField } from '../provider-types';

interface ConfigurationFieldProps {
  readonly field: CatalogueField;
  readonly fields: Fields;
  readonly isRequired: boolean;
}

/** Input for a field of the catalogue, chosen by its kind. An unknown kind has a text input. */
export function ConfigurationField({ field, fields, isRequired }: ConfigurationFieldProps): ReactElement {
  const { name, kind, secret, description, values } = field;
  const path = `configurations.${name}`;
  const value = fields.valueOf(path);
  const common = {
    label: providers.fieldName(name),
    required: isRequired,
    error: fields.errorOf(path),
    autoComplete: 'off',
  };
  const set = (next: unknown): void => fields.setValue(path, next === '' ? null : next);
  const hint = isMasked(value) ? providers.keyNow(String(value)) : description;
  if (values !== undefined)
    return (
      <Select
        {...common}
        description={hint}
        placeholder={providers.unset}
        clearable
        value={typeof value === 'string' ? value : null}
        data={values}
        onChange={set}
      />
    );
  if (kind === 'boolean')
    return (
      <Select
        {...common}
        description={hint}
        placeholder={providers.unset}
        clearable
        value={typeof value === 'boolean' ? String(value) : null}
        data={[
          { value: 'true', label: providers.yes },
          { value: 'false', label: providers.no },
        ]}
        onChange={(next) => set(next === null ? null : next === 'true')}
      />
    );
  if (kind === 'headers' || kind === 'json' || kind === 'azure_deployments')
    return (
      <StructuredField
        {...common}
        description={kind === 'headers' ? `${description} ${providers.headersHint}` : description}
        value={value}
        codec={kind === 'headers' ? HEADERS : JSON_TEXT}
        onValue={set}
      />
    );
  const shown = typeof value === 'string' && !isMasked(value) ? value : '';
  const Input = secret ? PasswordInput : TextInput;
  return (
    <Input
      {...common}
      autoComplete={secret ? 'new-password' : 'off'}
      description={hint}
      value={shown}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}

interface Codec {
  readonly textOf: (value: unknown) => string;
  /** Parses the text; undefined when it is invalid, null when it is empty. */
  readonly valueOf: (text: string) => unknown;
  readonly broken: string;
}

const HEADERS: Codec = {
  broken: providers.headersBroken,
  // Headers with masked values are not shown; what the user enters replaces all headers.
  textOf: (value) =>
    typeof value !== 'object' || value === null
      ? ''
      : Object.entries(value)
          .filter(([, text]) => !isMasked(text))
          .map(([name, text]) => `${name}: ${String(text)}`)
          .join('\n'),
  valueOf: (text) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const pairs = lines.map((line) => /^\s*([^:\s]+)\s*:\s*(.*)$/.exec(line));
    if (pairs.some((pair) => pair === null)) return undefined;
    const named = pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? ''] as const);
    return named.length === 0 ? null : Object.fromEntries(named);
  },
};

const JSON_TEXT: Codec = {
  broken: providers.jsonBroken,
  textOf: (value) =>
    value === undefined || value === null || isMasked(value) ? '' : JSON.stringify(value, null, 2),
  valueOf: (text) => {
    if (text.trim() === '') return null;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  },
};

interface StructuredFieldProps {
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly error: ReactNode;
  readonly value: unknown;
  readonly codec: Codec;
  readonly onValue: (value: unknown) => void;
}

/** Input for a structured value that is written as text: headers or JSON. */
function StructuredField({ value, codec, onValue, error, ...common }: StructuredFieldProps): ReactElement {
  const [{ text, read }, setTyped] = useState(() => ({ text: codec.textOf(value), read: value }));
  // The form has another value than the text after it was saved, reset or undone.
  if (!isSame(read ?? null, value ?? null)) setTyped({ text: codec.textOf(value), read: value });
  const isBroken = codec.valueOf(text) === undefined;
  return (
    <Textarea
      {...common}
      autosize
      minRows={2}
      maxRows={10}
      spellCheck={false}
      value={text}
      error={isBroken ? codec.broken : error}
      onChange={({ currentTarget }) => {
        const next = codec.valueOf(currentTarget.value);
        setTyped({ text: currentTarget.value, read: next === undefined ? read : next });
        if (next !== undefined) onValue(next);
      }}
    />
  );
}
